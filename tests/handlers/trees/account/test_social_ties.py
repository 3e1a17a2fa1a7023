"""Connections between users: who requested them, and what is left when both users did."""

from __future__ import annotations

from tests.handlers.trees.tree_world import TreeWorld
from vfs.access import Verb
from vfs.ports.groups import TieKind

FOLDER = "/v1/admin/social/connections"


def names(tree_world: TreeWorld, who: str) -> list[str]:
    """Return the names in the folder of a user's connections."""
    return [row.name for row in tree_world.read(FOLDER, tree_world.token(who, "listing"))]


def test_users_who_requested_each_other_at_once_are_connected_once(tree_world: TreeWorld) -> None:
    for name, other in (("alice", "bob"), ("bob", "alice")):
        tree_world.ties.put(TieKind.CONNECTION, name, other, pending=True)
    tree_world.write("/v1/admin/invites/@alice/accept", tree_world.token("bob"), "yes\r\n")
    for name, other in (("alice", "bob"), ("bob", "alice")):
        caller = tree_world.token(name, "after")
        assert [row.name for row in tree_world.read(FOLDER, caller)] == [other]
        assert tree_world.read("/v1/admin/invites", caller) == []
        assert tree_world.text(f"{FOLDER}/{other}", caller) == "yes"
    tree_world.call(Verb.REMOVE, f"{FOLDER}/alice", tree_world.token("bob", "ending"))
    assert names(tree_world, "alice") == []
    assert not tree_world.users.sees("alice", "bob")


def test_an_entry_says_whether_it_was_answered(tree_world: TreeWorld) -> None:
    alice = tree_world.token("alice")
    tree_world.call(Verb.CREATE, f"{FOLDER}/bob", alice)
    assert names(tree_world, "alice") == ["I-bob"]
    for name in ("bob", "I-bob"):
        assert tree_world.text(f"{FOLDER}/{name}", alice) == "invited"
    assert tree_world.call(Verb.CREATE, f"{FOLDER}/bob", alice).value == "you have asked @bob already\n"
    assert names(tree_world, "bob") == []
