"""The next times of jobs, and the times that have had a run."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute

STATEMENTS = (
    # `text` repeats config/schedule, `zone` and `expression` are what it says.
    """CREATE TABLE schedule (
        job {int} PRIMARY KEY REFERENCES item (id) ON DELETE CASCADE, text {text} NOT NULL,
        zone {text} NOT NULL, expression {text} NOT NULL, planned {text} NOT NULL){clustered}""",
    "CREATE INDEX schedule_planned ON schedule (planned)",
    """CREATE TABLE firing (
        job {int} NOT NULL REFERENCES item (id) ON DELETE CASCADE, planned {text} NOT NULL,
        PRIMARY KEY (job, planned)){clustered}""",
    "CREATE INDEX firing_planned ON firing (planned)",
)


def up(migrator: Any, db: Any) -> None:
    """Create the tables."""
    execute(db, STATEMENTS)
