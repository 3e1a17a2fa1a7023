"""Switches: yes-or-no files kept elsewhere than in a leaf."""

from __future__ import annotations

from collections.abc import Callable

from handlers.services.world import World
from vfs.nodes import KIB, File
from vfs.parts import boolean
from vfs.place import Place

YES_NO = ("yes", "no")


def switch(
    read: Callable[[Place[World]], bool], change: Callable[[Place[World], bool], None], about: str
) -> File:
    """A yes-or-no file that hooks keep; clearing it means no."""

    def write(place: Place[World], sent: str) -> str:
        on = boolean(sent)
        change(place, on)
        return _word(on)

    return File(
        lambda place: _word(read(place)),
        write,
        default=_word(False),
        clear=lambda place: change(place, False),
        values=YES_NO,
        largest=KIB,
        about=about,
    )


def _word(on: bool) -> str:
    return YES_NO[0] if on else YES_NO[1]
