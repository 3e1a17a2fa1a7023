"""Wants of rows besides themselves: bytes, repositories, folders of runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from storage.backup.backup_book import BackupBook
from storage.runs.rows import ITSELF
from storage.upkeep.sweep import NAMED

DIGEST = re.compile(r"[0-9a-f]{64}")
OPEN = ("processing", "waiting")
DONE = "success"

See = Callable[[Sequence[Any]], object]


def wants_of(book: BackupBook, table: str, columns: Sequence[str]) -> See:
    """The function that notes the wants of each row of a table."""
    places = [columns.index(name) for of, name in NAMED if of == table and name in columns]
    if table == "item":
        number, kind = columns.index("id"), columns.index("kind")
        return lambda row: book.want_item(int(row[number]), str(row[kind]))
    if table == "step":
        cells = _places(columns, ("run", "name", "replica", "status", "files"))
        return lambda row: _see_step(book, *(row[place] for place in cells))
    if table == "run":
        names = _places(columns, ("key", "status", "worker", "input", "files"))

        def see_run(row: Sequence[Any]) -> None:
            _see_blobs(book, row, places)
            _see_run(book, *(row[place] for place in names))

        return see_run
    return lambda row: _see_blobs(book, row, places)


def _places(columns: Sequence[str], names: Sequence[str]) -> list[int]:
    """The places of columns, of which an older schema lacks the last."""
    return [columns.index(name) for name in names if name in columns]


def _see_blobs(book: BackupBook, row: Sequence[Any], places: Sequence[int]) -> None:
    for place in places:
        if row[place] is not None and DIGEST.fullmatch(str(row[place])):
            book.want_blob(str(row[place]))


def _see_run(
    book: BackupBook, key: int, status: str, worker: str | None, input: str | None, files: str | None = None
) -> None:
    """A run that a runner works on is lost with it, as after a power cut: its folder is not wanted.

    Nor is that of one whose input hosts share.
    """
    if status in OPEN and (worker is None or status == "waiting"):
        book.want_run(int(key), input if files is None else None)
        if files is not None:
            book.want_manifest(int(key), files)


def _see_step(
    book: BackupBook, run: int, name: str, replica: int, status: str, files: str | None = None
) -> None:
    """A step that is done: nobody changes its output any more, while those of others are not whole."""
    if status != DONE or replica != ITSELF:
        return
    if files is None:
        book.want_output(int(run), str(name))
    else:
        book.want_manifest(int(run), files)
