"""Messages of the service itself that are still to leave."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute

STATEMENTS = (
    # A row goes with the last word on its message; one that somebody took is due again at `due_on`.
    """CREATE TABLE queued_message (
        id {id}, address {text} NOT NULL, message_id {text} NOT NULL, message {bytes} NOT NULL,
        tries {int} NOT NULL, due_on {text} NOT NULL)""",
    "CREATE INDEX queued_message_due ON queued_message (due_on, id)",
)


def up(migrator: Any, db: Any) -> None:
    """Create the table."""
    execute(db, STATEMENTS)
