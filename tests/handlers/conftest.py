"""The edge in front of a small kernel, an identification over known users, and whole worlds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from handlers.http.request_head import Front
from handlers.settings.sources import load
from tests.handlers.door import Door
from tests.handlers.service_world import ServiceWorld
from tests.handlers.small_kernel import Kernel, Lines, Stage, edge
from tests.kit.world import make_tables, migrate


@pytest.fixture
def kernel(tmp_path: Path) -> Kernel:
    return Kernel(Stage(), tmp_path)


@pytest.fixture
def lines() -> Lines:
    return Lines()


@pytest.fixture
def app(kernel: Kernel, lines: Lines) -> Any:
    return edge(kernel, lines, front=Front(proxies=frozenset({"127.0.0.1"})))


@pytest.fixture(
    params=["sqlite", pytest.param("postgresql", marks=[pytest.mark.postgres, pytest.mark.repeats])]
)
def service_world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ServiceWorld]:
    """A world with people and an image, on both databases."""
    chosen = {"data": str(tmp_path), "synchronous": "normal"}
    url = None
    if request.param == "postgresql":
        postgres = request.getfixturevalue("postgres")
        url = postgres.copy_of("tests.handlers", migrate)
    else:
        make_tables(tmp_path)
    service_world = ServiceWorld(load({}, database_url=url, **chosen))
    yield service_world
    service_world.live_world.lead.release()
    service_world.live_world.close()
    if url is not None:
        postgres.drop(url)


@pytest.fixture
def door() -> Iterator[Door]:
    door = Door()
    yield door
    door.uses.close()
