"""Rows of a plot: as editable cells, as text, and converted from JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from handlers.rendering.interface import MOST_CELLS, TooManyCells, read_cells
from vfs.errors import Invalid

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


LARGEST_JSON = 8 * 1024 * 1024
OPENINGS = ("[", "{")
SHAPES = "a list of objects, a list of lists, or an object of lists"


def as_rows(text: str) -> str:
    """Return rows as CSV if a text is JSON, else the text. Raises Invalid for JSON without rows."""
    if not text.lstrip("\ufeff \t\n").startswith(OPENINGS) or len(text) > LARGEST_JSON:
        return text
    try:
        return _written(json.loads(text.lstrip("\ufeff")))
    except UnicodeEncodeError:
        raise Invalid("these data contain half of a character (a lone surrogate): remove it") from None
    except (ValueError, RecursionError):
        return text


def _written(value: Any) -> str:
    """Return the rows of a JSON value as CSV. Raises Invalid, UnicodeEncodeError and RecursionError."""
    rows = _rows_of(value)
    if rows is None:
        raise Invalid(f"these data are JSON without rows: send {SHAPES}")
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows([_cell(one) for one in row] for row in rows)
    written.getvalue().encode()
    return written.getvalue()


def _rows_of(value: Any) -> Iterable[Sequence[Any]] | None:
    """Return the rows of a JSON value, the first with the names of columns; None if it has none.

    Objects become rows only when they are read, since only one of many lists in an object is used.

    Raises Invalid for more cells than fit into a plot.
    """
    if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        heads = list(dict.fromkeys(key for one in value for key in one))
        if len(heads) * len(value) > MOST_CELLS:
            raise Invalid(str(TooManyCells(len(heads) * len(value))))
        return chain([heads], ([one.get(head) for head in heads] for one in value))
    if isinstance(value, list):
        return value if value and all(isinstance(one, list) for one in value) else None
    lists = (
        {key: one for key, one in value.items() if isinstance(one, list)} if isinstance(value, dict) else {}
    )
    within = [rows for one in lists.values() if (rows := _rows_of(one))]
    if len(within) == 1:
        return within[0]
    columns = len(lists) == len(value) and len({len(one) for one in lists.values()}) == 1
    return [list(lists), *zip(*lists.values(), strict=True)] if columns else None


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
