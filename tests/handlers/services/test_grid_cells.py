"""Grids draw the plots that their owner may see, each once, and are stale when any of them changes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path as Folder
from typing import Any

import pytest

from handlers.rendering.port import Rendering, RenderOrder
from handlers.rules.render_options import options_of
from handlers.services.grid_cells import MOST_BYTES, MOST_PLOTS, TOO_LARGE, TOO_LATE, TOO_MANY, GridRecipe
from handlers.services.viewer import Viewer
from handlers.trees.visuals.plots import RECIPE
from storage.bytes.renders import RenderStore
from tests.handlers.service_world import ServiceWorld
from tests.kit.fake_renderer import FakeRenderer
from vfs.access import Caller, Grant, Verb
from vfs.call import KeptBytes

GRID = "/v1/vis/grids/board"
BOARD = """
+---------+---------+
|   {A}   |   {B}   |
|         +---------+
|         |   {C}   |
+---------+---------+
"""


class Recorder(FakeRenderer):
    """The fake with the orders that it was given; its plots are pictures of the size that was ordered."""

    def __init__(self) -> None:
        self.orders: list[RenderOrder] = []

    def render(self, order: RenderOrder) -> Rendering:
        self.orders.append(order)
        made = super().render(order)
        if order.kind == "grid":
            reasons = (text for rel, text in order.texts.items() if rel.startswith("reason/"))
            return replace(made, notes=tuple(reasons))
        if order.kind != "plot" or order.form != "svg":
            return made
        size = f'width="{order.options["width"]}" height="{order.options["height"]}"'
        text = order.texts["data"] if order.texts["data"] != "large" else "x" * MOST_BYTES
        body = f"<svg {size}><text>{text}</text></svg>"
        return replace(made, body=body.encode())

    def names(self) -> list[str]:
        """Return the orders since the last call: the data of plots, the kinds of all others."""
        names = [order.texts.get("data", order.kind) for order in self.orders]
        self.orders.clear()
        return names


@pytest.fixture
def renderer(service_world: ServiceWorld, tmp_path: Folder) -> Recorder:
    """The renderer of a service world where alice has the plots one and two and a grid, and bob has three."""
    recorder = Recorder()
    visuals = replace(
        service_world.world.visuals, renderer=recorder, kept=RenderStore(tmp_path / "renders", 256 << 20)
    )
    service_world.world = replace(service_world.world, visuals=visuals)
    for owner, name in (("alice", "one"), ("alice", "two"), ("bob", "three")):
        service_world.call(owner, Verb.CREATE, f"/v1/vis/plots/{name}")
        service_world.write(owner, f"/v1/vis/plots/{name}/data", name)
    service_world.call("alice", Verb.CREATE, GRID)
    service_world.write("alice", f"{GRID}/layout", BOARD)
    service_world.write(
        "alice", f"{GRID}/mapping", "A => /p/one\nB => /p/two, h=t, m=d\nC => /u/bob/p/three\n"
    )
    return recorder


def render(service_world: ServiceWorld, form: str = "svg") -> tuple[str, dict[str, Any]]:
    """The tag of a grid's render, and the order that it is."""
    value = service_world.call("alice", Verb.READ, f"{GRID}/files/grid.{form}").value
    assert isinstance(value, KeptBytes)
    with value.open() as file:
        return value.tag, json.load(file)


def reasons(order: dict[str, Any]) -> dict[str, str]:
    return {rel: text for rel, text in order["texts"].items() if rel.startswith("reason/")}


def share(
    service_world: ServiceWorld, kind: str, owner: str, name: str, target: str, letters: str = "r"
) -> None:
    found = service_world.world.items.find(kind, owner, name, owner)
    assert found is not None
    service_world.world.grants.give(found.item.id, Grant(target, letters, f"{target}~{letters}"))


NONE_OF_BOBS = "/u/bob/p/three is no plot that may be shown here."


def test_each_plot_is_drawn_at_the_size_of_its_cell(service_world: ServiceWorld, renderer: Recorder) -> None:
    _, order = render(service_world)
    one, two, grid = sorted(renderer.orders, key=lambda order: order.texts.get("data", "~"))
    assert [(one.options["width"], one.options["height"]) for one in (one, two)] == [(584, 464), (584, 224)]
    assert (one.options["mode"], one.options["include_header"]) == ("light", False)
    assert (two.options["mode"], two.options["include_header"]) == ("dark", True)
    assert grid.kind == "grid" and set(grid.parts) == {"0", "1"}
    assert order["parts"]["0"].endswith("<text>one</text></svg>")
    assert reasons(order) == {"reason/2": NONE_OF_BOBS}


