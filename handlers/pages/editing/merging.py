"""Merging of texts: two changes of one text, line by line, if they do not overlap."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import NamedTuple

MOST_LINES = 2_000
"""Maximum lines between the first and the last change; a comparison takes quadratic time at worst."""
AROUND = 2
"""Unchanged lines that are shown before and after a change."""
SAME, ADDED, REMOVED, LEFT_OUT = "", "plus", "minus", "gap"


class DiffLine(NamedTuple):
    """A line of a comparison: its sign (SAME, ADDED, REMOVED or LEFT_OUT) and its text."""

    sign: str
    text: str


class LineChange(NamedTuple):
    """Lines `first` to `last` (not included) of a text, and the lines that replace them."""

    first: int
    last: int
    lines: Sequence[str]


def merge(base: str, mine: str, theirs: str) -> str | None:
    """Return the text with both changes; None if they touch the same lines or are too long to compare."""
    lines = base.splitlines(keepends=True)
    one, other = (
        changes(lines, mine.splitlines(keepends=True)),
        changes(lines, theirs.splitlines(keepends=True)),
    )
    if one is None or other is None:
        return None
    both = sorted({*map(_hashable, one), *map(_hashable, other)})
    if any(later.first <= sooner.last for sooner, later in pairwise(both)):
        return None
    merged, at = [], 0
    for change in both:
        merged += [*lines[at : change.first], *change.lines]
        at = change.last
    return "".join((*merged, *lines[at:]))


def compare(before: str, after: str) -> list[DiffLine] | None:
    """Return the removed and added lines, each with a few around it; None if there are too many."""
    old, new = before.splitlines(), after.splitlines()
    found = changes(old, new)
    return None if found is None else list(_diff_lines(old, found))


def changes(old: Sequence[str], new: Sequence[str]) -> list[LineChange] | None:
    """Return the changes that turn one text into another, in order; None if they span too many lines."""
    start = _alike(old, new)
    end = _alike(old[start:][::-1], new[start:][::-1])
    inner_old, inner_new = old[start : len(old) - end], new[start : len(new) - end]
    if max(len(inner_old), len(inner_new)) > MOST_LINES:
        return None
    codes = SequenceMatcher(None, inner_old, inner_new).get_opcodes()
    return [
        LineChange(start + i1, start + i2, inner_new[j1:j2])
        for tag, i1, i2, j1, j2 in codes
        if tag != "equal"
    ]


def _hashable(change: LineChange) -> LineChange:
    return change._replace(lines=tuple(change.lines))


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the number of equal lines at the beginning."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def _diff_lines(old: Sequence[str], found: Sequence[LineChange]) -> Iterator[DiffLine]:
    at = 0
    for index, change in enumerate(found):
        yield from _between(old[at : change.first], leads=index > 0, follows=True)
        yield from (DiffLine(REMOVED, line) for line in old[change.first : change.last])
        yield from (DiffLine(ADDED, line) for line in change.lines)
        at = change.last
    yield from _between(old[at:], leads=bool(found), follows=False)


def _between(lines: Sequence[str], *, leads: bool, follows: bool) -> Iterator[DiffLine]:
    """Return unchanged lines: those next to a change, and a gap for the others."""
    first, last = AROUND if leads else 0, AROUND if follows else 0
    if len(lines) <= first + last + 1:
        yield from (DiffLine(SAME, line) for line in lines)
        return
    yield from (DiffLine(SAME, line) for line in lines[:first])
    yield DiffLine(LEFT_OUT, f"{len(lines) - first - last:,} lines unchanged")
    yield from (DiffLine(SAME, line) for line in lines[len(lines) - last :])
