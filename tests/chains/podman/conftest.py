"""A yard whose steps run in containers of its own host; tests/chains/dask has the same tests over workers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chains.podman.yards import PodmanYard
from tests.kit.podman import Bench


@pytest.fixture
def yard(podman_bench: Bench, tmp_path: Path) -> Iterator[PodmanYard]:
    yard = PodmanYard(tmp_path, podman_bench)
    yield yard
    assert yard.containers() == []
    assert yard.leftovers() == []
    yard.database.close()
