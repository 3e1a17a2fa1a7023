"""E-mail addresses of accounts, of which `account.email` is the primary one."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute

STATEMENTS = (
    # `mailbox` is the address in small letters, by which it is found; a verified one is one account's alone.
    """CREATE TABLE address (
        account {text} NOT NULL, mailbox {text} NOT NULL, address {text} NOT NULL, added_on {text} NOT NULL,
        verified_on {text}, primary_on {text}, PRIMARY KEY (account, mailbox)){clustered}""",
    "CREATE UNIQUE INDEX address_verified ON address (mailbox) WHERE verified_on IS NOT NULL",
    """INSERT INTO address (account, mailbox, address, added_on, verified_on, primary_on)
        SELECT name, lower(email), email, created_on, CASE WHEN verified THEN created_on END, created_on
        FROM account WHERE email IS NOT NULL""",
)


def up(migrator: Any, db: Any) -> None:
    """Create the table, and take over the address of each account."""
    execute(db, STATEMENTS)
