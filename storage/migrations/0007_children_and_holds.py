"""Runs inside runs, and the holds at which runs wait."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute

STATEMENTS = (
    # The top-level run of a run inside it.
    "ALTER TABLE run ADD COLUMN top {int}",
    "CREATE INDEX run_top ON run (top) WHERE top IS NOT NULL",
    "CREATE INDEX run_inside ON run (id) WHERE top IS NOT NULL",
    # `space` holds what was parked for people, `frozen` what it held when the run was continued.
    """CREATE TABLE hold (
        run {int} NOT NULL REFERENCES run (key) ON DELETE CASCADE, step {text} NOT NULL,
        phase {text} NOT NULL, waiting_since {text} NOT NULL, settled_at {text}, outcome {text},
        settled_by {text}, space {int}, frozen {int}, PRIMARY KEY (run, step, phase)){clustered}""",
    "CREATE INDEX hold_space ON hold (space)",
)


def up(migrator: Any, db: Any) -> None:
    """Create the columns and the table."""
    execute(db, STATEMENTS)
