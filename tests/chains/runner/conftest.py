"""Runners whose steps run in this process; tests/chains/dask has the same tests over workers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.kit.runner import RunnerSetup, RunnerSetupOf


@pytest.fixture
def runner_setup_of(tmp_path: Path) -> RunnerSetupOf:
    """What makes the runner setup of a test."""

    def make(**scripts: Mapping[str, str]) -> RunnerSetup:
        return RunnerSetup(tmp_path, **scripts)

    return make
