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
from tests.handlers.household import Household
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
WISH = json.dumps({"name": "mine", "copy": True})
KINDS = [("docs", "doc", "content"), ("mails", "mail", "content")]


def copy(household: Household, who: str, path: str) -> str:
    return str(household.call(who, Verb.RENAME, path, WISH, media="application/json").value)


def item(household: Household, kind: str, owner: str, name: str):
    found = household.world.items.find(kind, owner, name, owner)
    assert found is not None
    return found.item


@pytest.fixture
def all_shared(household: Household, renderer: Reader) -> None:
    """All that alice's and bob's texts refer to is shared with carol."""
    household.call("alice", Verb.CREATE, "/v1/vis/plots/two")
    variable(household, "alice", "/v1/vis/plots/one/vars/rate", "1", "number", "")
    for kind, owner, name in (("plot", "alice", "one"), ("plot", "alice", "two"), ("plot", "bob", "three")):
        share(household, kind, owner, name, "@carol", "r")
        share(household, kind, owner, name, "@alice", "r")
    share(household, "grid", "alice", "board", "@carol", "r")


@pytest.mark.parametrize(("folder", "kind", "rel"), KINDS)
def test_a_copy_of_a_text_shows_what_it_showed(
    household: Household, all_shared: None, folder: str, kind: str, rel: str
) -> None:
    household.call("alice", Verb.CREATE, f"/v1/vis/{folder}/it")
    household.write("alice", f"/v1/vis/{folder}/it/{rel}", CONTENT)
    share(household, kind, "alice", "it", "@carol", "r")
    told = copy(household, "carol", f"/v1/users/alice/vis/{folder}/it")
    assert household.read("carol", f"/v1/vis/{folder}/mine/{rel}") == ABSOLUTE
    assert told.split("\n")[1:] == [
        "warning: @bob as an author is not there, or not visible to you: the copy does not show it",
        "",
    ]
    found = [
        DOCUMENTS.parts.find(Viewer(household.world, one, Caller(who)), one)
        for who, name in (("alice", "it"), ("carol", "mine"))
        for one in [item(household, kind, who, name)]
    ]
    shown = [list(one.visuals.values()) for one in found]
    assert shown[0] == shown[1] and len(shown[0]) == 4
    told = copy(household, "alice", f"/v1/vis/{folder}/it")
    assert household.read("alice", f"/v1/vis/{folder}/mine/{rel}") == CONTENT
    assert told.count("\n") == 1


def test_a_copy_of_a_grid_shows_what_it_showed(household: Household, all_shared: None) -> None:
    grid = "/v1/vis/grids/board"
    household.write("alice", f"{grid}/layout", "+---+---+\n|{A}|{B}|\n+---+---+\n|{C}|{D}|\n+---+---+\n")
    household.write("alice", f"{grid}/mapping", MAPPING)
    told = copy(household, "carol", "/v1/users/alice/vis/grids/board")
    assert household.read("carol", "/v1/vis/grids/mine/mapping") == (
        "A => /u/alice/p/one\nB = > u/alice/p/two, m=d\r\nC => /u/bob/p/three\nD => /u/alice/p/none\n"
    )
    assert told == (
        "copied /v1/users/alice/vis/grids/board to /v1/users/carol/vis/grids/mine\n"
        "warning: /u/alice/p/none is not there, or not visible to you: the copy does not show it\n"
    )
    recipe = GridRecipe(PLOTS)
    before, after = (
        recipe.grid_plots(household.world, item(household, "grid", who, name))
        for who, name in (("alice", "board"), ("carol", "mine"))
    )
    assert before.plots == after.plots and set(after.missing) == {"D"}
    for name in ("data", "meta_data"):
        assert household.read("carol", f"/v1/vis/grids/mine/json/{name}.json") == (
            household.read("alice", f"{grid}/json/{name}.json")
        )


def test_what_is_absent_and_what_is_hidden_are_told_alike(household: Household, renderer: Reader) -> None:
    text = (
        "{{ vis ref: /p/one }}\n{{ vis ref: /p/none }}\n{/u/bob/p/none/v/x} {{ author username: nobody }}\n"
    )
    household.write("alice", f"{DOC}/content", text)
    household.write("alice", f"{DOC}/config/theme", "+acme/dark")
    share(household, "doc", "alice", "report", "@carol", "r")
    told = copy(household, "carol", "/v1/users/alice/vis/docs/report").split("\n")[1:-1]
    assert [line.removeprefix("warning: ").partition(" is not there, or ")[0] for line in told] == [
        "/u/alice/p/one",
        "/u/alice/p/none",
        "/u/bob/p/none",
        "@nobody as an author",
        "the theme +acme/dark",
    ]
    assert {line.partition(" is not there, or ")[2] for line in told} == {
        "not visible to you: the copy does not show it"
    }


def test_very_many_are_told_of_in_a_few_lines(household: Household, renderer: Reader) -> None:
    household.write("alice", f"{DOC}/content", "".join(f"{{{{ vis ref: /p/n{at} }}}}\n" for at in range(30)))
    share(household, "doc", "alice", "report", "@carol", "r")
    told = copy(household, "carol", "/v1/users/alice/vis/docs/report").split("\n")
    assert (len(told), told[-2]) == (13, "warning: and 20 more")


def test_a_text_that_grows_too_large_is_refused(household: Household, renderer: Reader) -> None:
    text = "{{ vis ref: /p/one }}\n"
    household.write("alice", f"{DOC}/content", text + "x" * ((1 << 20) - len(text)))
    share(household, "doc", "alice", "report", "@carol", "r")
    with pytest.raises(TooLarge, match="more than 1,048,576 bytes"):
        copy(household, "carol", "/v1/users/alice/vis/docs/report")
    assert household.world.items.find("doc", "carol", "mine", "carol") is None


class Meddler(Reader):
    """A renderer while whose first look at references somebody writes."""

    def __init__(self, household: Household) -> None:
        super().__init__()
        self.household: Household | None = household

    def render(self, order: RenderOrder) -> Rendering:
        household = self.household
        if order.form == "references" and household is not None:
            self.household = None
            household.write("alice", f"{DOC}/content", "other")
        return super().render(order)


def test_one_that_is_written_meanwhile_is_copied_again(household: Household, renderer: Reader) -> None:
    share(household, "doc", "alice", "report", "@carol", "r")
    visuals = replace(household.world.visuals, renderer=Meddler(household))
    household.world = replace(household.world, visuals=visuals)
    with pytest.raises(Conflict, match="was written just now: copy it again"):
        copy(household, "carol", "/v1/users/alice/vis/docs/report")
    assert "copied" in copy(household, "carol", "/v1/users/alice/vis/docs/report")
    assert household.read("carol", "/v1/vis/docs/mine/content") == "other"
