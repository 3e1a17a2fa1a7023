"""Tallies of the files that runs were sent and their steps left, to be compared when they are used."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute

STATEMENTS = (
    "ALTER TABLE run ADD COLUMN tally {text}",
    "ALTER TABLE step ADD COLUMN tally {text}",
)


def up(migrator: Any, db: Any) -> None:
    """Add the columns; of what there is nothing is known."""
    execute(db, STATEMENTS)
