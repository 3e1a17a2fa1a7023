"""A grid shows what both the last writer of its mapping and its owner may see."""

from __future__ import annotations

import json

import pytest

from tests.handlers.service_world import ServiceWorld
from tests.handlers.services.test_grid_cells import Recorder, render, renderer, share
from vfs.access import Verb

__all__ = ["renderer"]


@pytest.mark.parametrize(
    ("targets", "shown"),
    [((), False), (("@alice",), False), (("@bob",), False), (("@alice", "@bob"), True), (("public",), True)],
)
def test_a_mapping_shows_what_both_its_writer_and_the_owner_may_see(
    service_world: ServiceWorld, renderer: Recorder, targets: tuple[str, ...], shown: bool
) -> None:
    service_world.call("carol", Verb.CREATE, "/v1/vis/plots/secret")
    service_world.write("carol", "/v1/vis/plots/secret/data", "secret")
    share(service_world, "grid", "alice", "board", "@bob", "rw")
    service_world.write(
        "bob", "/v1/users/alice/vis/grids/board/mapping", "A => /u/carol/p/secret\nB => /p/one\n"
    )
    absent, order = render(service_world)
    assert "parts" in order and order["parts"] == {}
    for target in targets:
        share(service_world, "plot", "carol", "secret", target, "x")
    tag, order = render(service_world)
    assert ("secret" in json.dumps(order["parts"])) is shown
    assert (tag == absent) is not shown
    share(service_world, "plot", "alice", "one", "@bob", "x")
    assert "one" in json.dumps(render(service_world)[1]["parts"])
