"""The service world of things that are renamed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.handlers.service_world import ServiceWorld
from tests.handlers.trees.facets.named_things import make_named


@pytest.fixture
def stage(service_world: ServiceWorld, tmp_path: Path) -> ServiceWorld:
    """alice's report, a mail, a grid, a job, and items of alice's and bob's with the name `one`."""
    return make_named(service_world, tmp_path)
