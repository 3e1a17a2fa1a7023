"""Connections between users: who asked whom, and what is left when both did."""

from __future__ import annotations

from tests.handlers.trees.town import Town
from vfs.access import Verb
from vfs.ports.groups import TieKind

FOLDER = "/v1/admin/social/connections"


def names(town: Town, who: str) -> list[str]:
    """What the folder of a user's connections lists."""
    return [row.name for row in town.read(FOLDER, town.token(who, "listing"))]


def test_users_who_asked_each_other_at_once_are_connected_once(town: Town) -> None:
    for name, other in (("alice", "bob"), ("bob", "alice")):
        town.ties.put(TieKind.CONNECTION, name, other, pending=True)
    town.write("/v1/admin/invites/@alice/accept", town.token("bob"), "yes\r\n")
    for name, other in (("alice", "bob"), ("bob", "alice")):
        caller = town.token(name, "after")
        assert [row.name for row in town.read(FOLDER, caller)] == [other]
        assert town.read("/v1/admin/invites", caller) == []
        assert town.text(f"{FOLDER}/{other}", caller) == "yes"
    town.call(Verb.REMOVE, f"{FOLDER}/alice", town.token("bob", "ending"))
    assert names(town, "alice") == []
    assert not town.users.sees("alice", "bob")


def test_an_entry_says_whether_it_was_answered(town: Town) -> None:
    alice = town.token("alice")
    town.call(Verb.CREATE, f"{FOLDER}/bob", alice)
    assert names(town, "alice") == ["I-bob"]
    for name in ("bob", "I-bob"):
        assert town.text(f"{FOLDER}/{name}", alice) == "invited"
    assert town.call(Verb.CREATE, f"{FOLDER}/bob", alice).value == "you have asked @bob already\n"
    assert names(town, "bob") == []
