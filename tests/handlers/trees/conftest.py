"""The town that the trees of people are tested in."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.handlers.trees.town import Town
from tests.kit.disk import quick

tmp_path, tmp_path_factory = quick.tmp_path, quick.tmp_path_factory


@pytest.fixture
def town(tmp_path: Path) -> Town:
    """A town in which alice and bob live, open to whoever registers."""
    town = Town(tmp_path)
    town.citizen("alice")
    town.citizen("bob")
    return town
