"""The folders of users: who is listed to whom, and what a card hides."""

from __future__ import annotations

import pytest

from tests.handlers.trees.tree_world import TreeWorld
from vfs.access import PUBLIC, Caller, Grant, Role, Verb
from vfs.call import Outcome
from vfs.errors import NotFound, Unauthenticated, VfsError

CARD = "/v1/users/bob/profile"


def names(tree_world: TreeWorld, caller: Caller) -> list[str]:
    return [row.name for row in tree_world.read("/v1/users", caller)]


def test_the_list_holds_who_is_seen(tree_world: TreeWorld) -> None:
    alice = tree_world.token("alice")
    tree_world.citizen("star", public=True)
    assert names(tree_world, alice) == ["alice", "star"]
    tree_world.join("@bob~team", "alice", Role.MEMBERS)
    tree_world.join("@bob~team", "bob", Role.FOUNDERS)
    assert names(tree_world, alice) == ["alice", "bob", "star"]
    with pytest.raises(Unauthenticated):
        tree_world.read("/v1/users", PUBLIC)


@pytest.mark.parametrize("verb", [*Verb, None])
@pytest.mark.parametrize("below", ["", "/profile", "/code", "/code/jobs", "/code/jobs/x", "/nothing"])
@pytest.mark.parametrize("who", ["alice", ""])
def test_an_invisible_user_is_as_absent_as_an_absent_one(
    tree_world: TreeWorld, who: str, below: str, verb: Verb | None
) -> None:
    caller = tree_world.token(who) if who else PUBLIC
    refusals = []
    for name in ("bob", "nobody"):
        with pytest.raises(VfsError) as refused:
            tree_world.call(verb, f"/v1/users/{name}{below}", caller, "text")
        error = refused.value
        refusals.append((type(error), error.detail.replace(name, "-"), error.members))
    assert refusals[0] == refusals[1]
    assert refusals[0][0] is (NotFound if who else Unauthenticated)


def test_a_card_shows_what_the_options_allow(tree_world: TreeWorld) -> None:
    alice, bob = tree_world.token("alice"), tree_world.token("bob")
    for leaf, sent in {"name": "Bob", "bio": "counts", "description": "long", "public": "yes"}.items():
        tree_world.write(f"/v1/admin/profile/{leaf}", bob, sent)
    card = tree_world.read(CARD, alice)
    assert card == {
        "username": "bob",
        "name": None,
        "email": None,
        "description": None,
        "bio": "counts",
        "account_type": "regular",
        "public": True,
        "member_since": tree_world.epoch,
    }
    for option in ("show_name", "show_email", "show_description"):
        tree_world.write(f"/v1/admin/profile/options/{option}", bob, "yes")
    shown = tree_world.read(CARD, alice)
    assert (shown["name"], shown["email"], shown["description"]) == ("Bob", "bob@birds.example", "long")
    assert "name: Bob\n" in tree_world.text(CARD, alice)


def test_a_corner_lists_its_folders(tree_world: TreeWorld) -> None:
    rows = tree_world.read("/v1/users/alice", tree_world.token("alice"))
    assert {"profile": "file", "code": "dir"}.items() <= {row.name: row.type for row in rows}.items()


def test_a_shared_item_is_reached_although_its_owner_is_hidden(tree_world: TreeWorld) -> None:
    alice, bob = tree_world.token("alice"), tree_world.token("bob")
    tree_world.write("/v1/admin/profile/public", bob, "yes")
    created = tree_world.call(Verb.CREATE, "/v1/users/bob/code/jobs/nightly", bob)
    assert created.outcome is Outcome.CREATED
    job = tree_world.items.find("job", "bob", "nightly", "bob")
    assert job is not None
    tree_world.grants.give(job.item.id, Grant("public", "r", "public~r"))
    assert [row.name for row in tree_world.read("/v1/users/bob/code/jobs", alice)] == ["nightly"]
    tree_world.write("/v1/admin/profile/public", bob, "no")
    with pytest.raises(NotFound):
        tree_world.read("/v1/users/bob/code/jobs/nightly", alice)
    tree_world.grants.give(job.item.id, Grant("@alice", "r", "@alice~r"))
    assert tree_world.text("/v1/users/bob/code/jobs/nightly/name", alice) == ""
    assert names(tree_world, alice) == ["alice", "bob"]


def test_nobody_makes_users_here(tree_world: TreeWorld) -> None:
    with pytest.raises(NotFound):
        tree_world.call(Verb.CREATE, "/v1/users/carol", tree_world.token("alice"))
