"""What each runner knows of its engine."""

from __future__ import annotations

from typing import Any

COLUMNS = ("trouble", "since")


def up(migrator: Any, db: Any) -> None:
    """Create the columns: what is wrong, NULL while nothing is, and since when."""
    kind = "TEXT" if db.param == "?" else 'TEXT COLLATE "C"'
    for column in COLUMNS:
        db.execute_sql(f"ALTER TABLE worker ADD COLUMN {column} {kind}")
