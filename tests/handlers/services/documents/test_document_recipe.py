"""Documents show what their owner may see, are stale when any of it changes, and tell what is missing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path as Folder

import pytest

from handlers.render.documents.pages.part_models import DocumentParts
from handlers.render.documents.pages.parts_json import load_parts
from handlers.rendering.fake import FakeRenderer
from handlers.rendering.forms import render_order
from handlers.rendering.port import Rendering, RenderOrder
from handlers.services.documents.document_recipe import DocumentRecipe
from handlers.services.documents.found_parts import MOST_VISUALS
from handlers.services.documents.part_contents import MOST_BYTES, TOO_LARGE, TOO_LATE, TOO_MANY
from handlers.trees.visuals.docs import RECIPE
from storage.bytes.renders import RenderStore
from tests.handlers.household import Household
from vfs.access import Caller, Grant, Verb
from vfs.body import NoBody
from vfs.call import Call, KeptBytes
from vfs.path import Path
from vfs.place import Place

DOC = "/v1/vis/docs/report"
REPORT = """# Report
{{ vis ref: /p/one }}
{{ vis ref: /u/bob/p/three, width: 50% }}
{{ vis ref: /u/alice/g/board }}
{{ img ref: logo.png }}
{{ img ref: /u/alice/p/one/a/mark.png }}
{{ author username: bob }}
It rose by {/u/alice/d/report/v/total} and {/u/bob/p/three/v/rate}.
"""
PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 40


class Reader(FakeRenderer):
    """The fake that reads documents as the real one does; its pictures say of what they are."""

    def __init__(self) -> None:
        self.orders: list[RenderOrder] = []

    def render(self, order: RenderOrder) -> Rendering:
        self.orders.append(order)
        if order.form in ("parsed", "requests"):
            return render_order(order)
        made = super().render(order)
        if order.form == "svg":
            name = order.texts.get("data", "the grid")
            text = "x" * MOST_BYTES if name == "large" else name
            svg = f'<svg width="9" height="9"><title>Of {name} &amp; co</title>{text}</svg>'
            return replace(made, body=svg.encode())
        return made

    def names(self) -> list[str]:
        """What was ordered since the last call: data of plots, forms of documents, else the kind."""
        told = [
            order.form if order.kind == "doc" else order.texts.get("data", order.kind)
            for order in self.orders
        ]
        self.orders.clear()
        return told


@pytest.fixture
def renderer(household: Household, tmp_path: Folder) -> Reader:
    """The renderer of a household where alice's report shows plots, a grid, pictures and variables."""
    reader = Reader()
    kept = RenderStore(tmp_path / "renders", 256 << 20)
    household.world = replace(
        household.world, visuals=replace(household.world.visuals, renderer=reader, kept=kept)
    )
    for owner, name in (("alice", "one"), ("bob", "three")):
        household.call(owner, Verb.CREATE, f"/v1/vis/plots/{name}")
        household.write(owner, f"/v1/vis/plots/{name}/data", name)
    household.call("alice", Verb.CREATE, "/v1/vis/grids/board")
    household.write("alice", "/v1/vis/grids/board/layout", "+---+\n|{A}|\n+---+\n")
    household.write("alice", "/v1/vis/grids/board/mapping", "A => /p/one\n")
    household.call("alice", Verb.CREATE, DOC)
    household.write("alice", f"{DOC}/content", REPORT)
    variable(household, "alice", f"{DOC}/vars/total", "0.113", "relative", "+,.1%")
    variable(household, "bob", "/v1/vis/plots/three/vars/rate", "3", "number", "")
    for kind, name, asset in (("doc", "report", "logo.png"), ("plot", "one", "mark.png")):
        put_asset(household, kind, name, asset, PNG)
    return reader


def variable(household: Household, owner: str, path: str, value: str, kind: str, format: str) -> None:
    household.call(owner, Verb.CREATE, path)
    for field, text in (("value", value), ("type", kind), ("format", format)):
        household.write(owner, f"{path}/{field}", text)


def put_asset(household: Household, kind: str, name: str, asset: str, body: bytes) -> None:
    found = household.world.items.find(kind, "alice", name, "alice")
    assert found is not None
    ref = household.world.blobs.add([body], "image/png")
    household.world.leaves.put(found.item.id, f"assets/{asset}", ref, "alice")


def share(household: Household, kind: str, owner: str, name: str, target: str, letters: str = "r") -> None:
    found = household.world.items.find(kind, owner, name, owner)
    assert found is not None
    household.world.grants.give(found.item.id, Grant(target, letters, f"{target}~{letters}"))


def take(household: Household, kind: str, owner: str, name: str, target: str) -> None:
    found = household.world.items.find(kind, owner, name, owner)
    assert found is not None
    household.world.grants.take(found.item.id, target)


