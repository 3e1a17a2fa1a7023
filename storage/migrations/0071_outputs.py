"""A column for the run that made the output of a step, and an index of the outputs that are stored."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute


def up(migrator: Any, db: Any) -> None:
    """Add the column and the index."""
    execute(
        db,
        [
            "ALTER TABLE step ADD COLUMN output_of {text}",
            "CREATE INDEX step_files ON step (run) WHERE files IS NOT NULL",
        ],
    )
