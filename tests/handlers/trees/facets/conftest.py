"""The household of things that are renamed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.handlers.household import Household
from tests.handlers.trees.facets.named_things import make_named


@pytest.fixture
def stage(household: Household, tmp_path: Path) -> Household:
    """alice's report, a mail, a grid and a job, and things of hers and bob's that are called `one`."""
    return make_named(household, tmp_path)
