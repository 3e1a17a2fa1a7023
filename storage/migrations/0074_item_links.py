"""The table of links by which people without an account read an item."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute

LINKS = (
    # `digest` is that of the key, `password` the hash of one, `pinned` the name of a snapshot.
    """CREATE TABLE item_link (
        digest {text} PRIMARY KEY, item {int} NOT NULL REFERENCES item (id) ON DELETE CASCADE,
        name {text} NOT NULL, created_on {text} NOT NULL, expires_on {text}, password {text}, uses {int},
        pinned {text}, used {int} NOT NULL DEFAULT 0, last_use {text}, UNIQUE (item, name)){clustered}""",
)


def up(migrator: Any, db: Any) -> None:
    """Add the table."""
    execute(db, LINKS)
