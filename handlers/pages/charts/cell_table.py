"""CellTable: data of a plot as cells to type in, and the text that they are written as."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from handlers.rendering.interface import TooManyCells, read_cells

MOST_ROWS, MOST_COLUMNS = 200, 12
LONGEST_TEXT = 256 * 1024
"""Maximum characters of data that are shown as cells."""
COMMA = ","
KNOWN = (COMMA, ";", "\t", "|")
NEW_COLUMNS = 2


@dataclass(frozen=True, slots=True)
class CellTable:
    """Column names and rows of cells, all of one width, with the delimiter of the text."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    delimiter: str = COMMA

    @property
    def text(self) -> str:
        """The text of the cells, without empty rows at the end."""
        rows = [list(row) for row in self.rows]
        while rows and not any(cell.strip() for cell in rows[-1]):
            rows.pop()
        if not rows and not any(self.heads):
            return ""
        written = io.StringIO()
        writer = csv.writer(written, delimiter=self.delimiter, lineterminator="\n")
        writer.writerows([self.heads, *rows])
        return written.getvalue()

    def with_row(self) -> CellTable:
        """Return the table with one more empty row, if there is room."""
        if len(self.rows) >= MOST_ROWS:
            return self
        return replace(self, rows=[*self.rows, [""] * len(self.heads)])

    def with_column(self) -> CellTable:
        """Return the table with one more empty column, if there is room."""
        if len(self.heads) >= MOST_COLUMNS:
            return self
        return replace(self, heads=[*self.heads, ""], rows=[[*row, ""] for row in self.rows])


EMPTY = CellTable([""] * NEW_COLUMNS, [[""] * NEW_COLUMNS] * 3)


def table_of(text: str) -> CellTable | None:
    """Return the cells of a text; None if there are too many, or if cells would lose content."""
    if not text.strip():
        return EMPTY
    if len(text) > LONGEST_TEXT:
        return None
    try:
        delimiter, (heads, *rows) = read_cells(text)
    except TooManyCells:
        return None
    width = len(heads)
    if len(rows) > MOST_ROWS or width > MOST_COLUMNS or any(len(row) > width for row in rows):
        return None
    filled = [[*row, *[""] * (width - len(row))] for row in rows]
    return CellTable(heads, filled, delimiter if delimiter in KNOWN else COMMA)


def table_sent(fields: Mapping[str, str]) -> CellTable:
    """Return the cells of a form: `h1` and on are the names of columns, `c1-1` and on the cells."""
    width = next((at for at in range(1, MOST_COLUMNS + 1) if f"h{at}" not in fields), MOST_COLUMNS + 1) - 1
    height = next((at for at in range(1, MOST_ROWS + 1) if f"c{at}-1" not in fields), MOST_ROWS + 1) - 1
    heads = [fields[f"h{column}"] for column in range(1, width + 1)]
    rows = [
        [fields.get(f"c{row}-{column}", "") for column in range(1, width + 1)] for row in range(1, height + 1)
    ]
    delimiter = fields.get("delimiter", COMMA)
    return CellTable(heads, rows, delimiter if delimiter in KNOWN else COMMA)
