"""Who pushed what a build is made of."""

from __future__ import annotations

from typing import Any

DIALECTS = {"sqlite": {"text": "TEXT"}, "postgresql": {"text": 'TEXT COLLATE "C"'}}

STATEMENTS = (
    # The build may name the images that this user may use.
    "ALTER TABLE build ADD COLUMN pusher {text} NOT NULL DEFAULT ''",
    """UPDATE build SET pusher = coalesce((SELECT owner FROM item WHERE item.id = build.repo), '')""",
)


def up(migrator: Any, db: Any) -> None:
    """Create the column; builds that are there count as their owner's."""
    dialect = DIALECTS["sqlite" if db.param == "?" else "postgresql"]
    for statement in STATEMENTS:
        db.execute_sql(statement.format_map(dialect))