def test_an_unchanged_grid_orders_nothing(service_world: ServiceWorld, renderer: Recorder) -> None:
    tag, _ = render(service_world)
    renderer.names()
    assert render(service_world)[0] == tag
    assert renderer.names() == []


def test_a_changed_plot_alone_is_drawn_again(service_world: ServiceWorld, renderer: Recorder) -> None:
    tag, _ = render(service_world)
    renderer.names()
    service_world.write("alice", "/v1/vis/plots/two/data", "too")
    other, order = render(service_world)
    assert other != tag and order["parts"]["1"].endswith("<text>too</text></svg>")
    assert renderer.names() == ["too", "grid"]
    service_world.write("alice", "/v1/vis/plots/two/data", "two")
    assert render(service_world)[0] == tag
    assert renderer.names() == []


@pytest.mark.parametrize("rel", ["config/title", "config/type", "summary", "name"])
def test_all_that_a_plot_shows_makes_a_grid_stale(
    service_world: ServiceWorld, renderer: Recorder, rel: str
) -> None:
    tag, _ = render(service_world)
    service_world.write("alice", f"/v1/vis/plots/one/{rel}", "line")
    assert render(service_world)[0] != tag


def test_changes_of_things_that_no_cell_shows_make_no_grid_stale(
    service_world: ServiceWorld, renderer: Recorder
) -> None:
    tag, _ = render(service_world)
    service_world.write("alice", "/v1/vis/plots/one/description", "long")
    service_world.write("alice", f"{GRID}/description", "long")
    service_world.call("alice", Verb.CREATE, "/v1/vis/plots/four")
    assert render(service_world)[0] == tag


def test_a_plot_is_shown_while_the_owner_of_the_grid_may_see_it(
    service_world: ServiceWorld, renderer: Recorder
) -> None:
    hidden, order = render(service_world)
    share(service_world, "plot", "bob", "three", "@alice", "w")
    assert render(service_world)[0] == hidden
    share(service_world, "plot", "bob", "three", "@alice", "x")
    shown, order = render(service_world)
    assert reasons(order) == {} and order["parts"]["2"].endswith("<text>three</text></svg>")
    found = service_world.world.items.find("plot", "bob", "three", "bob")
    assert found is not None
    service_world.world.grants.take(found.item.id, "@alice")
    assert render(service_world)[0] == hidden
    service_world.call("bob", Verb.REMOVE, "/v1/vis/plots/three")
    again, order = render(service_world)
    assert (again, reasons(order)) == (hidden, {"reason/2": NONE_OF_BOBS})
    assert shown != hidden


def test_a_reader_sees_what_the_owner_sees(service_world: ServiceWorld, renderer: Recorder) -> None:
    share(service_world, "grid", "alice", "board", "@carol", "x")
    path = "/v1/users/alice/vis/grids/board/files/grid.svg"
    value = service_world.call("carol", Verb.READ, path).value
    assert isinstance(value, KeptBytes)
    assert value.tag == render(service_world)[0]


def test_a_plot_is_found_by_its_shortname_and_address(
    service_world: ServiceWorld, renderer: Recorder
) -> None:
    short = service_world.read("alice", "/v1/vis/plots/two/shortname")
    mapping = f"A => https://x.example/p/{short}\nB => {short}\nC => https://x.example/u/alice/p/one"
    service_world.write("alice", f"{GRID}/mapping", mapping)
    _, order = render(service_world)
    assert [part[-16:] for part in order["parts"].values()] == ["two</text></svg>"] * 2 + ["one</text></svg>"]
    settings = replace(service_world.world.service.settings, base_url="https://y.example/")
    service_world.world = replace(
        service_world.world, service=replace(service_world.world.service, settings=settings)
    )
    assert set(reasons(render(service_world)[1])) == {"reason/0", "reason/2"}


def test_a_grid_shows_no_grid_and_so_never_itself(service_world: ServiceWorld, renderer: Recorder) -> None:
    short = service_world.read("alice", f"{GRID}/shortname")
    service_world.write("alice", f"{GRID}/mapping", f"A => {short}\nB => /p/board")
    assert reasons(render(service_world)[1]) == {
        "reason/0": f"{short} is no plot that may be shown here.",
        "reason/1": "/u/alice/p/board is no plot that may be shown here.",
    }


