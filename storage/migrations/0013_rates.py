"""Counts of attempts, registrations and mails; an e-mail address belongs to whoever has verified it."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute

STATEMENTS = (
    # `ends` is in seconds since 1970; what was counted until then is of no more use.
    """CREATE TABLE rate (
        subject {text} PRIMARY KEY, ends {int} NOT NULL, taken {int} NOT NULL){clustered}""",
    "CREATE INDEX rate_ends ON rate (ends)",
    "DROP INDEX account_email",
    "CREATE UNIQUE INDEX account_email ON account (lower(email)) WHERE verified",
)


def up(migrator: Any, db: Any) -> None:
    """Create the table, and let unverified addresses stand beside each other."""
    execute(db, STATEMENTS)
