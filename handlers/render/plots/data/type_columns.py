"""Columns as the type of a plot needs them: years as numbers, days that a calendar has, and units."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

from handlers.render.plots.data.dates_written import YEAR
from handlers.render.plots.data.frame import Column, ColumnType, Frame
from handlers.render.plots.data.numbers import AS_YEARS, unit_words
from handlers.render.plots.data.table_text import read_frame
from handlers.render.plots.plot_type import PlotType, type_of
from handlers.words.plot import Plot

YEAR_NAMES = ("year", "jahr", "date", "datum", "année", "annee", "año", "anno", "time", "season", "vintage")
YEARLY = re.compile(r"\b(?:year|jahr|ann[ée]e|año|anno|vintage)\b", re.IGNORECASE)
FIRST_YEAR, LAST_YEAR = 1500, 2199
SEVERAL_UNITS = "the series have several units"
WHOLE_WEEKS = range(2, 9_999)
"""Years of which every week can be counted to its ends."""


def plot_frame(plot: Plot) -> Frame:
    """The data of a plot, read as its type needs them. Raises TooManyCells."""
    return as_type_reads(read_frame(plot.data), type_of(plot.type))


def as_type_reads(frame: Frame, kind: PlotType) -> Frame:
    """The same rows with columns as a type of plots needs them, and sentences about what that changes."""
    if kind.years == "always" or (kind.years == "unless" and not _are_years(frame)):
        frame = replace(frame, columns=tuple(_as_numbers(column) for column in frame.columns))
    if not kind.table:
        frame = replace(frame, columns=tuple(map(_of_years, frame.columns)))
    if kind.weeks and frame.columns:
        frame = _of_whole_weeks(frame)
    units = sorted({unit_words(column.unit) or "none" for column in frame.series})
    if not kind.table and len(units) > 1 and kind.units == "told":
        said = f"{SEVERAL_UNITS} ({', '.join(units[:6])}), of which the axis names none"
        return replace(frame, notes=(*frame.notes, said))
    return frame


def unit_of_series(frame: Frame, kind: PlotType) -> str:
    """The unit that all series of a chart have; empty where they have several or none."""
    drawn = frame.series[:1] if kind.units == "one" else frame.series
    units = {column.unit for column in drawn}
    return units.pop() if len(units) == 1 else ""


def _are_years(frame: Frame) -> bool:
    """Whether the first column of a frame is years by its name, or by its rows, which go on year by year."""
    if len(frame.columns) < 2 or frame.columns[0].type is not ColumnType.DATE:
        return False
    column = frame.columns[0]
    if any(word in column.name.lower() for word in YEAR_NAMES):
        return True
    years = [date.year for date in column.dates if date is not None]
    steps = {b - a for a, b in pairwise(years)}
    return len(steps) < 2 and steps != {0}


def _as_numbers(column: Column) -> Column:
    """A column of bare years as one of numbers."""
    read = [text for text, date in zip(column.texts, column.dates, strict=False) if date is not None]
    if column.type is not ColumnType.DATE or not all(YEAR.fullmatch(text) for text in read):
        return column
    numbers = tuple(None if date is None else float(date.year) for date in column.dates)
    named = any(word in column.name.lower() for word in YEAR_NAMES)
    return replace(column, type=ColumnType.NUMBER, numbers=numbers, dates=(), unit=AS_YEARS if named else "")


def _of_years(column: Column) -> Column:
    """A column that is called one of years and holds such numbers, which are written without groups."""
    if column.type is not ColumnType.NUMBER or column.unit or not YEARLY.search(column.name):
        return column
    known = [number for number in column.numbers if number is not None]
    whole = all(number.is_integer() and FIRST_YEAR <= number <= LAST_YEAR for number in known)
    return replace(column, unit=AS_YEARS) if whole and known else column


def _of_whole_weeks(frame: Frame) -> Frame:
    """A frame without the dates of the first and the last year, of which a calendar has no whole weeks."""
    column = frame.columns[0]
    dates = tuple(date if date and date.year in WHOLE_WEEKS else None for date in column.dates)
    lost = sum(date is not None for date in column.dates) - sum(date is not None for date in dates)
    if not lost:
        return frame
    said = (
        f'dates of the years 1 and 9999 in column "{column.name[:40]}" have no place in a calendar: {lost:,}'
    )
    columns = (replace(column, dates=dates), *frame.columns[1:])
    return replace(frame, columns=columns, notes=(*frame.notes, said))
