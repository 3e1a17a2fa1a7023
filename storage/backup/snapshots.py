"""Snapshots by the URL of the database."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg2

from storage.backup.postgres_snapshot import postgres_snapshot
from storage.backup.snapshot import Snapshot
from storage.backup.sqlite_snapshot import sqlite_snapshot
from storage.database.errors import meaning
from storage.database.sqlite.file_pool import file_of


@contextmanager
def open_snapshot(url: str) -> Iterator[Snapshot]:
    """The present moment of a database. Raises Unavailable when it is away."""
    try:
        if url.startswith("sqlite:"):
            with sqlite_snapshot(file_of(url)) as snapshot:
                yield snapshot
        else:
            with postgres_snapshot(url) as snapshot:
                yield snapshot
    except (sqlite3.Error, psycopg2.Error) as error:
        raise meaning(error) from error
