"""Languages of documents: their direction, and the words that stand on a page without being written."""

from __future__ import annotations

from unicodedata import bidirectional

RIGHT_TO_LEFT = ("ar", "fa", "he", "ur", "yi", "ps", "sd", "dv")
LABELS = {"info": "Note", "success": "Checked", "warning": "Careful", "error": "Error"}
SPEAKER_NOTES = "Speaker notes"
DETAILS = "Details"
"""What stands before a passage that folds and has no summary, as browsers have it."""
CONTENTS = {
    "de": "Inhalt", "fr": "Sommaire", "nb": "Innhold", "no": "Innhold", "nn": "Innhald", "sv": "Innehåll",
    "da": "Indhold", "fi": "Sisällys", "is": "Efnisyfirlit", "es": "Índice", "pt": "Índice", "it": "Indice",
    "nl": "Inhoud", "pl": "Spis treści", "cs": "Obsah", "tr": "İçindekiler", "el": "Περιεχόμενα",
    "ru": "Содержание", "uk": "Зміст", "ar": "المحتويات", "fa": "فهرست", "ur": "فہرست", "he": "תוכן העניינים",
    "ja": "目次", "ko": "차례", "zh": "目录",
}  # fmt: skip
CONTINUED = {
    "de": "Fortsetzung", "fr": "suite", "nb": "fortsatt", "no": "fortsatt", "nn": "framhald",
    "sv": "fortsättning", "da": "fortsat", "fi": "jatkuu", "es": "continuación", "pt": "continuação",
    "it": "continua", "nl": "vervolg", "pl": "ciąg dalszy", "cs": "pokračování", "tr": "devam",
    "el": "συνέχεια", "ru": "продолжение", "uk": "продовження", "ar": "تابع", "he": "המשך",
    "ja": "続き", "ko": "계속", "zh": "续",
}  # fmt: skip
_TONES = {
    "de": "Hinweis Erledigt Achtung Fehler", "fr": "Note Vérifié Attention Erreur",
    "nb": "Merk Kontrollert Obs Feil", "no": "Merk Kontrollert Obs Feil", "nn": "Merk Kontrollert Obs Feil",
    "sv": "Obs Klart Varning Fel", "da": "Bemærk Kontrolleret Pas\u00a0på Fejl",
    "fi": "Huomaa Tarkistettu Varoitus Virhe", "es": "Nota Comprobado Atención Error",
    "pt": "Nota Verificado Atenção Erro", "it": "Nota Verificato Attenzione Errore",
    "nl": "Let\u00a0op Gecontroleerd Waarschuwing Fout", "pl": "Uwaga Sprawdzono Ostrożnie Błąd",
    "ru": "Примечание Проверено Осторожно Ошибка", "uk": "Примітка Перевірено Обережно Помилка",
    "ar": "ملاحظة تم تحذير خطأ", "fa": "نکته بررسی\u200cشده هشدار خطا", "he": "הערה נבדק זהירות שגיאה",
    "ja": "注記 確認済み 注意 エラー", "ko": "참고 확인됨 주의 오류", "zh": "说明 已核对 注意 错误",
}  # fmt: skip


def contents_label(language: str) -> str:
    """The word above a list of contents."""
    return CONTENTS.get(_first(language), "Contents")


def continued_label(language: str) -> str:
    """The word above the head of a table that goes on from the page before."""
    return CONTINUED.get(_first(language), "continued")


def tone_label(tone: str, language: str) -> str:
    """The word above a callout that has no title; no tone is told by its colour alone."""
    words = _TONES.get(_first(language), "").split(" ")
    return words[list(LABELS).index(tone)] if len(words) == len(LABELS) else LABELS[tone]


def is_right_to_left(language: str) -> bool:
    """Whether a language is written from right to left."""
    return _first(language) in RIGHT_TO_LEFT


def runs_leftward(words: str) -> bool | None:
    """Whether words run from right to left, by their first letter as in browsers; None without a letter."""
    kinds = ("L" if sign.isascii() else bidirectional(sign) for sign in words if sign.isalpha())
    first = next((kind for kind in kinds if kind in ("L", "R", "AL")), None)
    return None if first is None else first != "L"


def _first(language: str) -> str:
    return language.lower().partition("-")[0]
