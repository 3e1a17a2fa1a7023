"""A plot lists the settings that its type is drawn by, and keeps all the others."""

import pytest

from tests.handlers.trees.tree_world import TreeWorld
from vfs.access import Caller, Verb, Via

ALICE = Caller("alice", via=Via.TOKEN)
PLOT = "/v1/vis/plots/sales"
ALWAYS = {"lang", "type", "title", "subtitle", "caption", "comments"}


@pytest.mark.parametrize(
    "type_,folders",
    [
        ("line", {"axis", "bg", "colors", "legend", "notes", "split", "trend", "value", "reading"}),
        ("bar", {"axis", "bg", "colors", "combo", "legend", "notes", "split", "reading"}),
        ("pie", {"bg", "colors", "value", "reading"}),
        ("heatmap", {"axis", "bg", "colors", "legend", "reading"}),
        ("mtable", {"bg", "colors", "table", "reading"}),
        ("map", {"bg", "colors", "table", "reading"}),
        ("custom", {"custom"}),
    ],
)
def test_the_settings_that_are_listed_follow_the_type(
    tree_world: TreeWorld, type_: str, folders: set[str]
) -> None:
    tree_world.call(Verb.CREATE, PLOT, ALICE)
    tree_world.write(f"{PLOT}/config/type", ALICE, type_)
    assert {row.name for row in tree_world.read(f"{PLOT}/config", ALICE)} == ALWAYS | folders


def test_a_setting_that_is_not_listed_is_kept_all_the_same(tree_world: TreeWorld) -> None:
    tree_world.call(Verb.CREATE, PLOT, ALICE)
    tree_world.write(f"{PLOT}/config/custom/custom.js", ALICE, "node.textContent = 1")
    assert tree_world.text(f"{PLOT}/config/custom/custom.js", ALICE) == "node.textContent = 1"
