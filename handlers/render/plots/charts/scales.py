"""Scales of a drawn chart: the pixels of values, and of places along it, for what is set on the chart."""

from __future__ import annotations

import itertools
import math
from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial

from handlers.render.plots.charts.calendar_ticks import at_of
from handlers.render.plots.charts.value_axis import Box, ValueAxis
from handlers.render.plots.data.dates_written import milliseconds, read_date
from handlers.render.plots.data.figures_written import read_number
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.look.annotations import Annotation

Across = Callable[[str], tuple[float, float] | None]
"""Finds a place by its words: the pixels from the left at which it begins and ends; None where it is none."""


@dataclass(frozen=True, slots=True)
class Scales:
    """The box of the marks in pixels, and where in it a value and a place along the chart are.

    `upward` gives pixels from the top, or from the left where bars are `lying`. `named` tells that the axes
    have their names already. `at` gives pixels from the left of places that are numbers. `left` and `top` are
    those of the box in the chart.
    """

    width: float
    height: float
    upward: Callable[[float], float]
    across: Across
    lying: bool = False
    named: bool = False
    at: Callable[[float], float] | None = None
    left: float = 0.0
    top: float = 0.0

    def y(self, value: float) -> float:
        """Return the pixels of a value from the top of the chart."""
        return self.top + self.upward(value)


def rows_across(frame: Frame, width: float) -> Across:
    """The places of rows that stand side by side: by their names, or by days between them."""
    step = width / max(1, frame.height)
    rows = {name.strip().casefold(): row for row, name in reversed(list(enumerate(frame.categories)))}
    moments = [at_of(moment) for moment in frame.moments or ()]
    ordered = all(a <= b for a, b in itertools.pairwise(moments))

    def across(words: str) -> tuple[float, float] | None:
        row = rows.get(words.strip().casefold())
        moment = read_date(words) if row is None and moments and ordered else None
        if moment is not None:
            row = bisect_right(moments, milliseconds(moment)) - 1
        return None if row is None or row < 0 else (row * step, (row + 1) * step)

    return across


def pixels_along(ends: tuple[float, float], width: float, *, log: bool) -> Callable[[float], float]:
    """The pixels from the left of places between two ends: moments, numbers, or those of rows."""
    low, high = ends

    def at(place: float) -> float:
        share = math.log(place / low) / math.log(high / low) if log else (place - low) / (high - low)
        return share * width

    return at


def along_line(frame: Frame, ends: tuple[float, float], width: float, *, log: bool) -> Across:
    """The places along a line of days, of numbers, or of names one step apart."""
    (low, high), at = ends, pixels_along(ends, width, log=log)
    names = {name.strip().casefold(): row for row, name in reversed(list(enumerate(frame.categories)))}
    by_day, by_number = frame.moments is not None, frame.numbers_along is not None

    def place_of(words: str) -> float | None:
        if by_day:
            moment = read_date(words)
            return None if moment is None else float(milliseconds(moment))
        if by_number:
            return read_number(words)
        row = names.get(words.strip().casefold())
        return None if row is None else float(row)

    def across(words: str) -> tuple[float, float] | None:
        place = place_of(words)
        if place is None or not low <= place <= high:
            return None
        return at(place), at(place)

    return across


def crossed_axes(across: ValueAxis, box: Box) -> Scales:
    """Return the places of numbers on two axes, that of a box and one along it."""
    width, (low, high) = box.width, across.domain

    def place_across(words: str) -> tuple[float, float] | None:
        place = read_number(words)
        if place is None or not low <= place <= high:
            return None
        at = across.position(place, width)
        return at, at

    at = partial(across.position, length=width)
    return replace(scales_of(box, place_across), named=True, at=at)


def scales_of(box: Box, across: Across) -> Scales:
    """Return the scales of a box over places along it."""
    return Scales(
        box.width, box.height, lambda value: box.y(value) - box.top, across, left=box.left, top=box.top
    )


def dashed_from(across: Across, notes: Iterable[Annotation]) -> float:
    """Return the pixel of the box from which lines are dashed; infinity where no note says so."""
    spans = [across(note.start) for note in notes if note.dashed]
    return min((span[0] for span in spans if span is not None), default=math.inf)
