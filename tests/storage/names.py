"""What tests of the database say and do on both kinds: names kept, connections cut."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from storage.database.database import Database

ADD = "INSERT INTO shortname (name) VALUES (?)"
NAMES = "SELECT name FROM shortname ORDER BY name"


def names(database: Database) -> list[str]:
    return [name for (name,) in database.rows(NAMES)]


def forget(database: Database) -> int:
    """A write that changes nothing: it needs a connection of the pool."""
    return database.run("DELETE FROM shortname WHERE name = ''")


def in_thread(call: Callable[[], object]) -> object:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(call).result()


def cut_connections(url: str) -> None:
    """PostgreSQL ends every connection to the database but the one that asks for it."""
    other = Database(url, pool=1)
    other.rows(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    other.close()


only_sqlite = pytest.mark.parametrize("migrated_url", ["sqlite"], indirect=True)


def on_postgresql(test: Callable[..., None]) -> Callable[..., None]:
    """The test with its database on PostgreSQL alone."""
    return pytest.mark.postgres(pytest.mark.parametrize("migrated_url", ["postgresql"], indirect=True)(test))
