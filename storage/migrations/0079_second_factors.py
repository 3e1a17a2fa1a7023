"""Second factors of accounts, and their recovery codes."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute

TABLES = (
    # `counter` is the last used time step of an app, or the sign counter of a passkey. `added_by` is the
    # session in which the factor was added.
    """CREATE TABLE factor (
        id {id}, account {text} NOT NULL, kind {text} NOT NULL, name {text} NOT NULL, sealed {text} NOT NULL,
        credential {text} UNIQUE, public_key {text} NOT NULL, counter {int} NOT NULL, added_by {int},
        created_on {text} NOT NULL, last_used_on {text}, UNIQUE (account, name))""",
    "CREATE UNIQUE INDEX factor_app ON factor (account) WHERE kind = 'app'",
    """CREATE TABLE recovery_code (
        account {text} NOT NULL, digest {text} NOT NULL, PRIMARY KEY (account, digest)){clustered}""",
)


def up(migrator: Any, db: Any) -> None:
    """Create both tables."""
    execute(db, TABLES)
