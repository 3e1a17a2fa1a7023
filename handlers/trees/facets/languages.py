"""Languages that may be chosen for what is drawn."""

from __future__ import annotations

from handlers.words.language import list_languages, read_tag
from vfs.errors import Invalid

NAMED = ", ".join(list_languages())
ABOUT = f"language of numbers, dates and words in drawings: {NAMED}, or such as de-AT"


def language_tag(sent: str) -> str:
    """The tag of a language, or nothing. Raises Invalid."""
    text = sent.strip()
    if text and read_tag(text) is None:
        raise Invalid(
            f'"{text[:40]}" is no language that charts are written in: send one of {NAMED}, '
            "or one of them with a country, such as de-AT or pt-BR"
        )
    return text
