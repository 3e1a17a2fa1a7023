"""Sources of notices, by which repetitions are folded and nobody floods an inbox."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute

STATEMENTS = (
    "ALTER TABLE notice ADD COLUMN source {text} NOT NULL DEFAULT ''",
    "CREATE INDEX notice_source ON notice (account, source, id)",
)


def up(migrator: Any, db: Any) -> None:
    """Create the column; notices that are there have no source."""
    execute(db, STATEMENTS)
