"""Series of a frame: sorted, thinned, stacked, summed, as bars, split into panels, and with trends."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from statistics import correlation, linear_regression

from handlers.render.plots.data.frame import Column, Frame, common_unit, pick_rows
from handlers.words.language import say

Point = tuple[float, float | None]


def spread_rows(count: int, most: int) -> list[int]:
    """Return about `most` of the row numbers, evenly spread, always with the last."""
    step = max(1, math.ceil(count / most))
    return sorted({*range(0, count, step), *range(count - 1, count)})


def runs(points: Iterable[Point]) -> Iterator[list[tuple[float, float]]]:
    """Yield the runs of points between gaps."""
    for known, some in itertools.groupby(points, key=lambda point: point[1] is not None):
        if known:
            yield [(at, value) for at, value in some if value is not None]


def thin(points: Sequence[Point], most: int) -> list[Point]:
    """Return the smallest and the largest point of each stretch, and the gaps: the shape of a long line."""
    if len(points) <= most:
        return list(points)
    size = len(points) / (most / 2)
    kept: list[Point] = []
    for index in range(math.ceil(len(points) / size)):
        stretch = points[int(index * size) : max(int(index * size) + 1, int((index + 1) * size))]
        present = [(value, at) for at, value in stretch if value is not None]
        if len(present) < len(stretch):
            kept.append(next(point for point in stretch if point[1] is None))
        if present:
            kept += [(at, value) for value, at in {min(present), max(present)}]
    return sorted(kept, key=lambda point: point[0])


@dataclass(frozen=True, slots=True)
class Band:
    """The part of a series on one side of zero: for each place the end of its band and its base."""

    series: int
    upward: bool
    places: tuple[float, ...]
    ends: tuple[float, ...]
    bases: tuple[float, ...]


def stack_bands(
    places: Sequence[float], series: Sequence[Sequence[float]], *, log: bool = False
) -> list[Band]:
    """Return the bands of series.

    If one crosses zero, the crossings are added, so that no band covers another.
    """
    rows = list(_with_crossings(places, list(zip(*series, strict=True)), log=log))
    kept = tuple(place for place, _ in rows)
    bands = []
    for upward in (True, False):
        bases = [0.0] * len(rows)
        for number in range(len(series)):
            values = [row[number] for _, row in rows]
            if not upward and all(value >= 0 for value in values):
                continue
            if upward and all(value <= 0 for value in values) and any(values):
                continue
            parts = [max(0.0, value) if upward else min(0.0, value) for value in values]
            ends = [base + part for base, part in zip(bases, parts, strict=True)]
            bands.append(Band(number, upward, kept, tuple(ends), tuple(bases)))
            bases = ends
    return bands


def _with_crossings(
    places: Sequence[float], rows: Sequence[Sequence[float]], *, log: bool
) -> Iterator[tuple[float, tuple[float, ...]]]:
    """Return the rows, with the places between them where a series is zero."""
    for (place, row), (after, other) in itertools.pairwise(zip(places, rows, strict=True)):
        yield place, tuple(row)
        shares = {a / (a - b): at for at, (a, b) in enumerate(zip(row, other, strict=True)) if a * b < 0}
        for share, zero in sorted(shares.items()):
            between = [a + (b - a) * share for a, b in zip(row, other, strict=True)]
            between[zero] = 0.0
            yield _between(place, after, share, log=log), tuple(between)
    if rows:
        yield places[-1], tuple(rows[-1])


def _between(low: float, high: float, share: float, *, log: bool) -> float:
    if log:
        return math.exp(math.log(low) + (math.log(high) - math.log(low)) * share)
    return low + (high - low) * share


LEFT_OVER = re.compile(r"(?:all |\d+ )?(?:others?|the rest|rest)", re.IGNORECASE)
"""Names of rows that sum up everything that has no row."""


class RowOrder(StrEnum):
    """Sort orders of rows."""

    DATA = "data"
    NAME = "name"
    UP = "value up"
    DOWN = "value down"


def sort_rows(frame: Frame, order: RowOrder, *, summed: bool) -> Frame:
    """Return the rows in an order; their value is their sum if `summed`, else that of the first series.

    Equal rows keep their order; those without a value, and "Other", come last.
    """
    by_name = order is RowOrder.NAME
    if order is RowOrder.DATA or frame.height < 2 or not (by_name or frame.series):
        return frame
    if by_name:
        names = [name.casefold() for name in frame.categories]
        frame = frame.sorted_along() if frame.positions else frame.sorted_by(names)
    else:
        sizes = [sum_known(row) for row in frame.number_rows] if summed else frame.series[0].numbers
        frame = sort_by(frame, order, sizes)
    return frame.sorted_by([is_left_over(name) for name in frame.categories])


def sort_sets(frame: Frame, order: RowOrder, middle: Callable[[Column], float | None]) -> Frame:
    """Return the series in an order; the value of each is computed by `middle`."""
    if order is RowOrder.DATA or frame.axis is None or len(frame.series) < 2:
        return frame
    sign = -1.0 if order is RowOrder.DOWN else 1.0

    def place(column: Column) -> tuple[bool, float, str]:
        if order is RowOrder.NAME:
            return is_left_over(column.name), 0.0, column.name.casefold()
        size = middle(column)
        return is_left_over(column.name), math.inf if size is None else sign * size, ""

    return frame.of_columns(frame.axis, *sorted(frame.series, key=place))


def sort_by(frame: Frame, order: RowOrder, sizes: Sequence[float | None]) -> Frame:
    """Return the rows sorted by sizes, those without a size last."""
    sign = -1.0 if order is RowOrder.DOWN else 1.0
    return frame.sorted_by([math.inf if size is None else sign * size for size in sizes])


def is_left_over(name: str) -> bool:
    """Return whether a name is that of a row such as "Other" or "Rest"."""
    return LEFT_OVER.fullmatch(name.strip()) is not None


def sum_known(numbers: Iterable[float | None]) -> float | None:
    """Return the sum of the numbers that are not gaps; None without any."""
    known = [number for number in numbers if number is not None]
    return math.fsum(known) if known else None


@dataclass(frozen=True, slots=True)
class BarPart:
    """A bar or a part of one: its row, its series, its value, and where it begins."""

    row: int
    series: int
    value: float
    base: float = 0.0


def parts_of_bars(frame: Frame, *, stacked: bool, outward: bool = False) -> list[BarPart]:
    """Return a bar for every value; in stacks, values below zero are stacked downwards.

    With `outward`, the first series is the farthest from zero in stacks below zero.
    """
    given = [
        BarPart(row, order, value)
        for order, column in enumerate(frame.series)
        for row, value in enumerate(column.numbers)
        if value is not None
    ]
    if not stacked:
        return given
    ends = {True: [0.0] * frame.height, False: [0.0] * frame.height}
    parts = list[BarPart]()
    for one in sorted(given, key=lambda one: -one.series if outward and one.value < 0 else one.series):
        side = ends[one.value >= 0]
        parts.append(replace(one, base=side[one.row]))
        side[one.row] += one.value
    return parts


def totals(frame: Frame) -> list[float]:
    """Return the ends of the stacks, upward and downward."""
    ends = [0.0]
    for row in frame.number_rows:
        values = [value or 0.0 for value in row]
        ends += [sum(value for value in values if value > 0), sum(value for value in values if value < 0)]
    return ends


def join_smallest(frame: Frame, most: int, stays: Callable[[str], bool]) -> tuple[Frame, tuple[str, ...]]:
    """Return the frame with `most` series, the last the sum of the smallest, and the names of those summed.

    Series whose name `stays` are not summed. Nothing is summed if some of the smallest are below zero.
    """
    sizes = {
        at: math.fsum(abs(value or 0.0) for value in column.numbers)
        for at, column in enumerate(frame.series)
        if not stays(column.name)
    }
    few = max(0, most - len(frame.series) + len(sizes))
    rest = set(sorted(sizes, key=lambda at: (is_left_over(frame.series[at].name), -sizes[at]))[few:])
    small = [column for at, column in enumerate(frame.series) if at in rest]
    if len(small) < 2 or any((value or 0.0) < 0 for column in small for value in column.numbers):
        return frame, ()
    numbers = map(sum_known, zip(*(column.numbers for column in small), strict=True))
    name = f"{say('Other')} ({len(small)})"
    other = small[0].with_numbers(numbers, name=name, unit=common_unit(small))
    named = {id(column) for column in small}
    columns = (*(column for column in frame.columns if id(column) not in named), other)
    return frame.of_columns(*columns), tuple(column.name for column in small)


def stack_sums(frame: Frame) -> list[tuple[float, float | None]]:
    """Return each stack's upper end and the sum of its values, None if it has none."""
    return [(math.fsum(max(0.0, one or 0.0) for one in row), sum_known(row)) for row in frame.number_rows]


