"""Facts of an installation that its database tells."""

from __future__ import annotations

from datetime import UTC, datetime

from storage.database.database import Database

FIRST_APPLIED = "SELECT MIN(applied) FROM schema_migration"


def installed_on(database: Database) -> datetime:
    """The moment of the first migration, aware, UTC."""
    first = database.value(FIRST_APPLIED)
    moment = first if isinstance(first, datetime) else datetime.fromisoformat(first)
    return moment.replace(tzinfo=UTC)


def check(database: Database) -> str:
    """Have the database answer; the name of its dialect. Raises Unavailable."""
    database.row("SELECT 1")
    return database.dialect
