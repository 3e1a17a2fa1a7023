"""Reading a plot's data as a frame: delimiter, header, columns of dates, numbers or words, and gaps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from handlers.render.plots.data.dates_written import (
    NUMBERED,
    UNMARKED_DAY,
    YEAR,
    DateOrder,
    offset_of,
    order_of,
    read_date,
)
from handlers.render.plots.data.delimited_rows import (
    MOST_CELLS,
    RowReport,
    TooManyCells,
    clean_lines,
    delimiter_words,
    read_rows,
    sniff,
    split_off_separator,
)
from handlers.render.plots.data.figures_written import (
    GAPS,
    Figure,
    Notation,
    decide_notation,
    read_figure,
    read_number,
)
from handlers.render.plots.data.frame import Column, ColumnType, Frame
from handlers.render.plots.data.json_rows import delimited_text
from handlers.render.plots.data.numbers import PER_CENT


class Reading(NamedTuple):
    """Settings of a plot for the notation of its data; None: the data decide.

    `comma` is whether a comma is the decimal mark, `day_first` whether days come before months in dates such
    as 1/2/2026, `header` whether the first row has the names of the columns.
    """

    comma: bool | None = None
    day_first: bool | None = None
    header: bool = True


BY_DATA = Reading()


def reading_of(config: Mapping[str, str]) -> Reading:
    """Return the reading of settings, by their path below `config`."""
    said = {name: config.get(f"reading/{name}", "").strip() for name in ("decimal", "dates", "header")}
    comma, day_first = {"comma": True, "point": False}, {"day": True, "month": False}
    return Reading(comma.get(said["decimal"]), day_first.get(said["dates"]), said["header"] != "none")


LONGEST_NAME = 200
MOST_SHOWN = 5


@dataclass(frozen=True)
class Cells:
    """The name and cells of a column, and their line numbers."""

    name: str
    texts: tuple[str, ...]
    lines: Sequence[int]

    @cached_property
    def figures(self) -> tuple[Figure | None, ...]:
        """The figure of each cell; None for gaps and texts."""
        return tuple(None if text.lower() in GAPS else read_figure(text) for text in self.texts)

    @property
    def present(self) -> list[str]:
        """The cells that are not gaps."""
        return [text for text in self.texts if text.lower() not in GAPS]

    @property
    def known(self) -> list[Figure]:
        """The figures, without other cells."""
        return [figure for figure in self.figures if figure is not None]

    def unread(self, values: Sequence[object]) -> list[tuple[int, str]]:
        """Return the lines and texts of the cells that are neither gaps nor read as values."""
        rows = zip(self.lines, self.texts, values, strict=True)
        return [(line, text) for line, text, value in rows if value is None and text.lower() not in GAPS]

    def countable(self, *, first: bool) -> list[Figure]:
        """Return the figures if the column probably holds numbers, else none."""
        known = self.known
        return known if len(known) * (1 if first else 2) >= len(self.present) else []

    @property
    def title(self) -> str:
        """The column name as shown in messages."""
        return f'column "{self.name[:40]}"'


def read_column(
    cells: Cells, report: RowReport, *, first: bool, comma: bool, usual: bool, given: bool | None = None
) -> Column:
    """Return the column of some cells, with its type and values.

    The first column is one of numbers only if all its cells are numbers. `usual` is whether days usually
    come before months, and `given` whether they do by the plot's settings.
    """
    present, figures = cells.present, cells.known
    if present and (first or len(figures) < len(present)):
        dates = _date_column(cells, present, report, order_of(present, day_first=usual, given=given))
        if dates is not None:
            return dates
    if not figures or (first and len(figures) < len(present)):
        if first and present and 2 * sum(bool(NUMBERED.match(text)) for text in present) > len(present):
            report.notes.append(f"{cells.title} looks like dates, but is read as text")
        return _word_column(cells)
    if 2 * len(figures) >= len(present) and _are_codes(figures):
        report.notes.append(f"{cells.title} is read as text, as digits after a leading zero are codes")
        return _word_column(cells)
    if first and all(UNMARKED_DAY.fullmatch(text) for text in present):
        report.notes.append(
            f"{cells.title} is read as numbers; if {present[0]} is a day, write it as 2024-01-31"
        )
    return _number_column(cells, report, first=first, comma=comma)


def _are_codes(figures: Sequence[Figure]) -> bool:
    """Return whether digits are codes: whole numbers, and at least one begins with a zero."""
    return any(one.code for one in figures) and all(one.plain and not one.unit for one in figures)


def _word_column(cells: Cells) -> Column:
    return Column(cells.name, ColumnType.TEXT, cells.texts)


def _number_column(cells: Cells, report: RowReport, *, first: bool, comma: bool) -> Column:
    """Return a column of numbers if at least half of the cells are numbers, else of words."""
    unit, present = _unit(cells, report), len(cells.present)
    numbers = tuple(
        None if figure is None or not _fits(figure, unit) else figure.value(comma=comma)
        for figure in cells.figures
    )
    read = sum(number is not None for number in numbers)
    if 2 * read < present or not read or (first and read < present):
        _tell_words(cells, numbers, read, report)
        return _word_column(cells)
    _tell_cells(cells, numbers, unit, report)
    decimals = max(
        figure.decimals(comma=comma)
        for figure, number in zip(cells.figures, numbers, strict=True)
        if figure is not None and number is not None
    )
    unit = PER_CENT if unit == "%" else unit
    return Column(cells.name, ColumnType.NUMBER, cells.texts, numbers, unit=unit, decimals=decimals)


def _date_column(cells: Cells, present: Sequence[str], report: RowReport, order: DateOrder) -> Column | None:
    """Return a column of dates if more than half of the cells are dates, and not all are numbers."""
    dates = [None if text.lower() in GAPS else order.read(text) for text in cells.texts]
    read = [text for text, date in zip(cells.texts, dates, strict=True) if date is not None]
    if 2 * len(read) <= len(present) or (
        len(read) < len(present) and all(YEAR.fullmatch(text) for text in read)
    ):
        return None
    for line, text in cells.unread(dates):
        report.reject(line, f'"{text[:40]}" in {cells.title} is no date', cells.name[:LONGEST_NAME])
    if order.guessed:
        which = "day" if order.day_first else "month"
        report.notes.append(f"{cells.title} has the {which} first in its dates: a guess, as every order fits")
    if order.short_years:
        report.notes.append(f"{cells.title} has years of two digits: a guess, read as 1969 to 2068")
    offsets = {offset_of(text) for text in read}
    if len(offsets) > 1:
        report.notes.append(
            f"{cells.title} has moments of several offsets from UTC, drawn as they are written"
        )
    clock = any(date.hour or date.minute or date.second or date.microsecond for date in dates if date)
    return Column(cells.name, ColumnType.DATE, cells.texts, dates=tuple(dates), clock=clock)


def _unit(cells: Cells, report: RowReport) -> str:
    """Return the unit that most figures of a column have; report the others."""
    counts = Counter(figure.unit for figure in cells.known if figure.unit)
    if not counts:
        return ""
    unit, count = counts.most_common(1)[0]
    bare = sum(not figure.unit for figure in cells.known)
    if bare and unit == "%":
        report.notes.append(
            f"{cells.title} mixes numbers in per cent ({count:,}) and without ({bare:,}): "
            "12% is read as 0.12, and 0.12 as it is"
        )
    elif bare:
        report.notes.append(
            f"{cells.title} mixes numbers in {unit} ({count:,}) and without ({bare:,}): all are in {unit}"
        )
    return unit


def _fits(figure: Figure, unit: str) -> bool:
    return not figure.unit or figure.unit == unit


def _tell_cells(cells: Cells, numbers: Sequence[float | None], unit: str, report: RowReport) -> None:
    for line, text in cells.unread(numbers):
        figure = read_figure(text)
        other = figure is not None and not _fits(figure, unit)
        reason = f"is no number in {unit}" if other else "is no number"
        report.reject(line, f'"{text[:40]}" in {cells.title} {reason}', cells.name[:LONGEST_NAME])


def _tell_words(cells: Cells, numbers: Sequence[float | None], read: int, report: RowReport) -> None:
    """Report that a column is read as words although some of its cells are numbers."""
    others = [f'"{text[:40]}" (line {line})' for line, text in cells.unread(numbers)]
    more = f" and {len(others) - MOST_SHOWN:,} more" if len(others) > MOST_SHOWN else ""
    report.notes.append(
        f"{cells.title} is text: {read:,} of {len(cells.present):,} cells are numbers, and these are not: "
        f"{', '.join(others[:MOST_SHOWN])}{more}"
    )


LONGEST_CELL = 32 * 1024
NUMBERS_ABOVE = (
    "The first line is read as the header, and it looks like a row of numbers: "
    "where it is one, write a line of names above it."
)
__all__ = ["MOST_CELLS", "TooManyCells", "read_cells", "read_columns", "read_frame"]


def read_frame(text: str, reading: Reading = BY_DATA) -> Frame:
    """Return the frame of a text. Accepts any text. Raises TooManyCells."""
    report = RowReport()
    delimiter, rest, before = split_off_separator(delimited_text(clean_lines(text)))
    delimiter = delimiter or _find_delimiter(rest, report)
    header, *rows = read_rows(rest, delimiter, report, before) or [(0, [])]
    if not reading.header:
        header, rows = (0, [""] * len(header[1])), [header, *rows]
    names = _names(header[1])
    cells = _cells(rows, len(names), report)
    if cells:
        columns, notation = _columns(names, cells, delimiter, report, reading)
    else:
        columns, notation = tuple(Column(name, ColumnType.TEXT, ()) for name in names), Notation()
    heads = tuple(cell.strip()[:LONGEST_CELL] for cell in header[1])
    report.close()
    if _holds_numbers(heads):
        report.notes.append(NUMBERS_ABOVE)
    return Frame(
        columns,
        tuple(sorted(report.rejected, key=lambda one: one.line)),
        delimiter,
        heads,
        tuple(report.notes),
        notation,
        report.quoted,
    )


def read_columns(names: Sequence[str], rows: Iterable[Sequence[str]]) -> tuple[Column, ...]:
    """Return the columns of a table's cells, which are read like the data of plots."""
    report = RowReport()
    cells = _cells(((0, list(row)) for row in rows), len(names), report)
    return _columns(names, cells, ",", report)[0] if cells else ()


