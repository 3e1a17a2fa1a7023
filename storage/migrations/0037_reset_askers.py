"""The place from which a code for a forgotten password was asked for."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute

STATEMENTS = ("ALTER TABLE password_reset ADD COLUMN asker {text} NOT NULL DEFAULT ''",)


def up(migrator: Any, db: Any) -> None:
    """Add the column."""
    execute(db, STATEMENTS)
