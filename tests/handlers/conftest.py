"""The edge in front of a stand-in kernel, and an identification over users that are there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from handlers.asked import Front
from tests.handlers.door import Door
from tests.handlers.standins import Kernel, Lines, Stage, edge


@pytest.fixture
def kernel(tmp_path: Path) -> Kernel:
    return Kernel(Stage(), tmp_path)


@pytest.fixture
def lines() -> Lines:
    return Lines()


@pytest.fixture
def app(kernel: Kernel, lines: Lines) -> Any:
    return edge(kernel, lines, front=Front(proxies=frozenset({"127.0.0.1"})))


@pytest.fixture
def door() -> Iterator[Door]:
    door = Door()
    yield door
    door.uses.close()
