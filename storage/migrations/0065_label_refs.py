"""The whole schema after 65 migrations: created at once, or converted from 0.1.0 or later checkouts.

It has the name of the last of them, so that databases with that migration need no change.
"""

from __future__ import annotations

from typing import Any

from storage.migrations import former_tables, tables
from storage.migrations.dialect import dialect, execute
from storage.migrations.triggers import create_triggers

# The client id of the published command line, with the redirects that it uses.
COMMAND_LINE = """
INSERT INTO application (client, owner, name, description, redirects, scopes, created_on) VALUES (
    'novem-cli', NULL, 'Command line', 'the command line',
    'http://localhost/callback' || {line} || 'http://127.0.0.1/callback' || {line} ||
    'urn:ietf:wg:oauth:2.0:oob', 'all read vis code', '2026-11-22T00:00:00.000Z')"""
LINE = {"sqlite": "char(10)", "postgresql": "chr(10)"}


def up(migrator: Any, db: Any) -> None:
    """Create tables, indexes and triggers, and copy the rows of an earlier schema."""
    kind = dialect(db)
    old = former_tables.set_aside(db)
    execute(db, tables.STATEMENTS, **tables.ORDERS[kind])
    create_triggers(db)
    if old:
        former_tables.copy_rows(db, old)
    if "application" not in old:
        execute(db, (COMMAND_LINE,), line=LINE[kind])
