"""A plot lists the settings that its type is drawn by, and keeps all the others."""

import pytest

from tests.handlers.trees.town import Town
from vfs.access import Caller, Verb, Via

ALICE = Caller("alice", via=Via.TOKEN)
PLOT = "/v1/vis/plots/sales"
ALWAYS = {"lang", "type", "title", "subtitle", "caption", "comments"}


@pytest.mark.parametrize(
    "type_,folders",
    [
        ("line", {"axis", "bg", "colors", "legend", "notes", "split", "trend", "value"}),
        ("bar", {"axis", "bg", "colors", "combo", "legend", "notes", "split"}),
        ("pie", {"bg", "colors", "value"}),
        ("heatmap", {"axis", "bg", "colors", "legend"}),
        ("mtable", {"bg", "colors", "table"}),
        ("map", {"bg", "colors", "table"}),
        ("custom", {"custom"}),
    ],
)
def test_the_settings_that_are_listed_follow_the_type(town: Town, type_: str, folders: set[str]) -> None:
    town.call(Verb.CREATE, PLOT, ALICE)
    town.write(f"{PLOT}/config/type", ALICE, type_)
    assert {row.name for row in town.read(f"{PLOT}/config", ALICE)} == ALWAYS | folders


def test_a_setting_that_is_not_listed_is_kept_all_the_same(town: Town) -> None:
    town.call(Verb.CREATE, PLOT, ALICE)
    town.write(f"{PLOT}/config/custom/custom.js", ALICE, "node.textContent = 1")
    assert town.text(f"{PLOT}/config/custom/custom.js", ALICE) == "node.textContent = 1"
