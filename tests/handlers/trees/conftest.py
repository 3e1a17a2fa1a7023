"""The world of the tests of people's trees."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.handlers.trees.tree_world import TreeWorld
from tests.kit.disk import quick

tmp_path, tmp_path_factory = quick.tmp_path, quick.tmp_path_factory


@pytest.fixture
def tree_world(tmp_path: Path) -> TreeWorld:
    """A tree with the accounts alice and bob, where everyone may register."""
    tree_world = TreeWorld(tmp_path)
    tree_world.citizen("alice")
    tree_world.citizen("bob")
    return tree_world
