"""The people behind the inputs of runs, and the repos of the images that an image is built on."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute

STATEMENTS = (
    # JSON, names with reasons; NULL: nobody knows, as an earlier release recorded the run.
    "ALTER TABLE run ADD COLUMN behind {text}",
    # JSON, item ids of repos; NULL: nobody knows, as an earlier release built the image.
    "ALTER TABLE build ADD COLUMN bases {text}",
)


def up(migrator: Any, db: Any) -> None:
    """Add the columns."""
    execute(db, STATEMENTS)
