"""A preview shows what its caller and the owner may both see, and leaves the world as it was."""

from __future__ import annotations

import json

import pytest

from handlers.words.document_parts import DocumentParts, load_parts
from tests.handlers.service_world import ServiceWorld
from tests.handlers.services.documents.stage import DOC, Reader, refs, render, share
from vfs.access import Verb
from vfs.call import KeptBytes
from vfs.errors import Denied
from vfs.ports.groups import GroupKind, Role

OF_ALICE = "/v1/users/alice/vis/docs/report"
SHEET = ":root { --novem-accent: #803030 }"


def preview(service_world: ServiceWorld, user: str, **texts: str) -> tuple[DocumentParts, dict[str, str]]:
    """Return the parts and the texts of a preview of alice's report. `_` in a name stands for `/`."""
    sent = json.dumps({name.replace("_", "/"): text for name, text in texts.items()})
    value = service_world.call(user, Verb.WRITE, f"{OF_ALICE}/preview", sent, media="application/json").value
    assert isinstance(value, KeptBytes) and value.is_framed
    with value.open() as file:
        order_texts = json.load(file)["texts"]
    return load_parts(order_texts["parts"]), order_texts


def test_the_owner_sees_what_the_stored_one_would_show(service_world: ServiceWorld, renderer: Reader) -> None:
    stored, _ = preview(service_world, "alice")
    assert refs(stored) == refs(render(service_world, "html")[1])
    parts, texts = preview(service_world, "alice", content="{{ vis ref: /p/one }}", config_type="pres")
    assert set(refs(parts)) == {"/p/one"} and texts["config/type"] == "pres"
    assert service_world.read("alice", f"{DOC}/config/type") == "doc"


def test_nothing_that_was_only_tried_is_kept(service_world: ServiceWorld, renderer: Reader) -> None:
    preview(service_world, "alice", content="{{ vis ref: /p/one }} once")
    renderer.names()
    preview(service_world, "alice", content="{{ vis ref: /p/one }} once")
    # What is stored, which is the plot, was drawn before.
    assert renderer.names() == ["requests", "html"]


@pytest.mark.parametrize(
    ("targets", "shown"), [((), False), (("@carol",), False), (("@alice", "@carol"), True)]
)
def test_a_preview_shows_what_its_caller_and_the_owner_may_see(
    service_world: ServiceWorld, renderer: Reader, targets: tuple[str, ...], shown: bool
) -> None:
    share(service_world, "doc", "alice", "report", "@carol", "r")
    for target in targets:
        share(service_world, "plot", "bob", "three", target, "x")
    for texts in ({}, {"content": "{{ vis ref: /u/bob/p/three }} {/u/bob/p/three/v/rate}"}):
        parts, _ = preview(service_world, "carol", **texts)
        assert ("/u/bob/p/three" in refs(parts)) is shown
        assert "/p/one" not in refs(parts) and "/u/alice/g/board" not in refs(parts)
    assert set(parts.variables) == ({"/u/bob/p/three/v/rate"} if shown else set())


def test_a_theme_is_one_that_both_may_use(service_world: ServiceWorld, renderer: Reader) -> None:
    people = service_world.world.people
    people.groups.create(GroupKind.ORG, "birds", "birds", "bob", "paid")
    service_world.call("bob", Verb.WRITE, "/v1/admin/orgs/birds/profile/themes/dusk", SHEET)
    people.members.put("+birds", "alice", Role.MEMBERS, pending=False, by="bob")
    service_world.write("alice", f"{DOC}/config/theme", "+birds/dusk")
    share(service_world, "doc", "alice", "report", "@carol", "r")
    assert preview(service_world, "alice")[1]["theme.css"] == SHEET
    assert "theme.css" not in preview(service_world, "carol")[1]
    assert "theme.css" not in preview(service_world, "carol", config_theme="+birds/dusk")[1]


def test_a_user_who_only_sees_the_picture_previews_nothing(
    service_world: ServiceWorld, renderer: Reader
) -> None:
    share(service_world, "doc", "alice", "report", "@carol", "x")
    with pytest.raises(Denied):
        preview(service_world, "carol")
