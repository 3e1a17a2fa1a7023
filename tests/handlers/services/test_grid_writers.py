"""Who writes the mapping of a grid shows in it what both they and its owner may see."""

from __future__ import annotations

import json

import pytest

from tests.handlers.household import Household
from tests.handlers.services.test_grid_cells import Recorder, render, renderer, share
from vfs.access import Verb

__all__ = ["renderer"]


@pytest.mark.parametrize(
    ("targets", "shown"),
    [((), False), (("@alice",), False), (("@bob",), False), (("@alice", "@bob"), True), (("public",), True)],
)
def test_who_writes_a_mapping_shows_what_both_they_and_the_owner_may_see(
    household: Household, renderer: Recorder, targets: tuple[str, ...], shown: bool
) -> None:
    household.call("carol", Verb.CREATE, "/v1/vis/plots/secret")
    household.write("carol", "/v1/vis/plots/secret/data", "secret")
    share(household, "grid", "alice", "board", "@bob", "rw")
    household.write("bob", "/v1/users/alice/vis/grids/board/mapping", "A => /u/carol/p/secret\nB => /p/one\n")
    absent, order = render(household)
    assert "parts" in order and order["parts"] == {}
    for target in targets:
        share(household, "plot", "carol", "secret", target, "x")
    tag, order = render(household)
    assert ("secret" in json.dumps(order["parts"])) is shown
    assert (tag == absent) is not shown
    share(household, "plot", "alice", "one", "@bob", "x")
    assert "one" in json.dumps(render(household)[1]["parts"])
