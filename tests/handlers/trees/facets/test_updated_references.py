"""References to a renamed item are rewritten, or named with the reason why they are not."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from handlers.rendering.port import RenderFailed, Rendering, RenderOrder
from tests.handlers.service_world import TREE, ServiceWorld
from tests.handlers.services.documents.stage import DOC, Reader, share
from tests.handlers.trees.facets.named_things import FILES, PLOT, rename, text_of
from tests.handlers.trees.tree_world import Sent
from vfs.access import EVERYTHING, Caller, Claim, Verb, Via
from vfs.call import Call
from vfs.errors import Invalid
from vfs.path import Path
from vfs.serve import serve


def test_a_document_that_is_renamed_follows_itself(stage: ServiceWorld) -> None:
    stage.write("alice", f"{DOC}/content", "![a](/d/report/a/logo.png) d/report")
    answer = rename(stage, DOC, "paper")
    assert answer.endswith("/v1/users/alice/vis/docs/paper/content follows\n")
    assert text_of(stage, "/v1/vis/docs/paper/content") == "![a](/d/paper/a/logo.png) d/report"


def test_another_kind_of_the_same_name_is_another_thing(stage: ServiceWorld) -> None:
    mapping = "A => /p/one\n# /g/one\n"
    stage.write("alice", FILES["grid"], mapping)
    answer = rename(stage, "/v1/vis/grids/one", "first")
    assert answer == "renamed /v1/vis/grids/one to /v1/vis/grids/first\n"
    assert text_of(stage, FILES["grid"]) == mapping


def test_a_name_that_stays_breaks_nothing(stage: ServiceWorld) -> None:
    assert rename(stage, PLOT, "one", mend=False) == f"renamed {PLOT} to {PLOT}\n"
    assert rename(stage, PLOT, "one") == f"renamed {PLOT} to {PLOT}\n"


def test_the_suggested_requests_work_as_written(stage: ServiceWorld) -> None:
    answer = rename(stage, PLOT, "first", mend=False)
    offer = answer.splitlines()[-1]
    assert offer.endswith(
        'PATCH /v1/vis/plots/first with {"name": "one"}, '
        'then /v1/vis/plots/one with {"name": "first", "mend": true}'
    )
    for path, sent in (("/v1/vis/plots/first", {"name": "one"}), (PLOT, {"name": "first", "mend": True})):
        reply = stage.call("alice", Verb.RENAME, path, json.dumps(sent), media="application/json")
    assert "docs/report/content follows" in str(reply.value)
    assert "/p/one" not in text_of(stage, f"{DOC}/content")


def test_a_text_that_another_user_wrote_last_is_not_rewritten(stage: ServiceWorld) -> None:
    """A text is shown with the rights of its last writer: the owner's would show them more."""
    share(stage, "grid", "alice", "board", "@bob", "rw")
    stage.write("bob", "/v1/users/alice/vis/grids/board/mapping", "A => /p/one")
    answer = rename(stage, PLOT, "first")
    assert "warning: /v1/users/alice/vis/grids/board/mapping still names one: @bob wrote it, and" in answer
    assert text_of(stage, FILES["grid"]) == "A => /p/one"


def test_a_form_that_is_not_reached_is_named(stage: ServiceWorld) -> None:
    stage.write("alice", FILES["doc"], "![a](/p/&#111;ne/a/l.png) `/p/one`")
    answer = rename(stage, PLOT, "first")
    assert "docs/report/content still names /p/one/a/l.png, in a form that is not rewritten" in answer
    assert "content follows" not in answer


def test_a_text_that_grows_too_large_is_left(stage: ServiceWorld) -> None:
    text = "{{ vis ref: /p/one }}\n" + "x" * ((1 << 20) - 22)
    stage.write("alice", FILES["doc"], text)
    answer = rename(stage, PLOT, "first")
    assert "docs/report/content still names one: the text has more than 1,048,576 bytes" in answer
    assert text_of(stage, FILES["doc"]) == text
    assert text_of(stage, FILES["grid"]) == "A => /p/first\n"