def read_cells(text: str) -> tuple[str, list[list[str]]]:
    """Return the delimiter of a text, and its cells as they are written. Raises TooManyCells."""
    delimiter = read_frame(text).delimiter
    _, rest, before = split_off_separator(delimited_text(clean_lines(text)))
    return delimiter, [cells for _, cells in read_rows(rest, delimiter, RowReport(), before)]


def _holds_numbers(heads: Sequence[str]) -> bool:
    """Return whether a header is probably a row: numbers after its first cell that are not all years."""
    named = heads[1:] or heads
    numbers = bool(named) and all(read_number(head) is not None for head in named)
    return numbers and not all(read_date(head) is not None for head in named)


def _find_delimiter(text: str, report: RowReport) -> str:
    """Return the delimiter that fits best; a text whose lines are numbers with commas is one column."""
    delimiter, rival = sniff(text)
    if rival:
        report.notes.append(
            f"cells are separated by {delimiter_words(delimiter)}: a guess, as {delimiter_words(rival)} "
            f'would fit as well; if so, begin with a line "sep={rival.strip(" ") or ","}"'
        )
    lines = [line for line in text.split("\n", 40)[:40] if line.strip()]
    if delimiter == "," and lines and "," not in lines[0] and len(lines) > 1:
        figures = [read_figure(line.strip()) for line in lines[1:]]
        if all(figure is not None and figure.comma for figure in figures):
            return "\n"
    return delimiter


