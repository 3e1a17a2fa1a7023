"""Columns as the type of a plot needs them: years as numbers, rows with a moment, and what is left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from handlers.render.plots.data.dates_written import YEAR
from handlers.render.plots.data.frame import Column, ColumnType, Frame
from handlers.render.plots.data.numbers import AS_YEARS, unit_words
from handlers.render.plots.data.table_text import read_frame
from handlers.render.plots.plot import Plot
from handlers.render.plots.vocabulary import DISTRIBUTIONS, DRAWN, FIGURES, LINES, POINTS, SHARES

BY_TIME = frozenset((*LINES, "calendar"))
"""Types that have no place for a row without a moment."""
OF_ONE_SERIES = frozenset((*SHARES, *FIGURES, "calendar"))
OF_ALL, OF_WEEKS = range(1, 10_000), range(2, 9_999)
"""Years of dates, and those of which every week can be counted to its end."""
YEAR_NAMES = ("year", "jahr", "date", "datum", "année", "annee", "año", "anno", "time", "season", "vintage")


def plot_frame(plot: Plot) -> Frame:
    """The data of a plot as its type draws them. Raises TooManyCells."""
    return as_type_draws(as_type_reads(read_frame(plot.data), plot.type), plot.type)


def as_type_reads(frame: Frame, word: str) -> Frame:
    """The same rows with years as numbers where a type of plots draws them as some."""
    if word in POINTS or (word in (*DISTRIBUTIONS, *FIGURES) and not _are_years(frame)):
        frame = replace(frame, columns=tuple(_as_numbers(column) for column in frame.columns))
    return frame


def as_type_draws(frame: Frame, word: str) -> Frame:
    """The rows that a type of plots draws, with sentences about what it leaves out."""
    if word in BY_TIME:
        frame = _with_moments(frame, OF_WEEKS if word == "calendar" else OF_ALL)
    if word in DRAWN:
        frame = replace(frame, notes=(*frame.notes, *_left_out(frame, word)))
    return frame


def unit_of_series(frame: Frame, word: str) -> str:
    """The unit that all series of a chart have; empty where they have several or none."""
    drawn = frame.series[:1] if word in OF_ONE_SERIES else frame.series
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
    if column.type is not ColumnType.DATE or not all(YEAR.fullmatch(text) for text in _read(column)):
        return column
    numbers = tuple(None if date is None else float(date.year) for date in column.dates)
    named = any(word in column.name.lower() for word in YEAR_NAMES)
    return replace(column, type=ColumnType.NUMBER, numbers=numbers, dates=(), unit=AS_YEARS if named else "")


def _read(column: Column) -> Sequence[str]:
    return [text for text, date in zip(column.texts, column.dates, strict=True) if date is not None]


def _with_moments(frame: Frame, years: range) -> Frame:
    """The rows that have a moment of some years, where the first column is one of moments."""
    axis = frame.axis
    if axis is None or axis.type is not ColumnType.DATE:
        return frame
    rows = [row for row, date in enumerate(axis.dates) if date is not None and date.year in years]
    left = frame.height - len(rows)
    if not left:
        return frame
    said = f'{left:,} {"row has" if left == 1 else "rows have"} no date in column "{axis.name[:40]}"'
    within = "" if years is OF_ALL else f" of the years {years.start} to {years.stop - 1}"
    said = f"{said}{within} and {'is' if left == 1 else 'are'} left out"
    return replace(frame.of_rows(rows), notes=(*frame.notes, said))


def _left_out(frame: Frame, word: str) -> list[str]:
    """Sentences about columns that are not drawn, and series without one unit."""
    notes = []
    axis = frame.axis
    others = [
        column for column in frame.columns if column is not axis and column.type is not ColumnType.NUMBER
    ]
    if others and word not in POINTS:
        names = ", ".join(f'"{column.name[:40]}"' for column in others[:5])
        more = f" and {len(others) - 5:,} more" if len(others) > 5 else ""
        notes.append(f"not drawn, as they hold no numbers: {names}{more}")
    units = sorted({unit_words(column.unit) or "none" for column in frame.series})
    if len(units) > 1 and word not in (*POINTS, *OF_ONE_SERIES):
        notes.append(f"the series have several units ({', '.join(units[:6])}), which the axis cannot name")
    return notes
