"""Facts about an installation that are read from its database."""

from __future__ import annotations

from datetime import UTC, datetime

from storage.database.database import Database

FIRST_APPLIED = "SELECT MIN(applied) FROM schema_migration"


def installed_on(database: Database) -> datetime:
    """Return the time of the first migration, aware, in UTC."""
    first = database.value(FIRST_APPLIED)
    moment = first if isinstance(first, datetime) else datetime.fromisoformat(first)
    return moment.replace(tzinfo=UTC)


def check(database: Database) -> str:
    """Query the database and return the name of its dialect. Raises Unavailable."""
    database.row("SELECT 1")
    return database.dialect
