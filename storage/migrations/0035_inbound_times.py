"""The time at which a mail that came in was settled."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute

STATEMENTS = ("ALTER TABLE inbound_mail ADD COLUMN settled_on {text}",)


def up(migrator: Any, db: Any) -> None:
    """Add the column."""
    execute(db, STATEMENTS)
