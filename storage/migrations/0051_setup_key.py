"""The key by which the first account is made in a browser: at most one row."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute

STATEMENTS = (
    """CREATE TABLE setup_key (
        id {int} PRIMARY KEY CHECK (id = 1), key {text} NOT NULL, expires_on {text} NOT NULL)""",
)


def up(migrator: Any, db: Any) -> None:
    """Create the table."""
    execute(db, STATEMENTS)
