"""Switches: yes-or-no files stored elsewhere than in a leaf."""

from __future__ import annotations

from collections.abc import Callable

from handlers.services.world import World
from vfs.context import Context
from vfs.nodes import KIB, File
from vfs.parts import boolean

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
