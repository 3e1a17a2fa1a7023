"""Intervals: values with what lies below and above them, from columns of bounds or of errors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from handlers.render.plots.data.frame import Column, ColumnType, Frame
from handlers.render.plots.drawn.column_roles import ColumnRole, find_roles, plain_name, tell_unused
from handlers.render.plots.drawn.left_out import LeftOut, count_words

LOW = ("low", "lower", "lo", "min", "from", "ci low", "lower bound", "ci lower")
HIGH = ("high", "upper", "hi", "max", "to", "ci high", "upper bound", "ci upper")
ERROR = ("error", "err", "±", "+/ ", "sd", "se", "sem", "margin", "uncertainty", "ci")
VALUE = ColumnRole("value", ("value", "mean", "median", "estimate"))
BOUNDS = (VALUE, ColumnRole("low", LOW), ColumnRole("high", HIGH))
ERRORS = (VALUE, ColumnRole("error", ERROR))
MOST_SERIES = 8


@dataclass(frozen=True, slots=True)
class IntervalSeries:
    """A series: its name, its values, and the lower and upper ends of their intervals (None: a gap)."""

    name: str
    values: tuple[float | None, ...]
    lows: tuple[float | None, ...]
    highs: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class IntervalColumns:
    """The columns of a series: its values with their two bounds, or with their error."""

    value: Column
    low: Column | None = None
    high: Column | None = None
    error: Column | None = None

    @property
    def used(self) -> tuple[Column, ...]:
        """The columns that are drawn."""
        return tuple(one for one in (self.value, self.low, self.high, self.error) if one is not None)


def interval_columns(frame: Frame) -> list[IntervalColumns]:
    """The series of a frame: those whose bounds are called by their names, else one by names or order."""
    numbers = [column for column in frame.columns[1:] if column.type is ColumnType.NUMBER]
    named = {plain_name(column.name): column for column in numbers}
    found = [one for column in numbers if (one := _by_names(column, named)) is not None]
    if found:
        return found
    rest = replace(frame, columns=tuple(numbers), heads=())
    for roles in (BOUNDS, ERRORS):
        taken = find_roles(rest, roles)
        if len(taken) == len(roles):
            return [IntervalColumns(**taken)]
    return []


def _by_names(column: Column, named: dict[str, Column]) -> IntervalColumns | None:
    """The bounds that are called as a column is, with a word behind: `north low`, `north high`."""
    own = plain_name(column.name)
    low, high, error = (
        next((named[f"{own} {word}"] for word in words if f"{own} {word}" in named), None)
        for words in (LOW, HIGH, ERROR)
    )
    if low is not None and high is not None:
        return IntervalColumns(column, low, high)
    return IntervalColumns(column, error=error) if error is not None else None


def interval_frame(frame: Frame, out: LeftOut) -> Frame:
    """The axis, and for each series its values with their lower and upper bounds, in this order."""
    found = interval_columns(frame)
    if not found:
        return frame
    tell_unused(frame, [frame.columns[0], *(one for series in found for one in series.used)], out)
    if len(found) > MOST_SERIES:
        out.show(f"{len(found) - MOST_SERIES:,} more series are in the data.")
    columns = [column for one in found[:MOST_SERIES] for column in _bounds(one, out)]
    return replace(frame, columns=(frame.columns[0], *columns), heads=())


def interval_series(frame: Frame) -> list[IntervalSeries]:
    """The series of a frame that `interval_frame` made."""
    columns = frame.columns[1:]
    triples = zip(columns[::3], columns[1::3], columns[2::3], strict=False)
    return [
        IntervalSeries(value.name, value.numbers, low.numbers, high.numbers) for value, low, high in triples
    ]


def _bounds(columns: IntervalColumns, out: LeftOut) -> Iterator[Column]:
    """The values, and their bounds in the order of their sizes."""
    value, error = columns.value, columns.error
    yield value
    if error is not None:
        wrong = sum(one is not None and one < 0 for one in error.numbers)
        if wrong:
            out.show(f'{count_words(wrong, "value")} below 0 in "{error.name[:40]}", and no error.')
        spans = [None if one is None or one < 0 else one for one in error.numbers]
        pairs = list(zip(value.numbers, spans, strict=True))
        lows = [None if a is None or b is None else a - b for a, b in pairs]
        highs = [None if a is None or b is None else a + b for a, b in pairs]
    elif columns.low is not None and columns.high is not None:
        ends = list(zip(columns.low.numbers, columns.high.numbers, strict=True))
        lows = [None if a is None or b is None else min(a, b) for a, b in ends]
        highs = [None if a is None or b is None else max(a, b) for a, b in ends]
    yield _rename(value, "low", lows)
    yield _rename(value, "high", highs)


def _rename(value: Column, word: str, numbers: Sequence[float | None]) -> Column:
    texts = tuple("" if number is None else f"{number:g}" for number in numbers)
    return replace(value, name=f"{value.name} {word}", texts=texts, numbers=tuple(numbers))
