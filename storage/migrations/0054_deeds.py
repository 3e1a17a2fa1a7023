"""Deeds: who did what to an item, the newest of each."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute

STATEMENTS = (
    # `target` is whom a share is for; `first_on` and `last_on` tell from when to when it was done so often.
    """CREATE TABLE deed (
        id {id}, item {int} NOT NULL REFERENCES item (id) ON DELETE CASCADE, actor {text} NOT NULL,
        kind {text} NOT NULL, below {text} NOT NULL, target {text} NOT NULL, first_on {text} NOT NULL,
        last_on {text} NOT NULL, times {int} NOT NULL)""",
    "CREATE INDEX deed_item ON deed (item, id)",
)


def up(migrator: Any, db: Any) -> None:
    """Create the table and its index."""
    execute(db, STATEMENTS)
