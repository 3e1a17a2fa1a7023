"""Viewers draw without a request; with one, they check the right again after a long rendering."""

from __future__ import annotations

from dataclasses import replace
from time import monotonic

import pytest

from handlers.services.renderings import render
from handlers.services.viewer import PROMPT, Viewer
from handlers.trees.visuals.plots import RECIPE
from tests.handlers.service_world import ServiceWorld
from tests.kit.fake_renderer import FakeRenderer
from vfs.access import Caller, Verb
from vfs.call import KeptBytes, Unsupervised
from vfs.errors import Denied
from vfs.ports.items import Item

PLOT = "/v1/vis/plots/sales"


@pytest.fixture
def plot(service_world: ServiceWorld) -> Item:
    visuals = replace(service_world.world.visuals, renderer=FakeRenderer())
    service_world.world = replace(service_world.world, visuals=visuals)
    service_world.call("alice", Verb.CREATE, PLOT)
    service_world.write("alice", f"{PLOT}/data", "a,b\nx,1\n")
    found = service_world.world.items.find("plot", "alice", "sales", "alice")
    assert found is not None
    return found.item


@pytest.mark.parametrize("name", ["alice", None])
def test_a_picture_is_the_same_with_and_without_a_request(
    service_world: ServiceWorld, plot: Item, name: str | None
) -> None:
    rendered = service_world.call("alice", Verb.READ, f"{PLOT}/files/plot.csv").value
    assert isinstance(rendered, KeptBytes)
    viewer = Viewer(service_world.world, plot, Caller(name))
    assert render(viewer, RECIPE, "csv", {}).tag == rendered.tag
    assert viewer.me == (name or "")


class Lost(Unsupervised):
    """The supervision of a caller who lost the right to the answer."""

    def check(self) -> None:
        raise Denied("not any more")


def test_a_right_is_checked_again_after_a_while(service_world: ServiceWorld, plot: Item) -> None:
    viewer = Viewer(service_world.world, plot, Caller("alice"), Lost())
    viewer.check_since(monotonic())
    with pytest.raises(Denied):
        viewer.check_since(monotonic() - 2 * PROMPT)
    Viewer(service_world.world, plot, Caller("alice")).check_since(monotonic() - 2 * PROMPT)
