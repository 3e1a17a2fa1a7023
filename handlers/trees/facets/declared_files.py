"""Declarations of files that several trees use: switches, languages, and actions that take JSON."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from handlers.services.world import World
from handlers.words.language import list_languages, read_tag
from vfs.context import Context
from vfs.errors import Invalid
from vfs.nodes import KIB, File
from vfs.parts import action, boolean

YES_NO = ("yes", "no")


def switch(
    read: Callable[[Context[World]], bool], change: Callable[[Context[World], bool], None], about: str
) -> File:
    """Return a yes-or-no file that hooks store; clearing it means no."""

    def write(context: Context[World], sent: str) -> str:
        on = boolean(sent)
        change(context, on)
        return _word(on)

    return File(
        lambda context: _word(read(context)),
        write,
        default=_word(False),
        clear=lambda context: change(context, False),
        values=YES_NO,
        largest=KIB,
        about=about,
    )


def _word(on: bool) -> str:
    return YES_NO[0] if on else YES_NO[1]


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


JSON = "application/json"
LARGEST = 16 * KIB
document_action = partial(action, wants="raw", media=(JSON,), largest=LARGEST, long=True)
