"""The service that transcripts are played against: the whole of it, on a separate folder and database."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from handlers.settings.sources import load
from tests.kit.disk import quick
from tests.kit.service import Application, open_service
from tests.kit.unmeasured import paused_coverage
from tests.kit.world import migrate

tmp_path, tmp_path_factory = quick.tmp_path, quick.tmp_path_factory

QUICK = {
    "password_memory": "8",
    "password_time": "1",
    "synchronous": "normal",
    "stop_grace": "0.3",
    "registrations": "1000",
    "mail_domain": "mail.example",
}


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An SQLite file with the tables."""
    path = tmp_path_factory.mktemp("migrated") / "curlew.db"
    migrate(f"sqlite:///{path}")
    return path


@pytest.fixture(
    params=["sqlite", pytest.param("postgresql", marks=[pytest.mark.postgres, pytest.mark.repeats])]
)
def service(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Application]:
    """Curlew composed as its processes are, on both databases, in a hurry.

    SQLite's half measures coverage; of PostgreSQL's own lines tests/storage does.
    """
    chosen = {**QUICK, "data": str(tmp_path)}
    if request.param == "sqlite":
        shutil.copy(request.getfixturevalue("migrated"), tmp_path / "curlew.db")
        with open_service(load({}, **chosen)) as service:
            yield service
        return
    postgres = request.getfixturevalue("postgres")
    url = postgres.copy_of("tests.wire", migrate)
    with paused_coverage(), open_service(load({}, database_url=url, **chosen)) as service:
        yield service
    postgres.drop(url)
