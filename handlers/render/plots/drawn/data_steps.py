"""Steps to what is drawn: each takes a frame and gives one with what its type has no room for left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import replace

from handlers.render.plots.data.frame import Column, ColumnType, Frame
from handlers.render.plots.data.series import sum_by
from handlers.render.plots.drawn.column_roles import tell_unused
from handlers.render.plots.drawn.left_out import LeftOut, count_words, quote_names
from handlers.render.plots.drawn.measured import measure_columns
from handlers.render.plots.drawn.point_series import point_columns, tell_points
from handlers.words.language import say

MOST_SERIES, MOST_COLUMNS = 60, 200
LONGEST_NAME = 240
"""Series that a chart draws, and columns of a heat map."""
MOST_STEPS = 12
"""Columns between which slopes run."""


def names_first(frame: Frame, out: LeftOut) -> Frame:
    """Names that stand behind the only column of numbers are put before it."""
    if frame.series or not frame.columns or frame.columns[0].type is not ColumnType.NUMBER:
        return frame
    heads = frame.heads
    order = [1, 0, *range(2, len(frame.columns))]
    return replace(
        frame,
        columns=tuple(frame.columns[at] for at in order),
        heads=tuple(heads[at] for at in order) if len(heads) == len(order) else (),
    )


def bound_series(frame: Frame, out: LeftOut, most: int = MOST_SERIES) -> Frame:
    """So many series with names of a length that a picture has room for."""
    left = frame.series[most:]
    beyond = {id(column) for column in left}
    kept = [number for number, column in enumerate(frame.columns) if id(column) not in beyond]
    columns = tuple(_cut(frame.columns[number]) for number in kept)
    heads = tuple(frame.heads[number][:LONGEST_NAME] for number in kept) if frame.heads else ()
    if left:
        out.show(series_beyond(len(left)))
        out.tell(f"Not drawn: {quote_names(column.name for column in left)}.")
    return replace(frame, columns=columns, heads=heads)


def series_beyond(count: int) -> str:
    """The sentence about so many series that are not drawn."""
    return say(f"{count:,} more series {'is' if count == 1 else 'are'} in the data.")


def _cut(column: Column) -> Column:
    """A column whose name and words are no longer than names may be."""
    texts = column.texts
    if column.type is ColumnType.TEXT and any(len(text) > LONGEST_NAME for text in texts):
        texts = tuple(text[:LONGEST_NAME] for text in texts)
    return replace(column, name=column.name[:LONGEST_NAME], texts=texts)


def drop_unused(frame: Frame, out: LeftOut) -> Frame:
    """The columns of the axis and of numbers; those of words and dates have no place."""
    kept = (frame.axis, *frame.series) if frame.axis is not None else frame.series
    tell_unused(frame, kept, out)
    return replace(frame, columns=kept, heads=()) if frame.series else frame


def single(frame: Frame, out: LeftOut) -> Frame:
    """The first series that has a value."""
    with_values = [one for one in frame.series if any(value is not None for value in one.numbers)]
    if not with_values:
        return frame
    kept = with_values[0]
    others = [one.name for one in frame.series if one is not kept]
    if others:
        out.show(f'Only the first series, "{kept.name}", is shown.')
        out.tell(f"Not drawn: {quote_names(others)}.")
    return replace(frame, columns=tuple(one for one in (frame.axis, kept) if one is not None), heads=())


def pair(frame: Frame, out: LeftOut) -> Frame:
    """The first two series."""
    return _first_series(frame, 2, out)


def first_columns(frame: Frame, out: LeftOut) -> Frame:
    """As many columns as a picture has room for."""
    return _first_series(frame, MOST_STEPS, out)


def _first_series(frame: Frame, most: int, out: LeftOut) -> Frame:
    others = [one.name for one in frame.series[most:]]
    if not others:
        return frame
    out.show(f"Only the first {most} series are shown, of {len(frame.series)}.")
    out.tell(f"Not drawn: {quote_names(others)}.")
    kept = (frame.axis, *frame.series[:most]) if frame.axis is not None else frame.series[:most]
    return replace(frame, columns=kept, heads=())


def order_rows(frame: Frame, out: LeftOut) -> Frame:
    """The rows along time or numbers in their order, those without a place left out."""
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


def parts(frame: Frame, out: LeftOut) -> Frame:
    """The rows that are parts of a whole: those of a value above 0."""
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
        out.tell(f"Without a share, as 0 or a gap: {quote_names(nothing)}.")
    return frame.of_rows(kept) if kept else frame


def sum_names(frame: Frame, out: LeftOut, *, told: bool = True) -> Frame:
    """One row for each name."""
    return _sum_rows(frame, frame.categories, out, told=told)


def sum_days(frame: Frame, out: LeftOut) -> Frame:
    """One row for each day."""
    days = [moment.date() for moment in frame.moments or ()]
    return _sum_rows(frame, days, out) if days else frame


def sum_places(frame: Frame, out: LeftOut) -> Frame:
    """One row for each place of a stack that runs along days or numbers."""
    places: Sequence[Hashable] = frame.moments or frame.numbers_along or ()
    return _sum_rows(frame, places, out) if places else frame


def _sum_rows(frame: Frame, keys: Sequence[Hashable], out: LeftOut, *, told: bool = True) -> Frame:
    """One row for each key, with a sentence about those that have several."""
    several = sum(count > 1 for count in Counter(keys).values())
    if several and told:
        out.show(f"{count_words(several, 'place', 'has', 'have')} several values, which are added up.")
    return sum_by(frame, keys) if several else frame


def fill_gaps(frame: Frame, out: LeftOut) -> Frame:
    """Gaps of stacked areas as 0, as those above would fall otherwise."""
    if any(None in column.numbers for column in frame.series):
        out.show("Gaps are drawn as 0.")
        return frame.without_gaps()
    return frame


def measure_sets(frame: Frame, out: LeftOut, most: int, *, few_groups: bool = False) -> Frame:
    """The columns of so many sets of numbers, as a distribution takes them."""
    made, used = measure_columns(frame, out, most, few_groups=few_groups)
    tell_unused(frame, used, out)
    return made


def find_points(frame: Frame, out: LeftOut, *, sized: bool) -> Frame:
    """The frame as it is, as points find their columns themselves."""
    columns = point_columns(frame, sized=sized)
    if columns is not None:
        tell_unused(frame, columns.used, out)
        tell_points(frame, columns, out)
    return frame


USUAL = (names_first, bound_series, drop_unused)
"""The steps with which most types begin."""
