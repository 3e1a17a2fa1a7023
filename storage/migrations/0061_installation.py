"""The mark by which a database and the folders that belong to it know each other: at most one row."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute

STATEMENTS = ("CREATE TABLE installation (id {int} PRIMARY KEY CHECK (id = 1), mark {text} NOT NULL)",)


def up(migrator: Any, db: Any) -> None:
    """Create the table; the first process that starts enters the mark."""
    execute(db, STATEMENTS)
