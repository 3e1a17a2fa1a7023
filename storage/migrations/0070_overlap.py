"""A column for runs that wait for the earlier runs of their job, and an index of the open runs of a job."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute


def up(migrator: Any, db: Any) -> None:
    """Add the column and the index."""
    execute(
        db,
        [
            "ALTER TABLE run ADD COLUMN alone {bool} NOT NULL DEFAULT FALSE",
            """CREATE INDEX run_going ON run (job, key)
            WHERE status IN ('processing', 'waiting', 'canceling') AND top IS NULL""",
        ],
    )
