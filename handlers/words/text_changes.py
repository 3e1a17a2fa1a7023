"""Changes of texts, found line by line in linear time, merged if they do not overlap, and shown."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

MOST_LINES = 2_000
"""Maximum lines between the first and the last change that a page compares."""
MOST_SHOWN = 20_000
"""Most lines of a unified difference."""
AROUND, CONTEXT = 2, 3
"""Unchanged lines before and after a change: on a page, and in a unified difference."""
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
    start, end = _ends(old, new)
    if max(len(old), len(new)) - start - end > MOST_LINES:
        return None
    return list(_changes(old, new))


def unified(before: str, after: str, name: str, other: str) -> str:
    """Return the unified difference of two texts, "" for equal ones, its first lines if it is very long."""
    old, new = _with_ends(before), _with_ends(after)
    lines, shift = list[str](), 0
    for hunk in _hunks(_changes(old, new)):
        lines += _hunk_lines(old, hunk, shift)
        shift += _growth(hunk)
    if len(lines) > MOST_SHOWN:
        lines = [*lines[:MOST_SHOWN], f"# {len(lines) - MOST_SHOWN:,} more lines\n"]
    return "".join((f"--- {name}\n", f"+++ {other}\n", *lines)) if lines else ""


def _with_ends(text: str) -> list[str]:
    """Return the lines of a text, each with its newline."""
    *lines, last = text.split("\n")
    return [*(f"{line}\n" for line in lines), *([last] if last else [])]


def _changes(old: Sequence[str], new: Sequence[str]) -> Iterator[LineChange]:
    """Yield the changes between lines that occur once in both texts and have the same order in both."""
    i = j = 0
    for at, there in [*_anchors(old, new), (len(old), len(new))]:
        start, end = _ends(old[i:at], new[j:there])
        if start + end < max(at - i, there - j):
            yield LineChange(i + start, at - end, new[j + start : there - end])
        i, j = at, there


def _anchors(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Return the positions of the longest common sequence of lines that are unique in both texts."""
    times, others = Counter(old), Counter(new)
    places = {line: there for there, line in enumerate(new) if others[line] == 1}
    pairs = [(at, places[line]) for at, line in enumerate(old) if times[line] == 1 and line in places]
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for number, (_, there) in enumerate(pairs):
        length = bisect_left(ends, there)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1], last[length : length + 1] = [there], [number]
    found, number = list[tuple[int, int]](), last[-1] if last else -1
    while number >= 0:
        found.append(pairs[number])
        number = before[number]
    return found[::-1]


def _ends(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """Return the numbers of equal lines at the beginning and, without these, at the end."""
    start = _alike(old, new)
    return start, _alike(old[start:][::-1], new[start:][::-1])


def _hunks(found: Iterable[LineChange]) -> Iterator[list[LineChange]]:
    """Yield groups of changes with at most 2 * CONTEXT unchanged lines between them."""
    hunk: list[LineChange] = []
    for change in found:
        if hunk and change.first - hunk[-1].last > 2 * CONTEXT:
            yield hunk
            hunk = []
        hunk.append(change)
    if hunk:
        yield hunk


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


def _hunk_lines(old: Sequence[str], hunk: Sequence[LineChange], shift: int) -> Iterator[str]:
    """Yield the lines of a hunk; the earlier ones added `shift` lines."""
    first, last = max(hunk[0].first - CONTEXT, 0), min(hunk[-1].last + CONTEXT, len(old))
    yield f"@@ -{_range(first, last - first)} +{_range(first + shift, last - first + _growth(hunk))} @@\n"
    at = first
    for change in hunk:
        yield from _signed(" ", old[at : change.first])
        yield from _signed("-", old[change.first : change.last])
        yield from _signed("+", change.lines)
        at = change.last
    yield from _signed(" ", old[at:last])


def _growth(hunk: Sequence[LineChange]) -> int:
    return sum(len(change.lines) - (change.last - change.first) for change in hunk)


def _range(first: int, length: int) -> str:
    return f"{first},0" if length == 0 else f"{first + 1}" if length == 1 else f"{first + 1},{length}"


def _signed(sign: str, lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        yield f"{sign}{line}" if line.endswith("\n") else f"{sign}{line}\n\\ No newline at end of file\n"
