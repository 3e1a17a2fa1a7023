"""Runs of which the log and the output were let go, and how long runs took."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import dialect, execute

TOOK = {
    "sqlite": "printf('%.2f', (julianday(completed_on) - julianday(started_on)) * 86400)",
    "postgresql": "round(extract(epoch FROM completed_on::timestamptz - started_on::timestamptz)::numeric, "
    "2)::text",
}

STATEMENTS = (
    # When that was; NULL while they are kept.
    "ALTER TABLE run ADD COLUMN expired_on {text}",
    """CREATE INDEX run_kept ON run (completed_on)
    WHERE expired_on IS NULL AND completed_on IS NOT NULL AND parent IS NULL""",
    # Seconds with two decimals, as a history tells them: a hundred thousand are not computed in passing.
    "ALTER TABLE run ADD COLUMN duration {text}",
    "UPDATE run SET duration = {took} WHERE started_on IS NOT NULL AND completed_on IS NOT NULL",
)


def up(migrator: Any, db: Any) -> None:
    """Create the columns and the index."""
    execute(db, STATEMENTS, took=TOOK[dialect(db)])
