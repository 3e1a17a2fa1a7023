"""Trouble of each runner with its engine."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute

STATEMENTS = (
    "ALTER TABLE worker ADD COLUMN trouble {text}",
    "ALTER TABLE worker ADD COLUMN since {text}",
)


def up(migrator: Any, db: Any) -> None:
    """Create the columns: what is wrong, NULL while nothing is, and since when."""
    execute(db, STATEMENTS)
