"""Reading a plot's data as a frame: delimiter, header, numbers, dates and gaps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice

from handlers.render.plots.data.columns import Cells, cells_of, read_column
from handlers.render.plots.data.dates_written import read_date
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
from handlers.render.plots.data.figures_written import Notation, decide_notation, read_figure, read_number
from handlers.render.plots.data.frame import Column, ColumnType, Frame
from handlers.render.plots.data.reading import BY_DATA, Reading

LONGEST_CELL = 32 * 1024
NUMBERS_ABOVE = (
    "The first line is read as the header, and it looks like a row of numbers: "
    "where it is one, write a line of names above it."
)
__all__ = ["MOST_CELLS", "TooManyCells", "read_cells", "read_columns", "read_frame"]


def read_frame(text: str, reading: Reading = BY_DATA) -> Frame:
    """Return the frame that a text is read as. Accepts any text. Raises TooManyCells."""
    report = RowReport()
    delimiter, rest, before = split_off_separator(clean_lines(text))
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
    """Return the columns that the cells of a table are read as, by the rules for data."""
    report = RowReport()
    cells = _cells(((0, list(row)) for row in rows), len(names), report)
    return _columns(names, cells, ",", report)[0] if cells else ()


def read_cells(text: str) -> tuple[str, list[list[str]]]:
    """Return the delimiter of a text, and its cells as they are written. Raises TooManyCells."""
    delimiter = read_frame(text).delimiter
    _, rest, before = split_off_separator(clean_lines(text))
    return delimiter, [cells for _, cells in read_rows(rest, delimiter, RowReport(), before)]


def _holds_numbers(heads: Sequence[str]) -> bool:
    """Return whether a header is probably a row: numbers after its first cell that are not all years."""
    told = heads[1:] or heads
    numbers = bool(told) and all(read_number(head) is not None for head in told)
    return numbers and not all(read_date(head) is not None for head in told)


def _find_delimiter(text: str, report: RowReport) -> str:
    """Return the delimiter that is found; a text whose lines are numbers with commas is one column."""
    delimiter, rival = sniff(text)
    if rival:
        report.notes.append(
            f"lines are parted by {delimiter_words(delimiter)}: a guess, as {delimiter_words(rival)} "
            f'would part them as evenly; a first line "sep={rival.strip(" ") or ","}" says otherwise'
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
    columns = [
        cells_of(name, texts, lines)
        for name, texts in zip(names, zip(*(row for _, row in rows), strict=True), strict=True)
    ]
    notation = decide_notation(
        [one.countable(first=not index) for index, one in enumerate(columns)], delimiter, reading.comma
    )
    _tell_notation(columns, notation, report)
    usual = notation.comma or delimiter == ";"
    read = tuple(
        read_column(one, report, first=index == 0, comma=comma, usual=usual, told=reading.day_first)
        for index, (one, comma) in enumerate(zip(columns, notation.commas, strict=True))
    )
    return read, notation


def _tell_notation(columns: Sequence[Cells], notation: Notation, report: RowReport) -> None:
    for index in notation.guesses:
        cells = columns[index]
        example = next(f.digits for f in cells.known if f.ambiguous)
        mark = "comma" if notation.commas[index] else "point"
        report.note(
            "decimal marks are guesses",
            f'{cells.title} is read with a decimal {mark}: a guess, as nothing tells whether "{example}" has '
            f"thousands or decimals",
        )
    for index in notation.differing:
        report.note(
            "columns have another decimal mark",
            f"{columns[index].title} has a decimal {'comma' if notation.commas[index] else 'point'}, "
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
