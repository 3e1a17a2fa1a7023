"""Renders are made once for each content, found again by it, and name the reason if they cannot be made."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from handlers.rendering.port import RendererBusy, Rendering, RenderLate, RenderOrder, RenderTooLarge
from handlers.services.renderings import WantedRender, render_time, renderings_of, time_for_parts, time_left
from handlers.services.viewer import Viewer
from handlers.trees.visuals.plots import RECIPE
from storage.bytes.renders import RenderStore
from tests.handlers.service_world import TREE, ServiceWorld
from tests.kit.fake_renderer import FakeRenderer
from vfs.access import Caller, Grant, Verb, Via
from vfs.call import Call, KeptBytes, Reply
from vfs.errors import Denied, NotFound, TooLarge, Unavailable, VfsError
from vfs.path import Path as VfsPath
from vfs.serve import serve

PLOT = "/v1/vis/plots/sales"
BOBS = "/v1/users/alice/vis/plots/sales"


class Counting(FakeRenderer):
    """The fake, with the orders that it was given."""

    def __init__(self) -> None:
        self.orders: list[RenderOrder] = []

    def render(self, order: RenderOrder) -> Rendering:
        self.orders.append(order)
        if order.texts.get("data") == "busy":
            raise RendererBusy("64 renders wait")
        return super().render(order)


@pytest.fixture
def renderer(service_world: ServiceWorld, tmp_path: Path) -> Counting:
    """The renderer of a service world where alice has the plot `sales`."""
    renderer = Counting()
    kept = RenderStore(tmp_path / "renders", 1 << 20)
    visuals = replace(service_world.world.visuals, renderer=renderer, kept=kept)
    service_world.world = replace(service_world.world, visuals=visuals)
    service_world.call("alice", Verb.CREATE, PLOT)
    service_world.write("alice", f"{PLOT}/data", "a,b\nx,1\n")
    return renderer


def read(service_world: ServiceWorld, rest: str, user: str = "alice", plot: str = PLOT) -> Reply:
    return service_world.call(user, Verb.READ, f"{plot}/{rest}")


def tag(service_world: ServiceWorld, form: str = "svg") -> str:
    value = read(service_world, f"files/plot.{form}").value
    assert isinstance(value, KeptBytes)
    return value.tag


def order_in(reply: Reply) -> dict[str, dict[str, str]]:
    assert isinstance(reply.value, KeptBytes)
    with reply.value.open() as file:
        order: dict[str, dict[str, str]] = json.load(file)
    return order


def test_a_render_is_made_of_what_was_written_and_once(
    service_world: ServiceWorld, renderer: Counting
) -> None:
    service_world.write("alice", f"{PLOT}/config/title", "Sales")
    first = read(service_world, "files/plot.png")
    again = read(service_world, "files/plot.png")
    assert order_in(first)["texts"] == {"data": "a,b\nx,1\n", "config/title": "Sales"}
    assert order_in(again) == order_in(first)
    assert len(renderer.orders) == 1
    assert (first.filename, first.inline) == ("sales.png", True)
    assert first.canonical == service_world.read("alice", f"{PLOT}/url")


@pytest.mark.parametrize("form", ["pptx", "xlsx"])
def test_a_file_that_shows_a_name_gets_that_of_the_plot(
    service_world: ServiceWorld, renderer: Counting, form: str
) -> None:
    read(service_world, f"files/plot.{form}")
    assert renderer.orders[-1].options["called"] == "sales"
    read(service_world, "files/plot.svg")
    assert "called" not in renderer.orders[-1].options


@pytest.mark.parametrize("rest", ["data", "config/title", "config/axis/labels", "name", "summary"])
def test_a_render_is_of_the_present_content(
    service_world: ServiceWorld, renderer: Counting, rest: str
) -> None:
    before = tag(service_world)
    service_world.write("alice", f"{PLOT}/{rest}", "other")
    other = tag(service_world)
    service_world.call("alice", Verb.REMOVE, f"{PLOT}/{rest}")
    if rest == "data":
        service_world.write("alice", f"{PLOT}/data", "a,b\nx,1\n")
    assert (other != before, tag(service_world)) == (True, before)
    assert len(renderer.orders) == 2


@pytest.mark.parametrize("rest", ["description", "vars/x", "notifications"])
def test_changes_of_things_that_no_render_shows_make_no_new_render(
    service_world: ServiceWorld, renderer: Counting, rest: str
) -> None:
    before = tag(service_world)
    if rest.startswith("vars/"):
        service_world.call("alice", Verb.CREATE, f"{PLOT}/{rest}")
    else:
        service_world.write("alice", f"{PLOT}/{rest}", "info")
    assert tag(service_world) == before
    assert len(renderer.orders) == 1


def test_each_form_is_a_separate_render(service_world: ServiceWorld, renderer: Counting) -> None:
    tags = {
        tag(service_world, form)
        for form in ("svg", "png", "pdf", "txt", "ansi", "html", "csv", "xlsx", "pptx")
    }
    assert len(tags) == len(renderer.orders) == 9


def test_a_render_that_fails_is_a_picture_that_says_so_and_a_line_in_the_log(
    service_world: ServiceWorld, renderer: Counting
) -> None:
    service_world.write("alice", f"{PLOT}/data", "break")
    order = order_in(read(service_world, "files/plot.svg"))
    assert (order["kind"], order["texts"]["reason"]) == ("placeholder", "the renderer broke (Fake)")
    assert service_world.read("alice", f"{PLOT}/log") == [
        {"message": "It could not be drawn: the renderer broke (Fake)."}
    ]
    assert tag(service_world).endswith("-failed")
    count = len(renderer.orders)
    read(service_world, "files/plot.svg")
    assert len(renderer.orders) == count
    with pytest.raises(Unavailable, match=r"cannot be rendered as xlsx: the renderer broke"):
        read(service_world, "files/plot.xlsx")


def test_a_render_that_stands_in_for_another_passes(service_world: ServiceWorld, renderer: Counting) -> None:
    lasting = read(service_world, "files/plot.svg").value
    service_world.write("alice", f"{PLOT}/data", "break")
    passing = read(service_world, "files/plot.svg").value
    assert isinstance(lasting, KeptBytes) and not lasting.is_passing
    assert isinstance(passing, KeptBytes) and passing.is_passing


def test_nothing_is_kept_of_a_render_that_had_to_wait_too_long(
    service_world: ServiceWorld, renderer: Counting
) -> None:
    service_world.write("alice", f"{PLOT}/data", "busy")
    for _ in range(2):
        with pytest.raises(Unavailable, match="64 renders wait") as refused:
            read(service_world, "files/plot.svg")
        assert refused.value.members["retry_after"] == 2
    assert len(renderer.orders) == 2


@pytest.mark.parametrize(
    "letters, picture, data", [("r", True, True), ("x", True, False), ("w", False, False)]
)
def test_pictures_need_x_and_data_r(
    service_world: ServiceWorld, renderer: Counting, letters: str, picture: int, data: int
) -> None:
    found = service_world.world.items.find("plot", "alice", "sales", "alice")
    assert found is not None
    with pytest.raises(NotFound):
        read(service_world, "files/plot.svg", "bob", BOBS)
    service_world.world.grants.give(found.item.id, Grant("@bob", letters, f"@bob~{letters}"))
    allowed = {"svg": picture, "png": picture, "ansi": picture, "pptx": picture, "csv": data, "xlsx": data}
    for form, may in allowed.items():
        if may:
            assert read(service_world, f"files/plot.{form}", "bob", BOBS).value is not None
        else:
            with pytest.raises(Denied):
                read(service_world, f"files/plot.{form}", "bob", BOBS)


def test_data_tell_how_they_are_read_where_a_query_asks(
    service_world: ServiceWorld, renderer: Counting
) -> None:
    plain = read(service_world, "data").value
    query = {"check": ""}
    caller, path = Caller("alice", Via.TOKEN), VfsPath.parse(f"{PLOT}/data")
    reply = serve(TREE, Call(Verb.READ, path, caller, service_world.world, query=query))
    assert (plain, order_in(reply)["form"]) == ("a,b\nx,1\n", "check")
    assert isinstance(reply.value, KeptBytes)
    assert reply.value.media == "application/json"


DOC = "/v1/vis/docs/report"


class Slow(Counting):
    """A renderer whose orders may be of any outcome, by a word in what they are made of."""

    def render(self, order: RenderOrder) -> Rendering:
        made = super().render(order)
        said = "".join(order.texts.values())
        if order.form != "requests" and order.kind != "placeholder":
            if "takes too long" in said:
                raise RenderLate("it took longer than 30 seconds")
            if "is too large" in said:
                raise RenderTooLarge("it would be larger than 48 MiB: show less")
        return made


@pytest.fixture
def slow(service_world: ServiceWorld, renderer: Counting) -> Slow:
    """The renderer of a service world where alice has the plot `sales` and the document `report`."""
    slow = Slow()
    visuals = replace(service_world.world.visuals, renderer=slow)
    service_world.world = replace(service_world.world, visuals=visuals)
    service_world.call("alice", Verb.CREATE, DOC)
    return slow


@pytest.mark.parametrize("form", ["pdf", "pptx", "html", "md"])
@pytest.mark.parametrize("text,kind", [("takes too long", Unavailable), ("is too large", TooLarge)])
def test_a_document_that_fails_is_refused_and_not_tried_again_at_once(
    service_world: ServiceWorld, slow: Slow, form: str, text: str, kind: type[VfsError]
) -> None:
    service_world.write("alice", f"{DOC}/content", text)
    for _ in range(2):
        with pytest.raises(kind, match=f"this doc cannot be rendered as {form}: it "):
            service_world.call("alice", Verb.READ, f"{DOC}/files/doc.{form}")
    assert len([order for order in slow.orders if order.form == form]) == 1
    service_world.write("alice", f"{DOC}/content", "short")
    assert service_world.call("alice", Verb.READ, f"{DOC}/files/doc.{form}").value is not None


@pytest.mark.parametrize("text", ["takes too long", "is too large", "break"])
def test_a_page_to_print_is_never_a_placeholder(service_world: ServiceWorld, slow: Slow, text: str) -> None:
    service_world.write("alice", f"{PLOT}/data", text)
    with pytest.raises((Unavailable, TooLarge), match="this plot cannot be rendered as pdf"):
        read(service_world, "files/plot.pdf")
    assert order_in(read(service_world, "files/plot.png"))["kind"] == "placeholder"


def test_a_render_that_was_made_beside_a_waiting_one_is_kept(
    service_world: ServiceWorld, renderer: Counting
) -> None:
    found = [service_world.world.items.find("plot", "alice", "sales", "alice")]
    service_world.call("alice", Verb.CREATE, "/v1/vis/plots/other")
    service_world.write("alice", "/v1/vis/plots/other/data", "busy")
    found.append(service_world.world.items.find("plot", "alice", "other", "alice"))
    items = [one.item for one in found if one is not None]
    viewer = Viewer(service_world.world, items[0], Caller("alice"))
    wanted = [WantedRender(item, "svg", {}, RECIPE.version(viewer, item, {})) for item in items]
    with pytest.raises(Unavailable):
        renderings_of(viewer, RECIPE, wanted)
    count = len(renderer.orders)
    assert renderings_of(viewer, RECIPE, wanted[:1])[0][1].size
    assert len(renderer.orders) == count


def test_all_of_a_render_ends_at_one_moment() -> None:
    assert time_left() == math.inf
    with render_time(10), time_for_parts():
        parts = time_left()
        with render_time(100), time_for_parts():
            assert time_left() < parts * 0.71 < 7
    assert time_left() == math.inf
