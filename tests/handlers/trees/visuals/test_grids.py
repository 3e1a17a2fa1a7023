"""Grids whose files were stored before they were checked: what is read, and when both are made again."""

from __future__ import annotations

import json
from typing import Any

import pytest

from chains.language.mistake import Mistake
from tests.handlers.trees.tree_world import TreeWorld
from vfs.access import Caller, Verb, Via
from vfs.errors import VfsError

ALICE = Caller("alice", via=Via.TOKEN)
GRID = "/v1/vis/grids/board"
DRAWN = "+---+\n|{A}|\n+---+"


@pytest.fixture
def grid(tree_world: TreeWorld) -> int:
    """A grid of alice's, by its id."""
    tree_world.call(Verb.CREATE, GRID, ALICE)
    found = tree_world.items.find("grid", "alice", "board", "alice")
    assert found is not None
    return found.item.id


def shown(tree_world: TreeWorld) -> tuple[Any, Any]:
    """The boxes and references in the JSON files of the grid."""
    data, meta = (
        json.loads(tree_world.text(f"{GRID}/json/{name}.json", ALICE)) for name in ("data", "meta_data")
    )
    return data["structure"]["children"], [ref["label"] for ref in meta["refs"]]


def test_a_mapping_can_be_written_beside_a_stored_layout_that_is_invalid(
    tree_world: TreeWorld, grid: int
) -> None:
    tree_world.leaves.put(grid, "layout", "no drawing", "alice")
    tree_world.write(f"{GRID}/mapping", ALICE, "A => x1m2b")
    assert shown(tree_world) == ([], [])
    tree_world.write(f"{GRID}/layout", ALICE, DRAWN)
    assert shown(tree_world)[1] == ["A"]


def test_a_layout_can_be_written_beside_a_stored_mapping_that_is_invalid(
    tree_world: TreeWorld, grid: int
) -> None:
    tree_world.leaves.put(grid, "mapping", "A => no reference!", "alice")
    tree_world.write(f"{GRID}/layout", ALICE, DRAWN)
    boxes, refs = shown(tree_world)
    assert (len(boxes), refs) == (1, [])


@pytest.mark.parametrize("name, text", [("layout", "+--+"), ("mapping", "A => ?")])
def test_a_refused_text_leaves_everything_as_it_was(
    tree_world: TreeWorld, grid: int, name: str, text: str
) -> None:
    tree_world.write(f"{GRID}/layout", ALICE, DRAWN)
    tree_world.write(f"{GRID}/mapping", ALICE, "A => x1m2b")
    before = [(leaf.rel, leaf.text, leaf.last_modified) for leaf in tree_world.leaves.texts(grid, "")]
    with pytest.raises(VfsError) as refused:
        tree_world.write(f"{GRID}/{name}", ALICE, text)
    assert isinstance(refused.value, Mistake)
    after = [(leaf.rel, leaf.text, leaf.last_modified) for leaf in tree_world.leaves.texts(grid, "")]
    assert after == before
