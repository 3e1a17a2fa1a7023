"""The change signal that reaches all processes of a database."""

from __future__ import annotations

from pathlib import Path

from storage.database.database import Database
from storage.signals.change_signal import ChangeSignal, PipeSignal
from storage.signals.postgres import PostgresSignal


def change_signal_of(database: Database, url: str, folder: Path) -> ChangeSignal:
    """Return the change signal of a database at `url`; that of SQLite has its pipes in `folder`."""
    if database.dialect == "sqlite":
        return PipeSignal(folder, database.after_commit)
    return PostgresSignal(url, database.signal)
