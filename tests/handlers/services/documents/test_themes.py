"""Themes of organisations reach the documents of those who belong to them."""

from __future__ import annotations

import json

from tests.handlers.service_world import ServiceWorld
from tests.handlers.services.documents.stage import DOC, Reader
from vfs.access import Verb
from vfs.call import KeptBytes
from vfs.ports.groups import GroupKind, Role

THEME = "/v1/admin/orgs/birds/profile/themes/dusk"
SHEET = ":root { --novem-accent: #803030 }"


def theme_css(service_world: ServiceWorld) -> str:
    """The sheet that the document is rendered with."""
    value = service_world.call("alice", Verb.READ, f"{DOC}/files/doc.pdf").value
    assert isinstance(value, KeptBytes)
    with value.open() as file:
        css: str = json.load(file)["texts"].get("theme.css", "")
    return css


def test_a_member_has_the_theme_of_the_organisation(service_world: ServiceWorld, renderer: Reader) -> None:
    people = service_world.world.people
    people.groups.create(GroupKind.ORG, "birds", "birds", "bob", "paid")
    service_world.call("bob", Verb.WRITE, THEME, SHEET)
    service_world.write("alice", f"{DOC}/config/theme", "+birds/dusk")
    assert theme_css(service_world) == ""
    people.members.put("+birds", "alice", Role.MEMBERS, pending=True, by="bob")
    assert theme_css(service_world) == ""
    people.members.accept("+birds", "alice")
    assert theme_css(service_world) == SHEET
    service_world.write("bob", THEME, SHEET + "\nh1 { color: red }")
    assert theme_css(service_world).endswith("red }")
    service_world.write("alice", f"{DOC}/config/theme", "+birds/none")
    assert theme_css(service_world) == ""
    (note,) = [
        line["message"] for line in service_world.read("alice", f"{DOC}/log") if "theme" in line["message"]
    ]
    who = "@alice and who named it last"
    assert note == f"config/theme: +birds/none is no theme that {who} may use; novem is shown instead"
    people.members.drop("+birds", "alice", Role.MEMBERS, pending=False)
    service_world.write("alice", f"{DOC}/config/theme", "+birds/dusk")
    assert theme_css(service_world) == ""
