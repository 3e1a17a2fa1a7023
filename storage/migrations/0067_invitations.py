"""Shares that wait until their target is connected with the owner, and one-time invitation links."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute
from storage.migrations.triggers import CountedRows, count_rows

TABLES = (
    # `name` is the share as it was entered; `account` need not exist.
    """CREATE TABLE pending_share (
        item {int} NOT NULL REFERENCES item (id) ON DELETE CASCADE, account {text} NOT NULL,
        owner {text} NOT NULL, letters {text} NOT NULL, name {text} NOT NULL, created_on {text} NOT NULL,
        PRIMARY KEY (item, account)){clustered}""",
    "CREATE INDEX pending_share_account ON pending_share (account, owner)",
    """CREATE TABLE invitation_link (
        digest {text} PRIMARY KEY, account {text} NOT NULL, name {text} NOT NULL, created_on {text} NOT NULL,
        expires_on {text} NOT NULL, UNIQUE (account, name)){clustered}""",
)
COUNTED = CountedRows("shares", "pending_share", "{r}.owner")


def up(migrator: Any, db: Any) -> None:
    """Create both tables. A pending share counts for the quota of shares."""
    execute(db, TABLES)
    count_rows(db, COUNTED)
