"""Public keys of SSH, each of one account of the whole server, and counted for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from storage.migrations.dialect import dialect, execute

STATEMENTS = (
    """CREATE TABLE ssh_key (
        id {id}, account {text} NOT NULL, name {text} NOT NULL, title {text} NOT NULL,
        summary {text} NOT NULL, kind {text}, body {text}, comment {text}, fingerprint {text} UNIQUE,
        created_on {text} NOT NULL, last_modified {text} NOT NULL, last_used_on {text},
        UNIQUE (account, name))""",
)

MORE = """
INSERT INTO row_count (account, name, number) VALUES (NEW.account, 'keys', 1)
ON CONFLICT (account, name) DO UPDATE SET number = row_count.number + 1;"""
LESS = "UPDATE row_count SET number = number - 1 WHERE name = 'keys' AND account = OLD.account;"


def up(migrator: Any, db: Any) -> None:
    """Create the table, and have its rows counted."""
    execute(db, STATEMENTS)
    for event, deed in (("INSERT", MORE), ("DELETE", LESS)):
        for made in _trigger(dialect(db), f"ssh_key_count_{event.lower()}", event, deed):
            db.execute_sql(made)


def _trigger(kind: str, name: str, event: str, deed: str) -> Iterator[str]:
    if kind == "sqlite":
        yield f"CREATE TRIGGER {name} AFTER {event} ON ssh_key BEGIN {deed} END"
        return
    yield (
        f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {deed} RETURN NULL; END $$"
    )
    yield f"CREATE TRIGGER {name} AFTER {event} ON ssh_key FOR EACH ROW EXECUTE FUNCTION {name}()"
