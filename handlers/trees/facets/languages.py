"""Languages that can be set for drawings."""

from __future__ import annotations

from handlers.words.language import list_languages, read_tag
from vfs.errors import Invalid

NAMED = ", ".join(list_languages())
ABOUT = f"language of numbers, dates and words in drawings: {NAMED}, or such as de-AT"


def language_tag(sent: str) -> str:
    """Return the tag of a language, or empty text. Raises Invalid."""
    text = sent.strip()
    if text and read_tag(text) is None:
        raise Invalid(
            f'"{text[:40]}" is not a language of charts: send one of {NAMED}, '
            "or one of them with a country, such as de-AT or pt-BR"
        )
    return text