def test_a_plot_that_breaks_is_a_picture_that_says_so(
    service_world: ServiceWorld, renderer: Recorder
) -> None:
    service_world.write("alice", "/v1/vis/plots/one/data", "break")
    _, order = render(service_world)
    assert json.loads(order["parts"]["0"])["texts"]["reason"] == "the renderer broke (Fake)"
    assert order["parts"]["1"].startswith("<svg")


@pytest.mark.parametrize("form", ["txt", "ansi"])
def test_texts_are_made_of_texts(service_world: ServiceWorld, renderer: Recorder, form: str) -> None:
    render(service_world, form)
    one, two, grid = sorted(renderer.orders, key=lambda order: order.texts.get("data", "~"))
    assert [one.form, two.form, grid.form] == [form] * 3
    assert (one.options["cols"], one.options["rows"]) == (37, 15)
    assert two.options["include_header"] and not one.options["include_header"]


def test_other_forms_are_made_of_the_same_parts(service_world: ServiceWorld, renderer: Recorder) -> None:
    render(service_world)
    renderer.names()
    for form in ("png", "pdf", "html"):
        render(service_world, form)
    assert renderer.names() == ["grid"] * 3


def test_the_plots_of_a_grid_are_limited_and_take_few_orders(
    service_world: ServiceWorld, renderer: Recorder
) -> None:
    side = 20
    bar, line = "+" + "---+" * side, "|" + "{A}|" * side
    service_world.write("alice", f"{GRID}/layout", "\n".join([bar, *[line, bar] * side]))
    _, order = render(service_world)
    assert len(order["parts"]) == MOST_PLOTS
    assert set(reasons(order).values()) == {TOO_MANY} and len(reasons(order)) == side * side - MOST_PLOTS
    assert len(renderer.orders) <= 10


def test_a_thousand_bindings_take_four_statements(service_world: ServiceWorld, renderer: Recorder) -> None:
    layout = "+" + "-------+" * 30 + "\n|" + "".join(f" {{A{at}}} |".rjust(8) for at in range(30))
    service_world.write("alice", f"{GRID}/layout", layout + "\n+" + "-------+" * 30)
    service_world.write("alice", f"{GRID}/mapping", "".join(f"A{at} => /p/p{at}\n" for at in range(1000)))
    assert len(reasons(render(service_world)[1])) == 30


def test_plots_that_are_too_large_together_are_left_out(
    service_world: ServiceWorld, renderer: Recorder
) -> None:
    service_world.write("alice", f"{GRID}/mapping", "A => /p/one\nB => /p/two\n")
    service_world.write("alice", "/v1/vis/plots/one/data", "large")
    _, order = render(service_world)
    assert reasons(order) == {"reason/0": TOO_LARGE} and set(order["parts"]) == {"1"}


def test_the_log_tells_what_is_missing_and_what_readers_cannot_open(
    service_world: ServiceWorld, renderer: Recorder
) -> None:
    def log(user: str = "alice") -> list[str]:
        path = GRID if user == "alice" else "/v1/users/alice/vis/grids/board"
        return [line["message"] for line in service_world.read(user, f"{path}/log")]

    assert log() == [NONE_OF_BOBS]
    share(service_world, "plot", "bob", "three", "@alice")
    share(service_world, "grid", "alice", "board", "@carol")
    share(service_world, "plot", "alice", "two", "@carol")
    assert log() == [
        "A: /u/alice/p/one is not shared with @carol, to whom this grid shows it.",
        "C: /u/bob/p/three is @bob's; who sees it in this grid may not be able to open it.",
    ]
    share(service_world, "grid", "alice", "board", "@carol", "rw")
    assert log("carol") == []
    share(service_world, "plot", "alice", "one", "public")
    share(service_world, "plot", "bob", "three", "public")
    assert log() == []


def test_parts_that_were_too_late_are_named_and_drawn_by_the_next_call(
    service_world: ServiceWorld, renderer: Recorder
) -> None:
    found = service_world.world.items.find("grid", "alice", "board", "alice")
    assert found is not None
    viewer = Viewer(service_world.world, found.item, Caller("alice"))
    late, options = GridRecipe(RECIPE, seconds=-1), options_of("svg", {})
    content = late.content(viewer, found.item, "svg", options)
    assert (content.parts, content.texts["reason/0"], content.texts["reason/1"]) == ({}, TOO_LATE, TOO_LATE)
    assert content.version != late.version(viewer, found.item, options)
    assert set(render(service_world)[1]["parts"]) == {"0", "1"}