def _columns(
    names: Sequence[str],
    rows: Sequence[tuple[int, list[str]]],
    delimiter: str,
    report: RowReport,
    reading: Reading = BY_DATA,
) -> tuple[tuple[Column, ...], Notation]:
    """Return the columns of rows of one width, and their common notation."""
    lines = [line for line, _ in rows]
    texts = zip(*(row for _, row in rows), strict=True)
    columns = [Cells(name, cells, lines) for name, cells in zip(names, texts, strict=True)]
    notation = decide_notation(
        [one.countable(first=not index) for index, one in enumerate(columns)], delimiter, reading.comma
    )
    _tell_notation(columns, notation, report)
    usual = notation.comma or delimiter == ";"
    read = tuple(
        read_column(one, report, first=index == 0, comma=comma, usual=usual, given=reading.day_first)
        for index, (one, comma) in enumerate(zip(columns, notation.commas, strict=True))
    )
    return read, notation


def _tell_notation(columns: Sequence[Cells], notation: Notation, report: RowReport) -> None:
    marks = ["comma" if comma else "point" for comma in notation.commas]
    for index in notation.guesses:
        cells = columns[index]
        example = next(f.digits for f in cells.known if f.ambiguous)
        report.note(
            "decimal marks are guesses",
            f'{cells.title} is read with a decimal {marks[index]}: a guess, as "{example}" may have '
            f"thousands or decimals",
        )
    for index in notation.differing:
        report.note(
            "columns have another decimal mark",
            f"{columns[index].title} has a decimal {marks[index]}, "
            f"other columns a {'comma' if notation.comma else 'point'}",
        )


def _names(header: Sequence[str]) -> list[str]:
    """Return unique names of the columns, none of them empty."""
    names: list[str] = []
    seen: Counter[str] = Counter()
    for number, cell in enumerate(header, 1):
        name = cell.strip()[:LONGEST_CELL] or f"column {number}"
        seen[name] += 1
        while seen[name] > 1 and f"{name} ({seen[name]})" in seen:
            seen[name] += 1
        names.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
        seen[names[-1]] += seen[name] > 1
    return names


def _cells(
    rows: Iterable[tuple[int, list[str]]], width: int, report: RowReport
) -> list[tuple[int, list[str]]]:
    """Return rows of the header's width; a longer row is reported, a shorter one is filled up with gaps."""
    kept = []
    for line, row in rows:
        if len(row) > width and any(cell.strip() for cell in row[width:]):
            report.reject(line, f"has {len(row)} cells where the header has {width}")
        kept.append((line, [cell.strip() for cell in islice(row, width)] + [""] * (width - len(row))))
    return kept
