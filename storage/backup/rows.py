"""Rows of a backup: their text format, the same for both databases, and the bytes that they refer to."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

from storage.backup.backup_catalog import BackupCatalog
from storage.backup.tar_format import DamagedBackup
from storage.runs.rows import ITSELF
from storage.upkeep.sweep import NAMED

Row = Sequence[Any]


def row_text(row: Row) -> bytes:
    """Return a row as a line."""
    cells = [_json_cell(cell) for cell in row]
    return json.dumps(cells, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def read_row(line: bytes, width: int) -> list[Any]:
    """Return the row in a line. Raises DamagedBackup for a wrong number of cells."""
    found = read_json(line)
    if not isinstance(found, list) or len(found) != width:
        raise DamagedBackup("a row has not as many cells as its table has columns")
    return [_meant(cell) for cell in found]


def read_json(text: bytes) -> Any:
    """Parse a JSON text. Raises DamagedBackup."""
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


DIGEST = re.compile(r"[0-9a-f]{64}")
OPEN = ("processing", "waiting")
DONE = "success"

See = Callable[[Sequence[Any]], object]


def wants_of(catalog: BackupCatalog, table: str, columns: Sequence[str]) -> See:
    """Return the function that records the references of each row of a table."""
    places = [columns.index(name) for of, name in NAMED if of == table and name in columns]
    if table == "item":
        number, kind = columns.index("id"), columns.index("kind")
        return lambda row: catalog.want_item(int(row[number]), str(row[kind]))
    if table == "step":
        cells = _places(columns, ("run", "name", "replica", "status", "files"))
        return lambda row: _see_step(catalog, *(row[place] for place in cells))
    if table == "run":
        names = _places(columns, ("key", "status", "worker", "input", "expired_on", "files"))

        def see_run(row: Sequence[Any]) -> None:
            _see_blobs(catalog, row, places)
            _see_run(catalog, *(row[place] for place in names))

        return see_run
    return lambda row: _see_blobs(catalog, row, places)


def _places(columns: Sequence[str], names: Sequence[str]) -> list[int]:
    """Return the positions of columns. An older schema may lack the last ones."""
    return [columns.index(name) for name in names if name in columns]


def _see_blobs(catalog: BackupCatalog, row: Sequence[Any], places: Sequence[int]) -> None:
    for place in places:
        if row[place] is not None and DIGEST.fullmatch(str(row[place])):
            catalog.want_blob(str(row[place]))


def _see_run(
    catalog: BackupCatalog,
    key: int,
    status: str,
    worker: str | None,
    input: str | None,
    expired_on: str | None = None,
    files: str | None = None,
) -> None:
    """Record an open run, unless a runner works on it: such a run is lost, as after a power cut.

    The folder of its input is needed unless the input is in the shared store. The stored outputs of a run
    that ended without success are needed.
    """
    if status != DONE and expired_on is None:
        catalog.want_outputs(int(key))
    if status in OPEN and (worker is None or status == "waiting"):
        catalog.want_run(int(key), input if files is None else None)
        if files is not None:
            catalog.want_manifest(int(key), files)


def _see_step(
    catalog: BackupCatalog, run: int, name: str, replica: int, status: str, files: str | None = None
) -> None:
    """Record the output of a step that is done. Outputs of other steps are incomplete."""
    if status != DONE or replica != ITSELF:
        return
    if files is None:
        catalog.want_output(int(run), str(name))
    else:
        catalog.want_manifest(int(run), files)
