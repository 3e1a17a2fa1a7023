"""The text of a plot's data read as a frame: delimiter, header, numbers, dates and gaps."""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice

from handlers.render.plots.data.frame import Column, ColumnType, Frame, Rejection

MOST_CELLS = 200_000
SAMPLE = 30
LONGEST_NAME = 200
LONGEST_CELL = 32 * 1024
GAPS = frozenset({"", "na", "n/a", "nan", "null", "none", "-", "–", ".", ".."})
SPACES = re.compile(r" {2,}|\t+")
ENGLISH = re.compile(r"[-+]?(\d+|\d{1,3}(,\d{3})+)?(\.\d*)?([eE][-+]?\d{1,3})?")
CONTINENTAL = re.compile(r"[-+]?(\d+|\d{1,3}([. ]\d{3})+)?(,\d*)?([eE][-+]?\d{1,3})?")
NO_BREAK = str.maketrans({"\u00a0": " ", "\u202f": " ", "\u2009": " ", "\u2212": "-", "'": ""})
CURRENCY = re.compile(r"^([-+]?)\s*[€$£¥]\s*|\s*(?:%|€)$")
QUARTER = re.compile(r"(\d{4})-?[Qq]([1-4])")
MONTH = re.compile(r"(\d{4})-(\d{2})")
DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001
YEAR = re.compile(r"1[5-9]\d\d|20\d\d|21\d\d")


class TooManyCells(ValueError):
    """Raised for data of more than MOST_CELLS cells; `cells` tells about how many there are."""

    def __init__(self, cells: int) -> None:
        super().__init__(
            f"these data have about {cells:,} cells, and {MOST_CELLS:,} fit into a plot: "
            "send fewer rows or columns, summed up or thinned out"
        )
        self.cells = cells


def read_frame(text: str) -> Frame:
    """The frame that a text is read as. Never fails for what stands in it. Raises TooManyCells."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    sample = [*islice((line for line in io.StringIO(text) if line.strip()), SAMPLE)]
    if not sample:
        return Frame(())
    delimiter = sniff(sample)
    rejected: list[Rejection] = []
    header, *rows = list(_rows(text, delimiter, rejected)) or [(0, [])]
    names = _names(header[1])
    cells = _cells(rows, len(names), rejected)
    columns = (
        [
            _column(
                name,
                list(column),
                delimiter,
                first=index == 0,
                rejected=rejected,
                lines=[line for line, _ in cells],
            )
            for index, (name, column) in enumerate(
                zip(names, zip(*(row for _, row in cells), strict=True), strict=True)
            )
        ]
        if cells
        else [Column(name, ColumnType.TEXT, ()) for name in names]
    )
    heads = tuple(cell.strip()[:LONGEST_CELL] for cell in header[1])
    return Frame(tuple(columns), tuple(rejected), delimiter, heads)


def sniff(lines: Sequence[str]) -> str:
    """The delimiter that gives most lines one width: tab, semicolon, comma, or runs of spaces."""

    def regularity(delimiter: str) -> tuple[float, int]:
        widths = Counter(len(row) for _, row in _rows("".join(lines), delimiter, []))
        width, count = max(widths.items(), key=lambda item: item[1], default=(0, 0))
        return (count / sum(widths.values()) if width > 1 else 0.0), -order.index(delimiter)

    order = ["\t", ";", ",", "  "]
    best = max(order, key=regularity)
    return best if regularity(best)[0] > 0 else ","


def _rows(text: str, delimiter: str, rejected: list[Rejection]) -> Iterator[tuple[int, list[str]]]:
    """Rows that are not blank, each with the number of its last line. Raises TooManyCells."""
    count = 0
    for line, row in _split_rows(text, delimiter, rejected):
        count += len(row)
        if count > MOST_CELLS:
            marks = len(SPACES.findall(text)) if delimiter == "  " else text.count(delimiter)
            raise TooManyCells(max(count, marks + text.count("\n")))
        if any(cell.strip() for cell in row):
            yield line, row


def _split_rows(text: str, delimiter: str, rejected: list[Rejection]) -> Iterator[tuple[int, list[str]]]:
    if delimiter == "  ":
        yield from ((at, SPACES.split(line.strip())) for at, line in enumerate(io.StringIO(text), 1))
        return
    reader = csv.reader(io.StringIO(text), delimiter=delimiter, skipinitialspace=True)
    while True:
        try:
            row = next(reader, None)
        except csv.Error:
            _reject(
                rejected, reader.line_num, f"has a cell of more than {csv.field_size_limit():,} characters"
            )
            continue
        if row is None:
            return
        yield reader.line_num, row


def _names(header: Sequence[str]) -> list[str]:
    """Names of the columns, none twice and none empty."""
    names: list[str] = []
    seen: Counter[str] = Counter()
    for number, cell in enumerate(header, 1):
        name = cell.strip()[:LONGEST_CELL] or f"column {number}"
        seen[name] += 1
        names.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return names


def _cells(
    rows: Iterable[tuple[int, list[str]]], width: int, rejected: list[Rejection]
) -> list[tuple[int, list[str]]]:
    """Rows of the header's width; a longer one is told, a shorter one is filled up with gaps."""
    kept = []
    for line, row in rows:
        if len(row) > width and any(cell.strip() for cell in row[width:]):
            _reject(rejected, line, f"has {len(row)} cells where the header has {width}")
        kept.append((line, [cell.strip() for cell in islice(row, width)] + [""] * (width - len(row))))
    return kept


