"""The time until which a hook rests, as its receiver did not answer."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute

STATEMENTS = ("ALTER TABLE hook ADD COLUMN rests_until {text} NOT NULL DEFAULT ''",)


def up(migrator: Any, db: Any) -> None:
    """Add the column."""
    execute(db, STATEMENTS)
