"""Public keys of SSH that stand at several accounts: each account has a key once."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import dialect, execute

# SQLite takes a UNIQUE away with the table alone; the numbers that were given out stay given out.
SQLITE = (
    "ALTER TABLE ssh_key RENAME TO ssh_key_old",
    """CREATE TABLE ssh_key (
        id {id}, account {text} NOT NULL, name {text} NOT NULL, title {text} NOT NULL,
        summary {text} NOT NULL, kind {text}, body {text}, comment {text}, fingerprint {text},
        created_on {text} NOT NULL, last_modified {text} NOT NULL, last_used_on {text},
        UNIQUE (account, name), UNIQUE (account, fingerprint))""",
    "INSERT INTO ssh_key SELECT * FROM ssh_key_old",
    "DELETE FROM sqlite_sequence WHERE name = 'ssh_key'",
    "UPDATE sqlite_sequence SET name = 'ssh_key' WHERE name = 'ssh_key_old'",
    "DROP TABLE ssh_key_old",
    """CREATE TRIGGER ssh_key_count_insert AFTER INSERT ON ssh_key BEGIN
        INSERT INTO row_count (account, name, number) VALUES (NEW.account, 'keys', 1)
        ON CONFLICT (account, name) DO UPDATE SET number = row_count.number + 1; END""",
    """CREATE TRIGGER ssh_key_count_delete AFTER DELETE ON ssh_key BEGIN
        UPDATE row_count SET number = number - 1 WHERE name = 'keys' AND account = OLD.account; END""",
)
POSTGRESQL = (
    "ALTER TABLE ssh_key DROP CONSTRAINT ssh_key_fingerprint_key, ADD UNIQUE (account, fingerprint)",
)
BOTH = ("CREATE INDEX ssh_key_fingerprint ON ssh_key (fingerprint)",)


def up(migrator: Any, db: Any) -> None:
    """Replace the rule, and have keys found by their fingerprint."""
    execute(db, (*(SQLITE if dialect(db) == "sqlite" else POSTGRESQL), *BOTH))
