"""Parts of documents are found with the rights of owner and last writer, and as many as a document shows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from handlers.rendering.port import Rendering, RenderOrder
from handlers.services.documents.document_recipe import DocumentRecipe
from handlers.services.documents.found_parts import MOST_VISUALS
from handlers.services.documents.part_contents import TOO_LARGE, TOO_LATE, TOO_MANY
from handlers.services.renderings import render as render_of
from handlers.services.viewer import Viewer
from handlers.trees.visuals.docs import RECIPE
from handlers.words.document_parts import load_parts
from tests.handlers.service_world import ServiceWorld
from tests.handlers.services.documents.stage import (
    DOC,
    Reader,
    refs,
    render,
    share,
    take,
    variable,
)
from tests.kit.counting.statements import Statements
from vfs.access import Caller, Verb
from vfs.call import KeptBytes
from vfs.errors import Unavailable


def test_a_chart_is_shown_while_the_owner_of_the_document_may_see_it(
    service_world: ServiceWorld, renderer: Reader
) -> None:
    hidden, parts = render(service_world)
    share(service_world, "plot", "bob", "three", "@alice", "w")
    assert render(service_world)[0] == hidden
    share(service_world, "plot", "bob", "three", "@alice", "x")
    shown, parts = render(service_world)
    assert "/u/bob/p/three" in refs(parts) and "/u/bob/p/three/v/rate" in parts.variables
    take(service_world, "plot", "bob", "three", "@alice")
    assert render(service_world)[0] == hidden != shown
    service_world.call("bob", Verb.REMOVE, "/v1/vis/plots/three")
    assert render(service_world)[0] == hidden


SECRET = "/u/carol/p/secret"
MOST_STATEMENTS = 16
SHARED = f"/v1/users/alice{DOC.removeprefix('/v1')}"


@pytest.fixture
def secret(service_world: ServiceWorld, renderer: Reader) -> None:
    """carol's plot with a variable; bob may write alice's report."""
    service_world.call("carol", Verb.CREATE, "/v1/vis/plots/secret")
    service_world.write("carol", "/v1/vis/plots/secret/data", "a,b\nx,42424242\n")
    variable(service_world, "carol", "/v1/vis/plots/secret/vars/pay", "42424242", "number", "0")
    share(service_world, "doc", "alice", "report", "@bob", "rw")


def see_secret(service_world: ServiceWorld) -> tuple[str, bool]:
    """The tag of the report, and whether it shows what carol keeps to herself, in any way."""
    tag, parts = render(service_world)
    return tag, SECRET in refs(parts) or f"{SECRET}/v/pay" in parts.variables


@pytest.mark.parametrize(
    ("targets", "shown"),
    [((), False), (("@alice",), False), (("@bob",), False), (("@alice", "@bob"), True), (("public",), True)],
)
def test_a_document_shows_what_both_its_writer_and_its_owner_may_see(
    service_world: ServiceWorld, secret: None, targets: tuple[str, ...], shown: bool
) -> None:
    text = f"{{{{ vis ref: {SECRET} }}}}\n\nThey earn {{{SECRET}/v/pay}}.\n"
    service_world.write("bob", f"{SHARED}/content", text)
    absent, _ = see_secret(service_world)
    for target in targets:
        share(service_world, "plot", "carol", "secret", target, "r")
    tag, is_shown = see_secret(service_world)
    assert is_shown is shown
    assert (tag == absent) is not shown
    service_world.write("alice", f"{DOC}/content", text)
    assert see_secret(service_world)[1] is ("@alice" in targets or "public" in targets)


def test_a_writer_reads_nothing_of_the_owners_by_writing(service_world: ServiceWorld, secret: None) -> None:
    """Neither what only the owner has, nor what third people shared with the owner alone."""
    text = "{{ vis ref: /p/one }}\n{{ vis ref: /u/alice/g/board }}\n{/u/alice/p/one/v/rate}\n"
    service_world.write("bob", f"{SHARED}/content", text)
    _, parts = render(service_world)
    assert refs(parts) == [] and parts.variables == {}
    share(service_world, "plot", "alice", "one", "@bob", "x")
    assert refs(render(service_world)[1]) == ["/p/one"]
    take(service_world, "plot", "alice", "one", "@bob")
    assert refs(render(service_world)[1]) == []


def test_a_copy_belongs_to_its_copier_and_a_rename_keeps_the_writer(
    service_world: ServiceWorld, secret: None
) -> None:
    share(service_world, "plot", "carol", "secret", "@alice", "r")
    service_world.write("bob", f"{SHARED}/content", f"{{{{ vis ref: {SECRET} }}}}")
    service_world.call("alice", Verb.RENAME, DOC, "other")
    service_world.call("alice", Verb.RENAME, "/v1/vis/docs/other", "report")
    assert refs(render(service_world)[1]) == []
    sent = json.dumps({"name": "mine", "copy": True})
    service_world.call("alice", Verb.RENAME, DOC, sent, media="application/json")
    mine = service_world.world.items.find("doc", "alice", "mine", "alice")
    assert mine is not None
    signed = service_world.world.leaves.signature(mine.item.id, "content")
    assert signed is not None and signed.author == "alice"


def test_a_writer_whose_account_is_locked_sees_nothing(service_world: ServiceWorld, secret: None) -> None:
    for target in ("@alice", "@bob"):
        share(service_world, "plot", "carol", "secret", target, "r")
    service_world.write("bob", f"{SHARED}/content", f"{{{{ vis ref: {SECRET} }}}}")
    assert refs(render(service_world)[1]) == [SECRET]
    service_world.world.people.users.change("bob", locked=True)
    assert refs(render(service_world)[1]) == []


def test_a_reader_sees_what_the_owner_sees(service_world: ServiceWorld, renderer: Reader) -> None:
    share(service_world, "doc", "alice", "report", "@carol", "x")
    assert render(service_world, user="carol")[0] == render(service_world)[0]


def test_an_author_who_agreed_is_shown(service_world: ServiceWorld, renderer: Reader) -> None:
    hidden = render(service_world)[0]
    service_world.write("bob", "/v1/admin/profile/name", "Bob Berg")
    assert (
        render(service_world) == (hidden, render(service_world)[1]) and render(service_world)[1].authors == {}
    )
    service_world.write("bob", "/v1/admin/profile/options/allow_as_author", "yes")
    _, parts = render(service_world)
    assert parts.authors["bob"].name == "Bob Berg" and not parts.reasons
    service_world.write("bob", "/v1/admin/profile/bio", "Counts birds.")
    assert render(service_world)[1].authors["bob"].bio == "Counts birds."


def test_the_owner_is_an_author_without_asking(service_world: ServiceWorld, renderer: Reader) -> None:
    service_world.write("alice", f"{DOC}/content", "{{ author username: alice }}")
    assert render(service_world)[1].authors["alice"].name == "alice"


def test_charts_are_found_by_shortname_and_in_the_grid_too(
    service_world: ServiceWorld, renderer: Reader
) -> None:
    plot, grid = (
        service_world.read("alice", f"/v1/vis/{kind}/shortname") for kind in ("plots/one", "grids/board")
    )
    service_world.write(
        "alice", f"{DOC}/content", f"{{{{ vis ref: {plot} }}}}\n\n{{{{ vis ref: {grid} }}}}\n"
    )
    assert refs(render(service_world)[1]) == sorted((plot, grid))


def test_the_charts_of_a_document_are_limited(service_world: ServiceWorld, renderer: Reader) -> None:
    lines = [f"{{{{ vis ref: /p/p{at} }}}}\n" for at in range(MOST_VISUALS)]
    service_world.write("alice", f"{DOC}/content", "\n".join([*lines, "{{ vis ref: /p/one }}"]))
    _, parts = render(service_world)
    assert parts.visuals == {} and parts.reasons == {"/p/one": TOO_MANY}


def test_charts_that_are_too_large_together_are_left_out(
    service_world: ServiceWorld, renderer: Reader
) -> None:
    service_world.write("alice", "/v1/vis/plots/one/data", "large")
    _, parts = render(service_world)
    assert refs(parts) == ["/u/alice/g/board"] and parts.reasons["/p/one"] == TOO_LARGE


def test_parts_that_were_too_late_are_named_and_drawn_by_the_next_call(
    service_world: ServiceWorld, renderer: Reader
) -> None:
    found = service_world.world.items.find("doc", "alice", "report", "alice")
    assert found is not None
    viewer = Viewer(service_world.world, found.item, Caller("alice"))
    late = DocumentRecipe(RECIPE.parts, seconds=-1)
    content = late.content(viewer, found.item, "pdf", {})
    assert load_parts(content.texts["parts"]).reasons["/p/one"] == TOO_LATE
    assert content.version != late.version(viewer, found.item, {}) and not content.whole
    for form in ("pdf", "pptx"):
        with pytest.raises(Unavailable, match=r"would not be complete: .* ask again"):
            render_of(viewer, late, form, {})
    assert render_of(viewer, late, "html", {}).is_passing
    assert refs(render(service_world)[1]) == ["/p/one", "/u/alice/g/board"]


def test_while_somebody_writes_all_the_time_no_render_is_kept_for_others(
    service_world: ServiceWorld, renderer: Reader
) -> None:
    numbers: Iterator[int] = iter(range(100))
    plain = renderer.render

    class Writer(Reader):
        """Changes a plot whenever it draws one."""

        def render(self, order: RenderOrder) -> Rendering:
            if order.kind == "plot":
                service_world.write("alice", "/v1/vis/plots/one/data", f"one{next(numbers)}")
            return plain(order)

    service_world.world = replace(
        service_world.world, visuals=replace(service_world.world.visuals, renderer=Writer())
    )
    tag, _ = render(service_world)
    assert render(service_world)[0] != tag


def test_the_log_tells_the_owner_alone_what_readers_cannot_open(
    service_world: ServiceWorld, renderer: Reader
) -> None:
    def log(user: str = "alice") -> list[str]:
        path = DOC if user == "alice" else "/v1/users/alice/vis/docs/report"
        return [line["message"] for line in service_world.read(user, f"{path}/log")]

    share(service_world, "plot", "bob", "three", "@alice")
    share(service_world, "doc", "alice", "report", "@carol")
    assert log() == [
        "/p/one is not shared with @carol, to whom this document shows it.",
        "/u/bob/p/three is @bob's; who sees it in this document may not be able to open it.",
        "/u/alice/g/board is not shared with @carol, to whom this document shows it.",
    ]
    # Anyone who writes it sees no other shares than their own, here as in `shared` (interface, Sharing 9).
    for letters in ("r", "rw"):
        share(service_world, "doc", "alice", "report", "@carol", letters)
        assert log("carol") == []


def test_a_copy_shows_what_its_new_owner_may_see(service_world: ServiceWorld, renderer: Reader) -> None:
    share(service_world, "doc", "alice", "report", "@carol")
    path = "/v1/users/alice/vis/docs/report"
    sent = json.dumps({"name": "mine", "copy": True})
    service_world.call("carol", Verb.RENAME, path, sent, media="application/json")
    value = service_world.call("carol", Verb.READ, "/v1/vis/docs/mine/files/doc.pdf").value
    assert isinstance(value, KeptBytes)
    with value.open() as file:
        parts = load_parts(json.load(file)["texts"]["parts"])
    assert parts.visuals == {} and set(parts.assets) == {"logo.png"}
    assert service_world.read("carol", "/v1/vis/docs/mine/vars/total/value") == "0.113"


def test_a_hundred_references_take_as_many_statements_as_ten(
    service_world: ServiceWorld, secret: None, statements: Statements
) -> None:
    def count(most: int) -> int:
        text = "".join(
            f"{{{{ vis ref: /p/p{at} }}}}\n\n{{/u/carol/p/q{at}/v/pay}}\n\n" for at in range(most // 2)
        )
        service_world.write("bob", f"{SHARED}/content", text)
        render(service_world)
        return statements(lambda: render(service_world))

    assert count(100) == count(10) <= MOST_STATEMENTS


def test_the_author_that_a_text_names_is_part_of_its_version(
    service_world: ServiceWorld, secret: None
) -> None:
    text = "{{ author username: alice }}\n"
    shown = []
    for writer, path in (("alice", DOC), ("bob", SHARED)):
        service_world.write(writer, f"{path}/content", text)
        tag, parts = render(service_world)
        shown.append((tag, list(parts.authors)))
    (own, named), (others, nobody) = shown
    assert (named, nobody) == (["alice"], [])
    assert own != others
