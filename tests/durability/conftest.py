"""A server under a warden, once on SQLite and once on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.durability.faulty_server import FaultyServer
from tests.kit.disk import quick

tmp_path, tmp_path_factory = quick.tmp_path, quick.tmp_path_factory


@pytest.fixture
def faulty_server(database_url: str, tmp_path: Path) -> Iterator[FaultyServer]:
    inside = f"sqlite:///{tmp_path}/data/curlew.db"
    faulty_server = FaultyServer(
        tmp_path / "data", inside if database_url.startswith("sqlite") else database_url
    )
    yield faulty_server
    faulty_server.close()
