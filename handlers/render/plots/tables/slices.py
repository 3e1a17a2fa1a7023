"""Slices: which rows or columns of a table an instruction speaks of."""

from __future__ import annotations

import re
from dataclasses import dataclass

INTEGER = r"-?[0-9]{1,18}"
RANGE = re.compile(rf"({INTEGER})?:({INTEGER})?(?::([0-9]{{1,18}})?)?")
LIST = re.compile(rf"{INTEGER}(?:,{INTEGER})*")

Indices = range | frozenset[int]
"""Rows or columns that are in the table, counted from 0."""


class BadSlice(ValueError):
    """Raised for a text that is no slice, with the reason."""


@dataclass(frozen=True, slots=True)
class Slice:
    """Part of one side of a table: `first:last:step` with both ends in it, or a list of indices.

    A negative index counts from the end. Ends that are None are the table's own.
    """

    first: int | None = None
    last: int | None = None
    step: int = 1
    listed: tuple[int, ...] | None = None

    def of(self, size: int) -> Indices:
        """The indices within a side of that size; what lies outside of it is left out."""
        if self.listed is not None:
            counted = (index + size if index < 0 else index for index in self.listed)
            return frozenset(index for index in counted if 0 <= index < size)
        first, last = self._ends(size)
        return range(max(0, first), min(size - 1, last) + 1, self.step)

    def _ends(self, size: int) -> tuple[int, int]:
        """Both ends counted from 0; two that count from the same side may stand in either order."""
        first = 0 if self.first is None else self.first + size * (self.first < 0)
        last = size - 1 if self.last is None else self.last + size * (self.last < 0)
        turned = self.first is not None and self.last is not None and (self.first < 0) == (self.last < 0)
        return (last, first) if turned and last < first else (first, last)


def parse_slice(text: str) -> Slice:
    """The slice that a text is. Raises BadSlice."""
    if LIST.fullmatch(text):
        return Slice(listed=tuple(int(index) for index in text.split(",")))
    found = RANGE.fullmatch(text)
    if not found:
        raise BadSlice(
            f'"{text[:40]}" is no slice: it is "first:last:step" or a list such as 0,2,-1, without spaces'
        )
    first, last, step = (int(number) if number else None for number in found.groups())
    if step == 0:
        raise BadSlice(f'"{text[:40]}" has a step of 0: a step is 1 or more')
    return Slice(first, last, step or 1)
