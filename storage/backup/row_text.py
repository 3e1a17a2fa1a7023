"""Rows as text that is the same for both databases: a JSON list a line, bytes as a list of one."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from datetime import date
from typing import Any

from storage.backup.tar_format import DamagedBackup

Row = Sequence[Any]


def row_text(row: Row) -> bytes:
    """A row as a line."""
    cells = [_json_cell(cell) for cell in row]
    return json.dumps(cells, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def read_row(line: bytes, width: int) -> list[Any]:
    """The row of a line. Raises DamagedBackup when it has not so many cells of values."""
    found = read_json(line)
    if not isinstance(found, list) or len(found) != width:
        raise DamagedBackup("a row has not as many cells as its table has columns")
    return [_meant(cell) for cell in found]


def read_json(text: bytes) -> Any:
    """A JSON text. Raises DamagedBackup."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise DamagedBackup("a text is no JSON") from None


def _json_cell(cell: Any) -> Any:
    if isinstance(cell, bool):
        return int(cell)
    if isinstance(cell, bytes | memoryview):
        return [base64.b64encode(cell).decode()]
    return str(cell) if isinstance(cell, date) else cell


def _meant(cell: Any) -> Any:
    if isinstance(cell, list) and len(cell) == 1 and isinstance(cell[0], str):
        try:
            return base64.b64decode(cell[0], validate=True)
        except ValueError:
            raise DamagedBackup("a cell is no bytes in base64") from None
    if cell is None or (isinstance(cell, int | float | str) and not isinstance(cell, bool)):
        return cell
    raise DamagedBackup("a cell is neither a number nor a text")
