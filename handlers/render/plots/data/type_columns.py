"""Columns as the type of a plot needs them: years as numbers, days of whole weeks, and units."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

from handlers.render.plots.data.dates_written import YEAR
from handlers.render.plots.data.frame import Column, ColumnType, Frame, common_unit
from handlers.render.plots.data.numbers import AS_YEARS, unit_words
from handlers.render.plots.data.table_text import read_frame, reading_of
from handlers.render.plots.plot_type import PlotType, type_of
from handlers.words.plot import Plot

WORD = re.compile(r"[^\W\d_]+|[№#]")
HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
OF_WORDS = "of per by in at for from de des du di del da von pro je par van af av"
WORDS_OF_YEARS = "year years yr jahr jahre année annee année año ano anno år rok vintage"
WORDS_OF_TIME = "date datum time season zeit saison fecha data temps quarter month"
PAST_WORDS = "founded established born died built opened since gegründet geboren discovered seit depuis"
OF = frozenset(OF_WORDS.split())
RATES = frozenset(("per", "by", "pro", "je", "par", "for", "of"))
"""Words after which a word for years is the unit of a rate, as in `cases per year`."""
OF_YEARS, OF_TIME, PAST = (frozenset(words.split()) for words in (WORDS_OF_YEARS, WORDS_OF_TIME, PAST_WORDS))
FIRST_NAMED, LAST_YEAR = 1000, 2199
"""Range of numbers that are years if the name of their column says so."""


def words_of(name: str) -> tuple[list[str], int | None]:
    """Return the words of a name, and the position of the first "of" between them."""
    words = [word.lower() for word in WORD.findall(HUMP.sub(" ", name[:200]))]
    return words, next((at for at, word in enumerate(words) if at and word in OF), None)


@lru_cache(maxsize=4096)
def is_year_name(name: str) -> bool:
    """Return whether a name means years only, as that of a row may."""
    words, end = words_of(name)
    past = bool(words) and words[-1] in PAST and (len(words) == 1 or words[-2] in OF_YEARS)
    return past or bool(words and words[:end][-1] in OF_YEARS)


@lru_cache(maxsize=4096)
def holds_year_word(name: str, *, times: bool = False) -> bool:
    """Return whether a name has a word for years or for yearly events. With `times` also a word for time."""
    words, _ = words_of(name)
    known = OF_YEARS | PAST | (OF_TIME if times else frozenset())
    return any(
        word in known or word.endswith("jahr")
        for at, word in enumerate(words)
        if not at or words[at - 1] not in RATES
    )


def are_years(name: str, numbers: Iterable[float | None], *, times: bool = False) -> bool:
    """Return whether the numbers of a column are years, by its name and its values."""
    known = [number for number in numbers if number is not None]
    return (
        bool(known)
        and holds_year_word(name, times=times)
        and all(FIRST_NAMED <= number <= LAST_YEAR + 1 for number in known)
        and (times or all(number.is_integer() for number in known))
    )


TIME = re.compile(r"([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?(?: ?[AaPp][Mm])?")
"""A time of day without a day."""
UNNAMED = ("", "unnamed: 0")
"""Heads of a first column with row numbers, as R and pandas write it."""
SEVERAL_UNITS = "the series have several units"
WHOLE_WEEKS = range(2, 9_999)
"""Years with only whole weeks."""


def plot_frame(plot: Plot) -> Frame:
    """Return the data of a plot, read as its type needs them. Raises TooManyCells."""
    return as_type_reads(read_frame(plot.data, reading_of(plot.config)), type_of(plot.type))


def as_type_reads(frame: Frame, kind: PlotType) -> Frame:
    """Return the rows with columns as a type of plots needs them, and sentences about the changes."""
    if not kind.table:
        frame = _without_index(frame, kind)
        frame = _of_years(frame, kind)
        frame = _tell_times(frame) if kind.line else frame
    if kind.weeks and frame.columns:
        frame = _of_whole_weeks(frame)
    units = sorted({unit_words(column.unit) or "none" for column in frame.series})
    if not kind.table and len(units) > 1 and kind.units == "noted":
        said = f"{SEVERAL_UNITS} ({', '.join(units[:6])}), and the axis names none of them"
        return frame.noted(said)
    return frame


def unit_of_series(frame: Frame, kind: PlotType) -> str:
    """Return the unit that all series of a chart share; empty if they have several or none."""
    return common_unit(frame.series[:1] if kind.units == "one" else frame.series)


def _without_index(frame: Frame, kind: PlotType) -> Frame:
    """Return a frame without a nameless first column that numbers the rows, as programs write it."""
    first, *others = frame.columns or (None,)
    numbers = [column for column in others if column.type is ColumnType.NUMBER]
    if first is None or not numbers or (len(others) < 2 and not kind.years):
        return frame
    start = first.numbers[0] if first.numbers else None
    counts = start in (0, 1) and first.numbers == tuple(start + row for row in range(frame.height))
    if not counts or frame.height < 2 or frame.head(0).lower() not in UNNAMED:
        return frame
    said = f"the first column has no name and counts the rows from {start:.0f}: it is left out"
    notation = replace(frame.notation, commas=frame.notation.commas[1:])
    return replace(frame.noted(said), columns=tuple(others), heads=frame.heads[1:], notation=notation)


def _of_years(frame: Frame, kind: PlotType) -> Frame:
    """Return a frame in which numbers that are years by their column name have the unit of years."""
    frame = _of_first_years(frame, kind) if frame.columns else frame
    columns = (
        replace(one, unit=AS_YEARS)
        if one.type is ColumnType.NUMBER and not one.unit and are_years(one.name, one.numbers, times=not at)
        else one
        for at, one in enumerate(frame.columns)
    )
    return replace(frame, columns=tuple(columns))


def _of_first_years(frame: Frame, kind: PlotType) -> Frame:
    """Return a frame in which a first column of bare years has the kind that the type needs.

    It becomes one of numbers if the type needs numbers, or if its values are not in the order of years. A
    guess is reported.
    """
    first, *others = frame.columns
    numbers = _as_numbers(first)
    if numbers is first:
        return frame
    named = holds_year_word(first.name, times=True)
    alone = not others or not (named or _yearly(first))
    if kind.years == "always" or (kind.years == "unless" and alone) or not (named or _goes_on(first)):
        return replace(frame, columns=(numbers, *others))
    if named:
        return frame
    return frame.noted(f'column "{first.name[:40]}" is read as years: a guess, as its name does not say so')


def _tell_times(frame: Frame) -> Frame:
    """Return a frame with a note if times of day have unequal steps, which are drawn as equal."""
    texts = frame.columns[0].texts if frame.columns else ()
    found = [TIME.fullmatch(text) for text in texts if text]
    times = [int(one[1]) * 3600 + int(one[2]) * 60 + int(one[3] or 0) for one in found if one]
    steps = {after - before for before, after in pairwise(times)}
    if len(times) < len(found) or len(steps) < 2:
        return frame
    return frame.noted(
        f'column "{frame.columns[0].name[:40]}" has times without a day, which are drawn one step apart: '
        "write them with a day, as 2026-05-01 09:00, to draw their true distances"
    )


def _goes_on(column: Column) -> bool:
    """Return whether the first occurrences of a column's years are sorted, up or down."""
    years = list(dict.fromkeys(date.year for date in column.dates if date is not None))
    return years in (sorted(years), sorted(years, reverse=True))


