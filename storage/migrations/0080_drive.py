"""Locks in spaces, and the properties of files that clients of drives set."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute

STATEMENTS = (
    # `about` is XML from the client that describes the person.
    """CREATE TABLE space_lock (
        token {text} PRIMARY KEY, item {int} NOT NULL REFERENCES item (id) ON DELETE CASCADE,
        path {text} NOT NULL, deep {bool} NOT NULL, exclusive {bool} NOT NULL, account {text} NOT NULL,
        about {text} NOT NULL, expires_on {text} NOT NULL){clustered}""",
    "CREATE INDEX space_lock_item ON space_lock (item, path)",
    "CREATE INDEX space_lock_account ON space_lock (account)",
    # JSON: XML by name.
    "ALTER TABLE space_entry ADD COLUMN properties {text} NOT NULL DEFAULT ''",
)


def up(migrator: Any, db: Any) -> None:
    """Add the table and the column."""
    execute(db, STATEMENTS)
