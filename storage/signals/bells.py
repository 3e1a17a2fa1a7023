"""The bell that rings in all processes of a database."""

from __future__ import annotations

from pathlib import Path

from storage.database.database import Database
from storage.signals.bell import Bell, PipeBell
from storage.signals.postgres import PostgresBell


def bell_of(database: Database, url: str, folder: Path) -> Bell:
    """The bell of a database at `url`; one of SQLite has its pipes in `folder`."""
    if database.dialect == "sqlite":
        return PipeBell(folder, database.after_commit)
    return PostgresBell(url, database.ring)
