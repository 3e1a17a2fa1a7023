"""A server under a warden, once on SQLite and once on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.durability.ground import Ground
from tests.kit.disk import quick

tmp_path, tmp_path_factory = quick.tmp_path, quick.tmp_path_factory


@pytest.fixture
def ground(database_url: str, tmp_path: Path) -> Iterator[Ground]:
    inside = f"sqlite:///{tmp_path}/data/curlew.db"
    ground = Ground(tmp_path / "data", inside if database_url.startswith("sqlite") else database_url)
    yield ground
    ground.close()