def render(household: Household, form: str = "pdf", user: str = "alice") -> tuple[str, DocumentParts]:
    """The tag of a document's render, and the parts that it was made of."""
    path = DOC if user == "alice" else "/v1/users/alice/vis/docs/report"
    value = household.call(user, Verb.READ, f"{path}/files/doc.{form}").value
    assert isinstance(value, KeptBytes)
    with value.open() as file:
        order = json.load(file)
    return value.tag, load_parts(order["texts"]["parts"])


def refs(parts: DocumentParts) -> list[str]:
    return sorted(key.partition("@")[0] for key in parts.visuals)


def test_everything_that_the_owner_may_see_comes_along(household: Household, renderer: Reader) -> None:
    _, parts = render(household)
    assert refs(parts) == ["/p/one", "/u/alice/g/board"]
    (one, _) = (parts.visuals[key] for key in sorted(parts.visuals))
    assert set(one.pictures) == {"light"} and one.description == "Of one & co" and one.plot is None
    assert {name: (part.media, part.body) for name, part in parts.assets.items()} == {
        "logo.png": ("image/png", PNG),
        "/u/alice/p/one/a/mark.png": ("image/png", PNG),
    }
    (total,) = parts.variables.values()
    assert (total.value, total.kind, total.format) == ("0.113", "relative", "+,.1%")
    assert set(parts.reasons) == {"bob"} and not parts.authors


def test_pages_for_screens_show_charts_in_both_modes_and_slides_their_data(
    household: Household, renderer: Reader
) -> None:
    _, screen = render(household, "html")
    assert all(set(part.pictures) == {"light", "dark"} for part in screen.visuals.values())
    _, slides = render(household, "pptx")
    plots = {key.partition("@")[0]: part.plot for key, part in slides.visuals.items()}
    assert plots["/u/alice/g/board"] is None
    assert plots["/p/one"] is not None and plots["/p/one"].data == "one"


def test_an_unchanged_document_asks_nobody_and_parses_nothing(household: Household, renderer: Reader) -> None:
    tag, _ = render(household)
    assert sorted(renderer.names()) == ["grid", "one", "one", "parsed", "pdf", "requests"]
    assert render(household)[0] == tag
    assert renderer.names() == []
    render(household, "pptx")
    assert renderer.names() == ["pptx"]


def test_only_what_changed_is_made_again(household: Household, renderer: Reader) -> None:
    tag, _ = render(household)
    renderer.names()
    household.write("alice", f"{DOC}/content", REPORT + "\nMore.\n")
    assert render(household)[0] != tag
    assert renderer.names() == ["parsed", "requests", "pdf"]
    household.write("alice", f"{DOC}/content", REPORT)
    assert render(household)[0] == tag
    assert renderer.names() == []


@pytest.mark.parametrize(
    "path,text",
    [
        (f"{DOC}/config/theme", "custom"),
        (f"{DOC}/config/custom/custom.css", "h1 { color: red }"),
        (f"{DOC}/config/type", "pres"),
        (f"{DOC}/vars/total/value", "0.2"),
        ("/v1/vis/plots/one/data", "other"),
        ("/v1/vis/plots/one/config/title", "Birds"),
        ("/v1/vis/grids/board/mapping", "A => /p/none\n"),
    ],
)
def test_all_that_it_shows_makes_a_document_stale(
    household: Household, renderer: Reader, path: str, text: str
) -> None:
    tag, _ = render(household)
    household.write("alice", path, text)
    assert render(household)[0] != tag


def test_another_picture_of_an_asset_makes_a_document_stale(household: Household, renderer: Reader) -> None:
    tag, _ = render(household)
    put_asset(household, "plot", "one", "mark.png", PNG + b"\1")
    other, parts = render(household)
    assert other != tag and parts.assets["/u/alice/p/one/a/mark.png"].body == PNG + b"\1"


def test_what_it_does_not_show_makes_no_document_stale(household: Household, renderer: Reader) -> None:
    tag, _ = render(household)
    household.write("alice", f"{DOC}/description", "long")
    household.write("alice", "/v1/vis/plots/one/description", "long")
    put_asset(household, "doc", "report", "other.png", PNG)
    assert render(household)[0] == tag


def test_a_chart_is_shown_while_the_owner_of_the_document_may_see_it(
    household: Household, renderer: Reader
) -> None:
    hidden, parts = render(household)
    share(household, "plot", "bob", "three", "@alice", "w")
    assert render(household)[0] == hidden
    share(household, "plot", "bob", "three", "@alice", "x")
    shown, parts = render(household)
    assert "/u/bob/p/three" in refs(parts) and "/u/bob/p/three/v/rate" in parts.variables
    take(household, "plot", "bob", "three", "@alice")
    assert render(household)[0] == hidden != shown
    household.call("bob", Verb.REMOVE, "/v1/vis/plots/three")
    assert render(household)[0] == hidden


def test_a_reader_sees_what_the_owner_sees(household: Household, renderer: Reader) -> None:
    share(household, "doc", "alice", "report", "@carol", "x")
    assert render(household, user="carol")[0] == render(household)[0]