def sum_by(frame: Frame, keys: Sequence[Hashable]) -> Frame:
    """Return the frame with one row for each key, which holds the sums and the first place of its rows."""
    if frame.axis is None or len(set(keys)) == frame.height:
        return frame
    places: dict[Hashable, list[int]] = {}
    for row, key in enumerate(keys):
        places.setdefault(key, []).append(row)
    kept = Frame((frame.axis,)).of_rows([rows[0] for rows in places.values()]).columns[0]
    summed = (
        column.with_numbers(sum_known(column.numbers[row] for row in rows) for rows in places.values())
        for column in frame.series
    )
    return frame.of_columns(kept, *summed)


BY_SERIES = "series"
NO_NAME = "no name"
MOST_ALIGNED = 400


def split_column(frame: Frame, name: str) -> Column | None:
    """Return the column to split a frame by, never the first one; None if no other column has that name."""
    wanted = " ".join(name.split()).casefold()
    return next((one for one in frame.columns[1:] if one.name.casefold() == wanted), None)


def by_series(frame: Frame, most: int) -> tuple[list[tuple[str, Frame]], list[str]]:
    """Return a frame for each of `most` series, and the names of the others."""
    series = {id(column) for column in frame.series}
    groups = [
        (one.name, replace(frame, columns=tuple(c for c in frame.columns if c is one or id(c) not in series)))
        for one in frame.series[:most]
    ]
    return groups, [one.name for one in frame.series[most:]]


