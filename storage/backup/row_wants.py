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
        cells = [columns.index(name) for name in ("run", "name", "replica", "status")]
        return lambda row: _see_step(book, *(row[place] for place in cells))
    if table == "run":
        names = [columns.index(name) for name in ("key", "status", "worker", "input")]

        def see_run(row: Sequence[Any]) -> None:
            _see_blobs(book, row, places)
            _see_run(book, *(row[place] for place in names))

        return see_run
    return lambda row: _see_blobs(book, row, places)


def _see_blobs(book: BackupBook, row: Sequence[Any], places: Sequence[int]) -> None:
    for place in places:
        if row[place] is not None and DIGEST.fullmatch(str(row[place])):
            book.want_blob(str(row[place]))


def _see_run(book: BackupBook, key: int, status: str, worker: str | None, input: str | None) -> None:
    """A run that a runner works on is lost with it, as after a power cut: its folder is not wanted."""
    if status in OPEN and (worker is None or status == "waiting"):
        book.want_run(int(key), input)


def _see_step(book: BackupBook, run: int, name: str, replica: int, status: str) -> None:
    """A step that is done: nobody changes its output any more, while those of others are not whole."""
    if status == DONE and replica == ITSELF:
        book.want_output(int(run), str(name))
