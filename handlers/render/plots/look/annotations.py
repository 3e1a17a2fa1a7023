"""Annotations: names of axes, notes at places, lines at values, and bands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from handlers.render.plots.data.figures_written import read_number
from handlers.render.plots.look.data_settings import LONGEST_SHOWN, BadSetting

LONGEST = 80


def read_axis_names(text: str) -> dict[str, str]:
    """Return the names of the axes `x` and `y`. Raises BadSetting."""
    names = dict[str, str]()
    for number, line in enumerate(text.splitlines(), 1):
        axis, _, name = line.strip().partition(" ")
        if not axis:
            continue
        if axis not in ("x", "y"):
            said = line.strip()[:LONGEST_SHOWN]
            raise BadSetting(number, 1, f'"{said}" names no axis: begin with x or y, such as x Month')
        name = " ".join(name.split())
        if len(name) > LONGEST:
            raise BadSetting(number, 3, f"the name of an axis has up to {LONGEST} characters: shorten it")
        names[axis] = name
    return names


MOST = 40
LONGEST_TEXT, LONGEST_PLACE = 120, 120
QUOTES = {'"': '"', "\u201c": "\u201d", "\u201e": "\u201c", "\u00ab": "\u00bb"}
QUOTE = re.compile("[" + "".join(QUOTES) + "]")
AXIS = re.compile(r"(?P<upward>y)(?:\s+|$)|x\s+")
BAND, DASHED = "band", "dashed"
EXAMPLES = '2008-09-15 "Lehman", y 100 "target" or 2008-01..2009-06 "recession"'


@dataclass(frozen=True, slots=True)
class Annotation:
    """A note at a place, or a band from one place to another (`end`), with an optional text.

    Places are words as written; with `upward` they are numbers on the value axis. With `dashed`, lines are
    dashed from the place on.
    """

    line: int
    start: str
    end: str = ""
    text: str = ""
    upward: bool = False
    dashed: bool = False

    @property
    def places(self) -> str:
        """The places as they were written."""
        if self.dashed:
            return f"dashed from {self.start}"
        return f"{self.start} to {self.end}" if self.end else self.start

    @property
    def sentence(self) -> str:
        """The places and the words."""
        return f"{self.places}: {self.text}" if self.text else self.places

    @property
    def values(self) -> tuple[float, ...]:
        """The numbers of its places if it is `upward`, else empty."""
        found = (read_number(place) for place in (self.start, self.end) if place)
        return tuple(value for value in found if value is not None) if self.upward else ()


def read_annotations(text: str) -> tuple[Annotation, ...]:
    """Return the annotations of `notes`, one for each line. Raises BadSetting."""
    return tuple(_annotations(text))


def known_annotations(text: str) -> tuple[tuple[Annotation, ...], tuple[str, ...]]:
    """Return the annotations up to the first invalid line, and a sentence about that line."""
    found = list[Annotation]()
    try:
        found.extend(_annotations(text))
    except BadSetting as wrong:
        where = f"line {wrong.line}, column {wrong.column}"
        return tuple(found), (f"config/notes: {where}: {wrong.reason}",)
    return tuple(found), ()


def _annotations(text: str) -> Iterator[Annotation]:
    count = 0
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        count += 1
        if count > MOST:
            raise BadSetting(number, 1, f"a plot has up to {MOST} notes: leave some out")
        yield _annotation(number, line)


def _annotation(number: int, line: str) -> Annotation:
    opened = QUOTE.search(line)
    head = line[: opened.start()] if opened else line
    words = _read_words(number, line, opened.start()) if opened else ""
    start = len(head) - len(head.lstrip())
    axis = AXIS.match(head, start)
    upward, after = (axis["upward"] is not None, axis.end()) if axis else (False, start)
    places, dashed = _without(DASHED, head[after:].strip())
    places, _ = _without(BAND, places)
    if not places:
        raise BadSetting(number, start + 1, f"a note begins with its place: write {EXAMPLES}")
    if len(places) > LONGEST_PLACE:
        raise BadSetting(number, after + 1, f"a place has up to {LONGEST_PLACE} characters")
    first, dots, last = (part.strip() for part in places.partition(".."))
    if dashed and dots:
        if upward or last or not first:
            raise BadSetting(number, after + 1, "lines are dashed from one place on: write 2008-01.. dashed")
        return Annotation(number, first, text=words, dashed=True)
    if dashed:
        first = head[after:].strip()  # the name of a row may contain the word
    if dots and not (first and last):
        raise BadSetting(number, after + 1, "a band has two ends: write 2008-01..2009-06")
    if not dots and _without(BAND, head.rstrip())[1]:
        raise BadSetting(number, after + 1, "a band has two ends with two dots between: 2008-01..2009-06")
    if upward:
        _check_values(number, after + 1, first, last)
    return Annotation(number, first, last, words, upward)


def _without(word: str, places: str) -> tuple[str, bool]:
    """Return positions without a word at their end, and whether it was there."""
    before = places.removesuffix(word)
    is_word = before != places and not (before[-1:].isalnum() or before.endswith("_"))
    return (before.rstrip() if is_word else places), is_word


def _check_values(number: int, column: int, first: str, last: str) -> None:
    """Raise BadSetting unless the positions on the value axis are numbers, the lower first."""
    values = [read_number(place) for place in (first, last) if place]
    if None in values:
        wrong = first if values[0] is None else last
        raise BadSetting(
            number, column, f'"{wrong[:LONGEST_SHOWN]}" is no number: write one, such as y 100 "target"'
        )
    if len(values) > 1 and values[0] >= values[1]:  # type: ignore[operator]
        raise BadSetting(number, column, f"a band goes up from its lower end: write y {last}..{first}")


def _read_words(number: int, line: str, at: int) -> str:
    """Return the quoted words, which must end the line."""
    close = QUOTES[line[at]]
    end = line.find(close, at + 1)
    if end < 0:
        raise BadSetting(number, at + 1, f"the words are not closed: write {close} after them")
    if line[end + 1 :].strip():
        raise BadSetting(number, end + 2, "a note ends with its words: write the rest on another line")
    words = " ".join(line[at + 1 : end].split())
    if len(words) > LONGEST_TEXT:
        raise BadSetting(number, at + 2, f"a note has up to {LONGEST_TEXT} characters: shorten it")
    return words
