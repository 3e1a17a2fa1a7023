"""Yards whose steps run in this process; tests/chains/dask has the same tests over workers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.kit.runner import Yard, YardOf


@pytest.fixture
def yard_of(tmp_path: Path) -> YardOf:
    """What makes the yard of a test."""

    def make(**scripts: Mapping[str, str]) -> Yard:
        return Yard(tmp_path, **scripts)

    return make
