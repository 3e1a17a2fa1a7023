"""Looks of boxes: spaces, borders and colours that any section may ask for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Border:
    """A line at a side (l r t b x y a), 0 to 5 thick, in a colour or in that of rules."""

    side: str
    size: int
    color: str = ""


@dataclass(frozen=True, slots=True)
class BoxLook:
    """Spaces and colours around a section: sides (l r t b x y a) with sizes of 0 to 5."""

    padding: tuple[tuple[str, int], ...] = ()
    margin: tuple[tuple[str, int], ...] = ()
    borders: tuple[Border, ...] = ()
    color: str = ""
    ground: str = ""


PLAIN_BOX = BoxLook()
