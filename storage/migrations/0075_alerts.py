"""A table of the states of alerts, with an index of those that a clock has to judge."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute


def up(migrator: Any, db: Any) -> None:
    """Add the table and the index."""
    execute(
        db,
        [
            """CREATE TABLE alert (
            item {int} NOT NULL REFERENCES item (id) ON DELETE CASCADE, rel {text} NOT NULL,
            rule {text} NOT NULL, state {text} NOT NULL, since {text} NOT NULL, former {text}, due {text},
            PRIMARY KEY (item, rel, rule)){clustered}""",
            "CREATE INDEX alert_due ON alert (due) WHERE due IS NOT NULL",
        ],
    )
