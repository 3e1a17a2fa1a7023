"""The end of a hook's pause after a failure, and unknown authors of ended runs with answered holds."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute

STATEMENTS = (
    "ALTER TABLE hook ADD COLUMN rests_until {text} NOT NULL DEFAULT ''",
    # From now on this is recorded with an answer. The spaces of ended runs are gone.
    """UPDATE run SET behind = NULL WHERE completed_on IS NOT NULL AND key IN (
        SELECT run FROM hold WHERE outcome = 'continued' AND space IS NOT NULL)""",
)


def up(migrator: Any, db: Any) -> None:
    """Add the column, and set the people behind these runs to unknown."""
    execute(db, STATEMENTS)
