"""Pushers of builds."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute

STATEMENTS = (
    # The build may name the images that this user may use.
    "ALTER TABLE build ADD COLUMN pusher {text} NOT NULL DEFAULT ''",
    """UPDATE build SET pusher = coalesce((SELECT owner FROM item WHERE item.id = build.repo), '')""",
)


def up(migrator: Any, db: Any) -> None:
    """Create the column; builds that are there count as their owner's."""
    execute(db, STATEMENTS)
