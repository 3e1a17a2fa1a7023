"""Data as a type draws them: its steps, sorted rows, and sentences about everything that is left out."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

from handlers.render.plots.data.frame import Column, ColumnType, Frame, pick_rows
from handlers.render.plots.data.numbers import quantile
from handlers.render.plots.data.series import NO_NAME, RowOrder, sort_by, sort_rows, sort_sets, sum_by
from handlers.render.plots.drawn.column_roles import log_unused
from handlers.render.plots.drawn.left_out import LeftOut, count_words, quote_names
from handlers.render.plots.drawn.point_series import point_columns, tell_points
from handlers.render.plots.look.data_settings import LINE, STACK, DataSettings
from handlers.render.plots.plot_type import PlotType
from handlers.words.language import say

MOST_PANELS, MOST_BOXES = 4, 60


def measure_sets(frame: Frame, out: LeftOut, most: int, *, few_groups: bool = False) -> Frame:
    """Return the columns of at most a number of sets of numbers, for a distribution."""
    numbers = [
        column
        for column in frame.columns
        if column.type is ColumnType.NUMBER and any(value is not None for value in column.numbers)
    ]
    if not numbers:
        return frame
    groups = most if few_groups else 0
    first = frame.columns[0]
    if len(numbers) == 1 and first.type is not ColumnType.NUMBER and _are_groups(first, numbers[0], groups):
        sets, used, name = _groups(first, numbers[0]), [first, numbers[0]], numbers[0].name
    else:
        sets, used, name = numbers, numbers, ""
    beyond = [column.name for column in sets[most:]]
    if beyond:
        out.show(f"{count_words(len(beyond), 'more set')} in the data.")
        out.log(f"Not drawn: {quote_names(beyond)}.")
    log_unused(frame, used, out)
    return _frame_of(frame, sets[:most], name)


def _are_groups(names: Column, numbers: Column, most: int) -> bool:
    """Return whether names repeat; with `most`, there must also be 2 to `most` different ones."""
    known = {name for name, value in zip(names.texts, numbers.numbers, strict=True) if value is not None}
    rows = sum(value is not None for value in numbers.numbers)
    return len(known) < rows and (not most or 1 < len(known) <= most)


def _groups(names: Column, numbers: Column) -> list[Column]:
    """Return a column for each name, with the numbers of its rows."""
    sets: dict[str, list[float]] = {}
    for name, value in zip(names.texts, numbers.numbers, strict=True):
        if value is not None:
            sets.setdefault(name, []).append(value)
    return [numbers.with_numbers(values, name=name or NO_NAME) for name, values in sets.items()]


def _frame_of(frame: Frame, sets: Sequence[Column], name: str) -> Frame:
    """Return the sets side by side, shorter ones with gaps at the end; `name` is their common quantity."""
    height = max(map(len, sets))
    rows = Column(name, ColumnType.TEXT, tuple(str(row + 1) for row in range(height)))
    filled = (pick_rows(one, [row if row < len(one) else None for row in range(height)]) for one in sets)
    return Frame((rows, *filled), frame.rejected, frame.delimiter)


def sets_of(frame: Frame) -> list[tuple[str, list[float]]]:
    """Return the sets with values, each with its name and its sorted values."""
    sets = ((one.name, sorted(v for v in one.numbers if v is not None)) for one in frame.series)
    return [(name, values) for name, values in sets if values]


LONGEST_NAME = 240
MOST_SERIES, MOST_COLUMNS = 60, 200
"""Most series of a chart, and columns of a heat map."""


def names_first(frame: Frame, out: LeftOut) -> Frame:
    """Return the frame with names before its only column of numbers."""
    if frame.series or not frame.columns or frame.columns[0].type is not ColumnType.NUMBER:
        return frame
    order = [1, 0, *range(2, len(frame.columns))]
    heads = tuple(frame.heads[at] for at in order) if frame.heads else ()
    return replace(frame, columns=tuple(frame.columns[at] for at in order), heads=heads)


def bound_series(frame: Frame, out: LeftOut, most: int = MOST_SERIES) -> Frame:
    """Return at most a number of series, with names short enough for a picture."""
    left = frame.series[most:]
    beyond = {id(column) for column in left}
    kept = [number for number, column in enumerate(frame.columns) if id(column) not in beyond]
    columns = tuple(_cut(frame.columns[number]) for number in kept)
    heads = tuple(frame.heads[number][:LONGEST_NAME] for number in kept) if frame.heads else ()
    if left:
        out.show(series_beyond(len(left)))
        out.log(f"Not drawn: {quote_names(column.name for column in left)}.")
    return replace(frame, columns=columns, heads=heads)


def series_beyond(count: int) -> str:
    """Return the sentence about the series that are not drawn."""
    return say(f"{count:,} more series {'is' if count == 1 else 'are'} in the data.")


def _cut(column: Column) -> Column:
    """Return a column with a cut name and cut words."""
    texts = column.texts
    if column.type is ColumnType.TEXT and any(len(text) > LONGEST_NAME for text in texts):
        texts = tuple(text[:LONGEST_NAME] for text in texts)
    return replace(column, name=column.name[:LONGEST_NAME], texts=texts)


def drop_unused(frame: Frame, out: LeftOut) -> Frame:
    """Return the columns of the axis and of numbers; others are noted."""
    kept = (frame.axis, *frame.series) if frame.axis is not None else frame.series
    log_unused(frame, kept, out)
    return frame.of_columns(*kept) if frame.series else frame


def single(frame: Frame, out: LeftOut) -> Frame:
    """Return the first series that has a value."""
    with_values = [one for one in frame.series if any(value is not None for value in one.numbers)]
    if not with_values:
        return frame
    kept = with_values[0]
    others = [one.name for one in frame.series if one is not kept]
    if others:
        out.show(f'Only the first series, "{kept.name}", is shown.')
        out.log(f"Not drawn: {quote_names(others)}.")
    return frame.of_columns(*(one for one in (frame.axis, kept) if one is not None))


def first_series(frame: Frame, out: LeftOut, *, most: int) -> Frame:
    """Return at most a number of series, the first ones."""
    others = [one.name for one in frame.series[most:]]
    if not others:
        return frame
    out.show(f"Only the first {most} series are shown, of {len(frame.series)}.")
    out.log(f"Not drawn: {quote_names(others)}.")
    kept = (frame.axis, *frame.series[:most]) if frame.axis is not None else frame.series[:most]
    return frame.of_columns(*kept)


def order_rows(frame: Frame, out: LeftOut) -> Frame:
    """Return the rows sorted along time or numbers; rows without a position are dropped."""
    axis = frame.axis
    if axis is None or axis.type is ColumnType.TEXT:
        return frame
    places: Sequence[object] = axis.dates or axis.numbers
    kept = [row for row, place in enumerate(places) if place is not None]
    if 0 < len(kept) < frame.height:
        lost, is_date = frame.height - len(kept), axis.type is ColumnType.DATE
        out.show(f"{count_words(lost, 'row')} left out: no {'date' if is_date else 'number'}.")
        frame = frame.of_rows(kept)
    return frame.sorted_along()


def positive_parts(frame: Frame, out: LeftOut, *, lack: str = "a share") -> Frame:
    """Return the rows that are parts of a whole: those with a value above 0."""
    if not frame.series:
        return frame
    numbers = frame.series[0].numbers
    kept = [row for row, value in enumerate(numbers) if value is not None and value > 0]
    negative = sum(value is not None and value < 0 for value in numbers)
    if negative:
        out.show(f"{negative:,} negative {'value is' if negative == 1 else 'values are'} left out.")
    names = frame.categories
    nothing = [names[row] for row, value in enumerate(numbers) if value is None or value == 0]
    if nothing:
        out.log(f"Without {lack}, as 0 or a gap: {quote_names(nothing)}.")
    return frame.of_rows(kept) if kept else frame


def sum_names(frame: Frame, out: LeftOut, *, logged: bool = True) -> Frame:
    """Return one row for each name."""
    return _sum_rows(frame, frame.categories, out, logged=logged)


def sum_days(frame: Frame, out: LeftOut) -> Frame:
    """Return one row for each day."""
    days = [moment.date() for moment in frame.moments or ()]
    return _sum_rows(frame, days, out) if days else frame


def sum_places(frame: Frame, out: LeftOut) -> Frame:
    """Return one row for each position of a stack along days or numbers."""
    return _sum_rows(frame, frame.positions, out) if frame.positions else frame


def _sum_rows(frame: Frame, keys: Sequence[Hashable], out: LeftOut, *, logged: bool = True) -> Frame:
    """Return one row for each key, with a sentence about repeated keys."""
    several = sum(count > 1 for count in Counter(keys).values())
    if several and logged:
        out.show(f"{count_words(several, 'place', 'has', 'have')} several values, which are added up.")
    return sum_by(frame, keys) if several else frame


def fill_gaps(frame: Frame, out: LeftOut) -> Frame:
    """Return the frame with 0 for gaps of stacked areas, because areas above would drop otherwise."""
    if any(None in column.numbers for column in frame.series):
        out.show("Gaps are drawn as 0.")
        return frame.without_gaps()
    return frame


def find_points(frame: Frame, out: LeftOut, *, sized: bool) -> Frame:
    """Return the frame unchanged, and note what is left out; points find their own columns."""
    columns = point_columns(frame, sized=sized)
    if columns is not None:
        log_unused(frame, columns.used, out)
        tell_points(columns, out)
    return frame


USUAL = (names_first, bound_series, drop_unused)
"""The steps with which most types begin."""


UNSET = DataSettings()


@dataclass(frozen=True, slots=True)
class DrawnData:
    """The frame that a type draws. Sentences of `logged` are in the log, of `shown` also in the picture.

    With `shares`, values are shares of their rows, 0 to 1; `lines` are drawn over the chart.
    """

    frame: Frame
    logged: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    shares: bool = False
    lines: tuple[Column, ...] = ()


def drawn_data(kind: PlotType, frame: Frame, settings: DataSettings = UNSET) -> DrawnData:
    """Return the part of a frame that a type of plots draws, by its settings; tables draw all of it."""
    if kind.table or not frame.height:
        return DrawnData(frame)
    out = LeftOut()
    for step in kind.steps:
        frame = step(frame, out)
    frame = _sort(kind, frame, settings.order)
    taken = settings.lines and "combo" in kind.reads
    frame, lines = _take_lines(frame, settings.lines, out) if taken else (frame, ())
    frame, shares = _share(kind, frame, out) if settings.shares and kind.stacked else (frame, False)
    return DrawnData(frame, tuple(out.logged), tuple(out.shown), shares, lines)


def _take_lines(frame: Frame, names: Sequence[str], out: LeftOut) -> tuple[Frame, tuple[Column, ...]]:
    """Return the frame without the series that are drawn as lines over its bars, and these series."""
    wanted = {name.casefold() for name in names}
    lines = tuple(column for column in frame.series if column.name.casefold() in wanted)
    known = {column.name.casefold() for column in lines}
    lost = [name for name in names if name.casefold() not in known]
    if lost:
        first = quote_names([column.name for column in frame.series[:5]]) if frame.series else "none"
        out.log(f"{LINE}: {quote_names(lost)} is no series here: the first are {first}")
    if not lines or len(lines) == len(frame.series):
        if lines:
            out.log(f"{LINE}: bars need at least one series: name fewer lines")
        return frame, ()
    taken = {id(column) for column in lines}
    kept = tuple(column for column in frame.columns if id(column) not in taken)
    return frame.of_columns(*kept), lines


def _sort(kind: PlotType, frame: Frame, order: RowOrder) -> Frame:
    """Return the rows, sets or tasks in the configured order, if the type allows one."""
    if order is RowOrder.DATA or kind.sorted in ("rows", "sums"):
        return sort_rows(frame, order, summed=kind.sorted == "sums")
    if kind.sorted == "sets":
        return sort_sets(frame, order, _middle)
    starts = kind.starts(frame) if kind.starts is not None else None
    if starts is None:
        return frame
    by_name = order is RowOrder.NAME
    return sort_rows(frame, order, summed=False) if by_name else sort_by(frame, order, starts)


def _middle(column: Column) -> float | None:
    """Return the median of a set."""
    known = sorted(value for value in column.numbers if value is not None)
    return quantile(known, 0.5) if known else None


def _share(kind: PlotType, frame: Frame, out: LeftOut) -> tuple[Frame, bool]:
    """Return shares of the rows of a stack, and whether there are any."""
    reason = ""
    if len(frame.series) < 2:
        reason = "shares need two series or more"
    elif any((value or 0) < 0 for column in frame.series for value in column.numbers):
        reason = "shares need values of 0 and above: sums are drawn"
    if reason:
        out.log(f"{STACK}: {reason}")
        return frame, False
    frame, blank = share_rows(frame)
    if blank:
        out.show(f"{count_words(blank, 'row')} left blank: nothing to share.")
    return (frame.without_gaps() if kind.line else frame), True


def share_rows(frame: Frame) -> tuple[Frame, int]:
    """Return the frame with shares of rows as values, and the number of rows without a positive value.

    Values are 0 or above.
    """
    wholes = [math.fsum(column.numbers[row] or 0.0 for column in frame.series) for row in range(frame.height)]
    series = {id(column) for column in frame.series}
    columns = tuple(_shares(column, wholes) if id(column) in series else column for column in frame.columns)
    return replace(frame, columns=columns), sum(not whole for whole in wholes)


def _shares(column: Column, wholes: list[float]) -> Column:
    pairs = zip(column.numbers, wholes, strict=True)
    shares = (None if value is None or not whole else value / whole for value, whole in pairs)
    return column.with_numbers(shares, unit="")
