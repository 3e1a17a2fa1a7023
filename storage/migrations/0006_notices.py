"""Notices for users, in their inboxes and by mail."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute

STATEMENTS = (
    # `mail` is due, taken, or NULL when no mail is wanted.
    """CREATE TABLE notice (
        id {id}, account {text} NOT NULL, created_on {text} NOT NULL, kind {text} NOT NULL,
        level {text} NOT NULL, path {text} NOT NULL, text {text} NOT NULL, mail {text})""",
    "CREATE INDEX notice_account ON notice (account, id)",
    "CREATE INDEX notice_mail ON notice (id) WHERE mail = 'due'",
)


def up(migrator: Any, db: Any) -> None:
    """Create the tables."""
    execute(db, STATEMENTS)