def by_column(frame: Frame, column: Column, most: int) -> tuple[list[tuple[str, Frame]], list[str]]:
    """Return a frame for each of the first words of a column in their order, and the other words."""
    rest = without_column(frame, column)
    rows: dict[str, list[int]] = {}
    for row, text in enumerate(column.texts):
        rows.setdefault(text.strip() or NO_NAME, []).append(row)
    groups = [(name, rest.of_rows(places)) for name, places in list(rows.items())[:most]]
    return groups, list(rows)[most:]


def without_column(frame: Frame, column: Column) -> Frame:
    """Return the frame without a column."""
    return frame.of_columns(*(one for one in frame.columns if one is not column))


def align_rows(frames: Sequence[Frame]) -> list[Frame]:
    """Return the frames, each with the rows of all of them, matched by name.

    They are unchanged if a name is not unique in one of them, or if all rows together are too many.
    """
    if not all(frame.axis and len(set(frame.categories)) == frame.height for frame in frames):
        return list(frames)
    firsts: dict[str, tuple[Frame, int]] = {}
    for frame in frames:
        for row, name in enumerate(frame.categories):
            firsts.setdefault(name, (frame, row))
    if len(firsts) > MOST_ALIGNED:
        return list(frames)
    return [_with_rows(frame, firsts) for frame in frames]


def _with_rows(frame: Frame, firsts: dict[str, tuple[Frame, int]]) -> Frame:
    """Return the frame with a row for each name; the axis value is from the name's first occurrence."""
    own = {name: row for row, name in enumerate(frame.categories)}
    cells = [pick_rows(source.columns[0], [row]) for source, row in firsts.values()]
    axis = replace(
        frame.columns[0],
        texts=tuple(cell.texts[0] for cell in cells),
        numbers=tuple(cell.numbers[0] for cell in cells) if frame.columns[0].numbers else (),
        dates=tuple(cell.dates[0] for cell in cells) if frame.columns[0].dates else (),
    )
    rows = [own.get(name) for name in firsts]
    return replace(frame, columns=(axis, *(pick_rows(column, rows) for column in frame.columns[1:])))


LEAST_OF_TREND = 3
"""Least number of values for a trend, as a line fits any two values exactly."""
Spot = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Trend:
    """The trend line of a series (by its number) from its first to its last place; `fit` is R²."""

    name: str
    series: int
    start: Spot
    end: Spot
    fit: float


def trend_of(name: str, series: int, spots: Iterable[Spot], logs: tuple[bool, bool]) -> Trend | None:
    """Return the trend of places and values; axes may be logarithmic.

    None for fewer than three values, or if all are at one place.
    """
    along, upward = (math.log if log else float for log in logs)
    moved = [(along(x), upward(y)) for x, y in spots if (x > 0 or not logs[0]) and (y > 0 or not logs[1])]
    if len({x for x, _ in moved}) < 2 or len(moved) < LEAST_OF_TREND:
        return None
    low, high = min(x for x, _ in moved), max(x for x, _ in moved)
    # The square of a number above about 1e150 is not a finite float.
    wide = high - low
    tall = max(abs(y) for _, y in moved) or 1.0
    scaled = [(x - low) / wide for x, _ in moved], [y / tall for _, y in moved]
    slope, level = linear_regression(*scaled)
    fit = correlation(*scaled) ** 2 if len(set(scaled[1])) > 1 else 1.0
    ends = (level * tall, (level + slope) * tall)
    back_along, back_upward = (math.exp if log else float for log in logs)
    start, end = ((back_along(x), back_upward(y)) for x, y in zip((low, high), ends, strict=True))
    return Trend(name, series, start, end, fit)