def _yearly(column: Column) -> bool:
    """Return whether the rows of a column are consecutive years."""
    steps = {b - a for a, b in pairwise(date.year for date in column.dates if date is not None)}
    return len(steps) < 2 and steps != {0}


def _as_numbers(column: Column) -> Column:
    """Return a column of bare years as one of numbers."""
    read = [text for text, date in zip(column.texts, column.dates, strict=False) if date is not None]
    if column.type is not ColumnType.DATE or not all(YEAR.fullmatch(text) for text in read):
        return column
    numbers = tuple(None if date is None else float(date.year) for date in column.dates)
    return replace(column, type=ColumnType.NUMBER, numbers=numbers, dates=())


def _of_whole_weeks(frame: Frame) -> Frame:
    """Return a frame without dates of the first and last year, which have no whole weeks in a calendar."""
    column = frame.columns[0]
    dates = tuple(date if date and date.year in WHOLE_WEEKS else None for date in column.dates)
    lost = sum(date is not None for date in column.dates) - sum(date is not None for date in dates)
    if not lost:
        return frame
    said = (
        f'dates of the years 1 and 9999 in column "{column.name[:40]}" have no place in a calendar: {lost:,}'
    )
    return replace(frame.noted(said), columns=(replace(column, dates=dates), *frame.columns[1:]))