def _column(
    name: str,
    cells: list[str],
    delimiter: str,
    *,
    first: bool,
    rejected: list[Rejection],
    lines: Sequence[int],
) -> Column:
    present = [cell for cell in cells if cell.lower() not in GAPS]
    if (
        present
        and all(read_date(cell) is not None for cell in present)
        and (first or not _all_numbers(present))
    ):
        return _dates(name, cells)
    comma = _decimal_comma(present, delimiter)
    numbers = [None if cell.lower() in GAPS else read_number(cell, comma=comma) for cell in cells]
    read = sum(number is not None for number in numbers)
    if not read or 2 * read < len(present) or (first and read < len(present)):
        return Column(name, ColumnType.TEXT, tuple(cells))
    for line, cell, number in zip(lines, cells, numbers, strict=True):
        if number is None and cell.lower() not in GAPS:
            _reject(rejected, line, f'"{cell[:40]}" in column "{name[:40]}" is no number', name)
    return Column(name, ColumnType.NUMBER, tuple(cells), tuple(numbers))


def _dates(name: str, cells: Sequence[str]) -> Column:
    dates = tuple(None if cell.lower() in GAPS else read_date(cell) for cell in cells)
    clock = any(date is not None and (date.hour or date.minute or date.second) for date in dates)
    return Column(name, ColumnType.DATE, tuple(cells), dates=dates, clock=bool(clock))


def _all_numbers(cells: Sequence[str]) -> bool:
    return all(ENGLISH.fullmatch(cell) for cell in cells)


def _decimal_comma(cells: Sequence[str], delimiter: str) -> bool:
    """Whether a comma is the decimal mark of a column: what reads more of its cells."""
    plain = [_bare(cell) for cell in cells]
    english = sum(bool(ENGLISH.fullmatch(cell)) for cell in plain)
    continental = sum(bool(CONTINENTAL.fullmatch(cell)) for cell in plain)
    if english == continental:
        return delimiter == ";" and any("," in cell for cell in plain)
    return continental > english


def read_number(cell: str, *, comma: bool = False) -> float | None:
    """A finite number such as `1,234.5`, with `comma` `1 234,5`; None for anything else."""
    bare = _bare(cell)
    if len(bare) > 64 or not any(sign.isdigit() for sign in bare):
        return None
    if not (CONTINENTAL if comma else ENGLISH).fullmatch(bare):
        return None
    digits = bare.replace(".", "").replace(" ", "").replace(",", ".") if comma else bare.replace(",", "")
    number = float(digits)
    return number if math.isfinite(number) else None


def read_date(cell: str) -> datetime | None:
    """A moment in UTC: a year, `YYYY-MM`, `YYYY-Qn`, an ISO date or date and time; else None."""
    try:
        if YEAR.fullmatch(cell):
            return datetime(int(cell), 1, 1)  # noqa: DTZ001
        if found := QUARTER.fullmatch(cell):
            return datetime(int(found[1]), 3 * int(found[2]) - 2, 1)  # noqa: DTZ001
        if found := MONTH.fullmatch(cell):
            return datetime(int(found[1]), int(found[2]), 1)  # noqa: DTZ001
        if not DAY.match(cell) or len(cell) > 40:
            return None
        moment = datetime.fromisoformat(cell)
    except ValueError:
        return None
    return moment if moment.tzinfo is None else moment.astimezone(UTC).replace(tzinfo=None)


def milliseconds(moment: datetime) -> int:
    """Milliseconds since 1970, in which a calendar axis counts."""
    return int((moment - EPOCH) / timedelta(milliseconds=1))


def _bare(cell: str) -> str:
    return CURRENCY.sub(r"\1", cell.translate(NO_BREAK).strip())


def _reject(rejected: list[Rejection], line: int, reason: str, column: str = "") -> None:
    rejected.append(Rejection(line, reason, column[:LONGEST_NAME]))
