"""Themes of organisations reach the documents of those who belong to them."""

from __future__ import annotations

import json

from tests.handlers.household import Household
from tests.handlers.services.documents.stage import DOC, Reader
from vfs.access import Verb
from vfs.call import KeptBytes
from vfs.ports.groups import GroupKind, Role

THEME = "/v1/admin/orgs/birds/profile/themes/dusk"
SHEET = ":root { --novem-accent: #803030 }"


def theme_css(household: Household) -> str:
    """The sheet that the document is rendered with."""
    value = household.call("alice", Verb.READ, f"{DOC}/files/doc.pdf").value
    assert isinstance(value, KeptBytes)
    with value.open() as file:
        css: str = json.load(file)["texts"].get("theme.css", "")
    return css


def test_a_member_has_the_theme_of_the_organisation(household: Household, renderer: Reader) -> None:
    people = household.world.people
    people.groups.create(GroupKind.ORG, "birds", "birds", "bob", "paid")
    household.call("bob", Verb.WRITE, THEME, SHEET)
    household.write("alice", f"{DOC}/config/theme", "+birds/dusk")
    assert theme_css(household) == ""
    people.members.put("+birds", "alice", Role.MEMBERS, pending=True, by="bob")
    assert theme_css(household) == ""
    people.members.accept("+birds", "alice")
    assert theme_css(household) == SHEET
    household.write("bob", THEME, SHEET + "\nh1 { color: red }")
    assert theme_css(household).endswith("red }")
    household.write("alice", f"{DOC}/config/theme", "+birds/none")
    assert theme_css(household) == ""
    (note,) = [
        line["message"] for line in household.read("alice", f"{DOC}/log") if "theme" in line["message"]
    ]
    who = "@alice and who named it last"
    assert note == f"config/theme: +birds/none is no theme that {who} may use; novem is shown instead"
    people.members.drop("+birds", "alice", Role.MEMBERS, pending=False)
    household.write("alice", f"{DOC}/config/theme", "+birds/dusk")
    assert theme_css(household) == ""