def test_an_author_is_shown_who_agreed(household: Household, renderer: Reader) -> None:
    household.write("bob", "/v1/admin/profile/name", "Bob Berg")
    assert render(household)[1].authors == {}
    household.write("bob", "/v1/admin/profile/options/allow_as_author", "yes")
    _, parts = render(household)
    assert parts.authors["bob"].name == "Bob Berg" and not parts.reasons
    household.write("bob", "/v1/admin/profile/bio", "Counts birds.")
    assert render(household)[1].authors["bob"].bio == "Counts birds."


def test_the_owner_is_an_author_without_asking(household: Household, renderer: Reader) -> None:
    household.write("alice", f"{DOC}/content", "{{ author username: alice }}")
    assert render(household)[1].authors["alice"].name == "alice"


def test_charts_are_found_by_shortname_and_in_the_grid_too(household: Household, renderer: Reader) -> None:
    plot, grid = (
        household.read("alice", f"/v1/vis/{kind}/shortname") for kind in ("plots/one", "grids/board")
    )
    household.write("alice", f"{DOC}/content", f"{{{{ vis ref: {plot} }}}}\n\n{{{{ vis ref: {grid} }}}}\n")
    assert refs(render(household)[1]) == sorted((plot, grid))


def test_a_document_of_endless_charts_shows_so_many(household: Household, renderer: Reader) -> None:
    lines = [f"{{{{ vis ref: /p/p{at} }}}}\n" for at in range(MOST_VISUALS)]
    household.write("alice", f"{DOC}/content", "\n".join([*lines, "{{ vis ref: /p/one }}"]))
    _, parts = render(household)
    assert parts.visuals == {} and parts.reasons == {"/p/one": TOO_MANY}


def test_charts_that_are_too_large_together_are_left_out(household: Household, renderer: Reader) -> None:
    household.write("alice", "/v1/vis/plots/one/data", "large")
    _, parts = render(household)
    assert refs(parts) == ["/u/alice/g/board"] and parts.reasons["/p/one"] == TOO_LARGE


def test_what_there_was_no_time_for_is_told_and_drawn_by_the_next_call(
    household: Household, renderer: Reader
) -> None:
    path = Path.parse(DOC)
    place = Place(Call(Verb.READ, path, Caller("alice"), household.world, NoBody()), path)
    found = household.world.items.find("doc", "alice", "report", "alice")
    assert found is not None
    late = DocumentRecipe(RECIPE.parts, seconds=-1)
    content = late.content(place, found.item, "pdf", {})
    assert load_parts(content.texts["parts"]).reasons["/p/one"] == TOO_LATE
    assert content.version != late.version(place, found.item, {})
    assert refs(render(household)[1]) == ["/p/one", "/u/alice/g/board"]


def test_while_somebody_writes_all_the_time_no_render_is_kept_for_others(
    household: Household, renderer: Reader
) -> None:
    numbers: Iterator[int] = iter(range(100))
    plain = renderer.render

    class Writer(Reader):
        """Changes a plot whenever it draws one."""

        def render(self, order: RenderOrder) -> Rendering:
            if order.kind == "plot":
                household.write("alice", "/v1/vis/plots/one/data", f"one{next(numbers)}")
            return plain(order)

    household.world = replace(household.world, visuals=replace(household.world.visuals, renderer=Writer()))
    tag, _ = render(household)
    assert render(household)[0] != tag


def test_the_log_tells_writers_what_readers_cannot_open(household: Household, renderer: Reader) -> None:
    def log(user: str = "alice") -> list[str]:
        path = DOC if user == "alice" else "/v1/users/alice/vis/docs/report"
        return [line["message"] for line in household.read(user, f"{path}/log")]

    share(household, "plot", "bob", "three", "@alice")
    share(household, "doc", "alice", "report", "@carol")
    assert log() == [
        "/p/one is not shared with @carol, to whom this document shows it.",
        "/u/bob/p/three is @bob's; who sees it in this document may not be able to open it.",
        "/u/alice/g/board is not shared with @carol, to whom this document shows it.",
    ]
    assert log("carol") == []


def test_a_copy_shows_what_its_new_owner_may_see(household: Household, renderer: Reader) -> None:
    share(household, "doc", "alice", "report", "@carol")
    path = "/v1/users/alice/vis/docs/report"
    wish = json.dumps({"name": "mine", "copy": True})
    household.call("carol", Verb.RENAME, path, wish, media="application/json")
    value = household.call("carol", Verb.READ, "/v1/vis/docs/mine/files/doc.pdf").value
    assert isinstance(value, KeptBytes)
    with value.open() as file:
        parts = load_parts(json.load(file)["texts"]["parts"])
    assert parts.visuals == {} and set(parts.assets) == {"logo.png"}
    assert household.read("carol", "/v1/vis/docs/mine/vars/total/value") == "0.113"
