"""A column for the number of the last attempt at a step that was retried."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute


def up(migrator: Any, db: Any) -> None:
    """Add the column."""
    execute(db, ["ALTER TABLE step ADD COLUMN attempt {int}"])
