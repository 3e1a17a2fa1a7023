"""Words that stand before the numbers of figures and tables, by language."""

from __future__ import annotations

WORDS = {
    "de": "Abbildung Tabelle", "fr": "Figure Tableau", "nb": "Figur Tabell", "no": "Figur Tabell",
    "nn": "Figur Tabell", "sv": "Figur Tabell", "da": "Figur Tabel", "fi": "Kuva Taulukko",
    "is": "Mynd Tafla", "es": "Figura Tabla", "pt": "Figura Tabela", "it": "Figura Tabella",
    "nl": "Figuur Tabel", "pl": "Rysunek Tabela", "cs": "Obrázek Tabulka", "tr": "Şekil Tablo",
    "el": "Σχήμα Πίνακας", "ru": "Рисунок Таблица", "uk": "Рисунок Таблиця", "ar": "الشكل الجدول",
    "fa": "شکل جدول", "he": "איור טבלה", "ja": "図 表", "ko": "그림 표", "zh": "图 表",
}  # fmt: skip


def number_word(kind: str, language: str) -> str:
    """The word before the number of a `figure` or a `table`; English for other languages."""
    figure, table = WORDS.get(language.lower().partition("-")[0], "Figure Table").split(" ")
    return figure if kind == "figure" else table