def test_a_text_that_the_credential_may_not_write_is_left(stage: ServiceWorld) -> None:
    stage.write("alice", "/v1/code/jobs/work/config/chains", "one")
    sent = json.dumps({"name": "first", "mend": True}).encode()
    for claim in ({"repo": EVERYTHING}, {"repo": EVERYTHING, "job": EVERYTHING}):
        caller = Caller("alice", Via.RUN, Claim("narrow", claim))
        path = Path.parse("/v1/users/alice/code/repos/one")
        call = Call(Verb.RENAME, path, caller, stage.world, Sent(sent, "application/json"))
        answer = str(serve(TREE, call).value)
        assert "/config/chains still names one: " in answer
        assert text_of(stage, "/v1/code/jobs/work/config/chains") == "one"
        rename(stage, "/v1/code/repos/first", "one", mend=False)


def test_only_its_owner_mends_and_copies_mend_nothing(stage: ServiceWorld) -> None:
    both = json.dumps({"name": "first", "mend": True, "copy": True})
    with pytest.raises(Invalid, match="send copy or mend"):
        stage.call("alice", Verb.RENAME, PLOT, both, media="application/json")


class WritingReader(Reader):
    """A renderer that changes the visuals during its first order of references."""

    def __init__(self, service_world: ServiceWorld) -> None:
        super().__init__()
        self.service_world: ServiceWorld | None = service_world

    def render(self, order: RenderOrder) -> Rendering:
        service_world = self.service_world
        if order.form == "references" and service_world is not None:
            self.service_world = None
            service_world.write("alice", FILES["doc"], "{{ vis ref: /p/one }}")
            service_world.call("alice", Verb.REMOVE, "/v1/vis/grids/board")
        return super().render(order)


class FailingReader(Reader):
    """A renderer that fails."""

    def render(self, order: RenderOrder) -> Rendering:
        raise RenderFailed("it is too much")


@pytest.mark.parametrize("other", [WritingReader, lambda service_world: FailingReader()])
def test_a_text_that_changed_or_could_not_be_read_is_left(stage: ServiceWorld, other) -> None:
    visuals = replace(stage.world.visuals, renderer=other(stage))
    stage.world = replace(stage.world, visuals=visuals)
    assert "docs/report/content still names one: it was written just now, or" in rename(stage, PLOT, "first")
    assert "/p/one" in text_of(stage, FILES["doc"])


def test_texts_that_were_too_late_are_left(stage: ServiceWorld) -> None:
    """Several are read at a time, and then the time is over."""
    for number in range(9):
        stage.call("alice", Verb.CREATE, f"/v1/vis/docs/d{number}")
        stage.write("alice", f"/v1/vis/docs/d{number}/content", "{{ vis ref: /p/one }}")
    hurried = replace(stage.world.service.settings, render_seconds=0)
    stage.world = replace(stage.world, service=replace(stage.world.service, settings=hurried))
    answer = rename(stage, PLOT, "first")
    assert "docs/report/content follows" in answer
    assert "docs/d7/content still names one: it was written just now, or could not be read" in answer
    assert "docs/d8/content still names one" in answer


def test_many_are_counted(stage: ServiceWorld) -> None:
    for number in range(12):
        stage.call("alice", Verb.CREATE, f"/v1/vis/grids/g{number}")
        stage.write("alice", f"/v1/vis/grids/g{number}/mapping", "A => /p/one")
    answer = rename(stage, PLOT, "first", mend=False)
    assert answer.count("still names one") == 10
    assert "warning: and 4 more\n" in answer
    rename(stage, "/v1/vis/plots/first", "one")
    answer = rename(stage, PLOT, "first")
    assert answer.count(" follows\n") == 10
    assert answer.endswith("and 4 more\n")


def test_there_may_be_more_than_are_looked_at(stage: ServiceWorld) -> None:
    for number in range(50):
        grid = stage.world.items.create("grid", "alice", f"g{number}")
        stage.world.leaves.put(grid.id, "mapping", "A => /p/one", "alice")
    answer = rename(stage, PLOT, "first")
    assert answer.endswith("warning: 50 files were looked at; others may still name one\n")
