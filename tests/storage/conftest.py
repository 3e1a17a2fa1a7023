"""Migrated databases, copied from one that was migrated once, and the worlds over them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from storage.database.database import Database
from tests.kit.disk import quick
from tests.kit.world import StoredWorld, migrate

tmp_path, tmp_path_factory = quick.tmp_path, quick.tmp_path_factory

SQLITE = "sqlite"
POSTGRESQL = pytest.param("postgresql", marks=pytest.mark.postgres)


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("template") / "curlew.db"
    migrate(f"sqlite:///{path}")
    return path


@pytest.fixture(params=[SQLITE, POSTGRESQL])
def migrated_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a database with its tables, once on SQLite and once on PostgreSQL."""
    yield from _migrated(request, request.param, tmp_path)


@pytest.fixture
def database(migrated_url: str) -> Iterator[Database]:
    """A database with its tables, once on SQLite and once on PostgreSQL."""
    database = Database(migrated_url, synchronous="off")
    yield database
    database.close()


@pytest.fixture
def stored(database: Database, tmp_path: Path) -> StoredWorld:
    """A world in a database and files."""
    return StoredWorld(database, f"osfs://{tmp_path}/blobs")


@pytest.fixture
def empty_world(stored: StoredWorld) -> StoredWorld:
    """An empty world on SQLite, and on PostgreSQL."""
    return stored


def _migrated(request: pytest.FixtureRequest, dialect: str, folder: Path) -> Iterator[str]:
    if dialect == "sqlite":
        shutil.copy(request.getfixturevalue("sqlite_template"), folder / "curlew.db")
        yield f"sqlite:///{folder}/curlew.db"
        return
    postgres = request.getfixturevalue("postgres")
    url = postgres.copy_of("tests.storage", migrate)
    yield url
    postgres.drop(url)
