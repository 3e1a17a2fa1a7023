"""The table of accounts that are linked with people at a provider of OpenID Connect."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute

LINKS = (
    # `shown` is the name of the person there, for people to read.
    """CREATE TABLE provider_link (
        issuer {text} NOT NULL, subject {text} NOT NULL,
        account {text} NOT NULL REFERENCES account (name) ON DELETE CASCADE,
        shown {text} NOT NULL, linked_on {text} NOT NULL, used_on {text},
        PRIMARY KEY (issuer, subject), UNIQUE (account, issuer)){clustered}""",
)


def up(migrator: Any, db: Any) -> None:
    """Add the table."""
    execute(db, LINKS)
