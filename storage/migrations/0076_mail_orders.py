"""A table of mails that are to be sent, by their schedule or after a run."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute


def up(migrator: Any, db: Any) -> None:
    """Add the table and its indexes."""
    execute(
        db,
        [
            # `cause` is what asks for the sending; `due_on` is NULL once it was sent or given up.
            """CREATE TABLE mail_order (
            id {id}, item {int} NOT NULL REFERENCES item (id) ON DELETE CASCADE, cause {text} NOT NULL,
            made_on {text} NOT NULL, due_on {text})""",
            "CREATE UNIQUE INDEX mail_order_once ON mail_order (item, cause)",
            "CREATE INDEX mail_order_due ON mail_order (due_on) WHERE due_on IS NOT NULL",
        ],
    )
