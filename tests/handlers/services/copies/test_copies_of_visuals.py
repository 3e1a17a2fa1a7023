"""A copy of somebody else's shows what it showed, as far as its new owner sees that, and says the rest."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from handlers.rendering.port import Rendering, RenderOrder
from handlers.services.grid_cells import GridRecipe
from handlers.services.viewer import Viewer
from handlers.trees.visuals.docs import RECIPE as DOCUMENTS
from handlers.trees.visuals.plots import RECIPE as PLOTS
from tests.handlers.service_world import ServiceWorld
from tests.handlers.services.documents.stage import DOC, Reader, share, variable
from vfs.access import Caller, Verb
from vfs.errors import Conflict, TooLarge

CONTENT = """# Report\r
{{ vis ref: /p/one }}
{{ vis ref: "p/two?m=d" }} `{{ vis ref: /p/one }}`
{{ vis ref: /u/bob/p/three }}
{{ vis ref: /g/board }}
{{ img ref: logo.png }} ![mark](/p/one/a/mark.png)
{{ author username: bob }}
{/u/alice/p/one/v/rate}
"""
ABSOLUTE = (
    CONTENT.replace(
        'ref: /p/one }}\n{{ vis ref: "p/two', 'ref: /u/alice/p/one }}\n{{ vis ref: "u/alice/p/two'
    )
    .replace("/g/board", "/u/alice/g/board")
    .replace("(/p/one", "(/u/alice/p/one")
)
MAPPING = "A => /p/one\nB = > p/two, m=d\r\nC => /u/bob/p/three\nD => /p/none\n"
SENT = json.dumps({"name": "mine", "copy": True})
KINDS = [("docs", "doc", "content"), ("mails", "mail", "content")]


def copy(service_world: ServiceWorld, who: str, path: str) -> str:
    return str(service_world.call(who, Verb.RENAME, path, SENT, media="application/json").value)


def item(service_world: ServiceWorld, kind: str, owner: str, name: str):
    found = service_world.world.items.find(kind, owner, name, owner)
    assert found is not None
    return found.item


@pytest.fixture
def all_shared(service_world: ServiceWorld, renderer: Reader) -> None:
    """All that alice's and bob's texts refer to is shared with carol."""
    service_world.call("alice", Verb.CREATE, "/v1/vis/plots/two")
    variable(service_world, "alice", "/v1/vis/plots/one/vars/rate", "1", "number", "")
    for kind, owner, name in (("plot", "alice", "one"), ("plot", "alice", "two"), ("plot", "bob", "three")):
        share(service_world, kind, owner, name, "@carol", "r")
        share(service_world, kind, owner, name, "@alice", "r")
    share(service_world, "grid", "alice", "board", "@carol", "r")


@pytest.mark.parametrize(("folder", "kind", "rel"), KINDS)
def test_a_copy_of_a_text_shows_what_it_showed(
    service_world: ServiceWorld, all_shared: None, folder: str, kind: str, rel: str
) -> None:
    service_world.call("alice", Verb.CREATE, f"/v1/vis/{folder}/it")
    service_world.write("alice", f"/v1/vis/{folder}/it/{rel}", CONTENT)
    share(service_world, kind, "alice", "it", "@carol", "r")
    answer = copy(service_world, "carol", f"/v1/users/alice/vis/{folder}/it")
    assert service_world.read("carol", f"/v1/vis/{folder}/mine/{rel}") == ABSOLUTE
    assert answer.split("\n")[1:] == [
        "warning: @bob as an author is not there, or not visible to you: the copy does not show it",
        "",
    ]
    found = [
        DOCUMENTS.parts.find(Viewer(service_world.world, one, Caller(who)), one)
        for who, name in (("alice", "it"), ("carol", "mine"))
        for one in [item(service_world, kind, who, name)]
    ]
    shown = [list(one.visuals.values()) for one in found]
    assert shown[0] == shown[1] and len(shown[0]) == 4
    answer = copy(service_world, "alice", f"/v1/vis/{folder}/it")
    assert service_world.read("alice", f"/v1/vis/{folder}/mine/{rel}") == CONTENT
    assert answer.count("\n") == 1


def test_a_copy_of_a_grid_shows_what_it_showed(service_world: ServiceWorld, all_shared: None) -> None:
    grid = "/v1/vis/grids/board"
    service_world.write("alice", f"{grid}/layout", "+---+---+\n|{A}|{B}|\n+---+---+\n|{C}|{D}|\n+---+---+\n")
    service_world.write("alice", f"{grid}/mapping", MAPPING)
    answer = copy(service_world, "carol", "/v1/users/alice/vis/grids/board")
    assert service_world.read("carol", "/v1/vis/grids/mine/mapping") == (
        "A => /u/alice/p/one\nB = > u/alice/p/two, m=d\r\nC => /u/bob/p/three\nD => /u/alice/p/none\n"
    )
    assert answer == (
        "copied /v1/users/alice/vis/grids/board to /v1/users/carol/vis/grids/mine\n"
        "warning: /u/alice/p/none is not there, or not visible to you: the copy does not show it\n"
    )
    recipe = GridRecipe(PLOTS)
    before, after = (
        recipe.grid_plots(service_world.world, item(service_world, "grid", who, name))
        for who, name in (("alice", "board"), ("carol", "mine"))
    )
    assert before.plots == after.plots and set(after.missing) == {"D"}
    for name in ("data", "meta_data"):
        assert service_world.read("carol", f"/v1/vis/grids/mine/json/{name}.json") == (
            service_world.read("alice", f"{grid}/json/{name}.json")
        )


def test_absent_and_hidden_things_have_the_same_warning(
    service_world: ServiceWorld, renderer: Reader
) -> None:
    text = (
        "{{ vis ref: /p/one }}\n{{ vis ref: /p/none }}\n{/u/bob/p/none/v/x} {{ author username: nobody }}\n"
    )
    service_world.write("alice", f"{DOC}/content", text)
    service_world.write("alice", f"{DOC}/config/theme", "+acme/dark")
    share(service_world, "doc", "alice", "report", "@carol", "r")
    lines = copy(service_world, "carol", "/v1/users/alice/vis/docs/report").split("\n")[1:-1]
    assert [line.removeprefix("warning: ").partition(" is not there, or ")[0] for line in lines] == [
        "/u/alice/p/one",
        "/u/alice/p/none",
        "/u/bob/p/none",
        "@nobody as an author",
        "the theme +acme/dark",
    ]
    assert {line.partition(" is not there, or ")[2] for line in lines} == {
        "not visible to you: the copy does not show it"
    }


def test_very_many_missing_things_take_a_few_lines(service_world: ServiceWorld, renderer: Reader) -> None:
    service_world.write(
        "alice", f"{DOC}/content", "".join(f"{{{{ vis ref: /p/n{at} }}}}\n" for at in range(30))
    )
    share(service_world, "doc", "alice", "report", "@carol", "r")
    lines = copy(service_world, "carol", "/v1/users/alice/vis/docs/report").split("\n")
    assert (len(lines), lines[-2]) == (13, "warning: and 20 more")


def test_a_text_that_grows_too_large_is_refused(service_world: ServiceWorld, renderer: Reader) -> None:
    text = "{{ vis ref: /p/one }}\n"
    service_world.write("alice", f"{DOC}/content", text + "x" * ((1 << 20) - len(text)))
    share(service_world, "doc", "alice", "report", "@carol", "r")
    with pytest.raises(TooLarge, match="more than 1,048,576 bytes"):
        copy(service_world, "carol", "/v1/users/alice/vis/docs/report")
    assert service_world.world.items.find("doc", "carol", "mine", "carol") is None


class WritingReader(Reader):
    """A renderer that changes the visuals during its first order of references."""

    def __init__(self, service_world: ServiceWorld) -> None:
        super().__init__()
        self.service_world: ServiceWorld | None = service_world

    def render(self, order: RenderOrder) -> Rendering:
        service_world = self.service_world
        if order.form == "references" and service_world is not None:
            self.service_world = None
            service_world.write("alice", f"{DOC}/content", "other")
        return super().render(order)


def test_one_that_is_written_meanwhile_is_copied_again(service_world: ServiceWorld, renderer: Reader) -> None:
    share(service_world, "doc", "alice", "report", "@carol", "r")
    visuals = replace(service_world.world.visuals, renderer=WritingReader(service_world))
    service_world.world = replace(service_world.world, visuals=visuals)
    with pytest.raises(Conflict, match="was written just now: copy it again"):
        copy(service_world, "carol", "/v1/users/alice/vis/docs/report")
    assert "copied" in copy(service_world, "carol", "/v1/users/alice/vis/docs/report")
    assert service_world.read("carol", "/v1/vis/docs/mine/content") == "other"
