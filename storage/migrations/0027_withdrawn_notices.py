"""Notices found by their source in all inboxes, to be withdrawn when what they ask for is done."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute

STATEMENTS = ("CREATE INDEX notice_withdrawn ON notice (source, kind)",)


def up(migrator: Any, db: Any) -> None:
    """Create the index."""
    execute(db, STATEMENTS)
