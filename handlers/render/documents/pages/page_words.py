"""Languages of documents: their direction, and the fixed words of pages."""

from __future__ import annotations

from unicodedata import bidirectional

from handlers.words.language import translate

RIGHT_TO_LEFT = ("ar", "fa", "he", "ur", "yi", "ps", "sd", "dv")
LABELS = {"info": "Note", "success": "Checked", "warning": "Careful", "error": "Error"}


def tone_label(tone: str, language: str) -> str:
    """Return the label of a callout without a title; a tone is never shown by its colour alone."""
    return translate(LABELS[tone], language)


def is_right_to_left(language: str) -> bool:
    """Return whether a language is written from right to left."""
    return language.lower().partition("-")[0] in RIGHT_TO_LEFT


def runs_leftward(words: str) -> bool | None:
    """Return whether words run from right to left, by their first letter; None without a letter."""
    kinds = ("L" if sign.isascii() else bidirectional(sign) for sign in words if sign.isalpha())
    first = next((kind for kind in kinds if kind in ("L", "R", "AL")), None)
    return None if first is None else first != "L"
