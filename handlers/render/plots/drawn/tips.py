"""Tips: what a pointer that rests on a mark is told, in drawings that are a part of a page."""

from __future__ import annotations

LONGEST = 120


def tip_of(name: str, series: str, value: str) -> str:
    """The name of a mark, its series if there are several, and its value."""
    return f"{name[:LONGEST]}: {f'{series[:LONGEST]} ' if series else ''}{value}"
