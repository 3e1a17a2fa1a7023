"""Labels whose image the store of images was found not to have."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute

STATEMENTS = ("ALTER TABLE label ADD COLUMN missing {int} NOT NULL DEFAULT 0",)


def up(migrator: Any, db: Any) -> None:
    """Add the column."""
    execute(db, STATEMENTS)
