"""The corners of users: who is listed to whom, and what a card keeps back."""

from __future__ import annotations

import pytest

from tests.handlers.trees.town import Town
from vfs.access import PUBLIC, Caller, Grant, Role, Verb
from vfs.call import Outcome
from vfs.errors import NotFound, Unauthenticated, VfsError

CARD = "/v1/users/bob/profile"


def names(town: Town, caller: Caller) -> list[str]:
    return [row.name for row in town.read("/v1/users", caller)]


def test_the_list_holds_who_is_seen(town: Town) -> None:
    alice = town.token("alice")
    town.citizen("star", public=True)
    assert names(town, alice) == ["alice", "star"]
    town.join("@bob~team", "alice", Role.MEMBERS)
    town.join("@bob~team", "bob", Role.FOUNDERS)
    assert names(town, alice) == ["alice", "bob", "star"]
    with pytest.raises(Unauthenticated):
        town.read("/v1/users", PUBLIC)


@pytest.mark.parametrize("verb", [*Verb, None])
@pytest.mark.parametrize("below", ["", "/profile", "/code", "/code/jobs", "/code/jobs/x", "/nothing"])
@pytest.mark.parametrize("who", ["alice", ""])
def test_an_invisible_user_is_as_absent_as_an_absent_one(
    town: Town, who: str, below: str, verb: Verb | None
) -> None:
    caller = town.token(who) if who else PUBLIC
    told = []
    for name in ("bob", "nobody"):
        with pytest.raises(VfsError) as refused:
            town.call(verb, f"/v1/users/{name}{below}", caller, "text")
        error = refused.value
        told.append((type(error), error.detail.replace(name, "-"), error.members))
    assert told[0] == told[1]
    assert told[0][0] is (NotFound if who else Unauthenticated)


def test_a_card_shows_what_the_options_allow(town: Town) -> None:
    alice, bob = town.token("alice"), town.token("bob")
    for leaf, sent in {"name": "Bob", "bio": "counts", "description": "long", "public": "yes"}.items():
        town.write(f"/v1/admin/profile/{leaf}", bob, sent)
    card = town.read(CARD, alice)
    assert card == {
        "username": "bob",
        "name": None,
        "email": None,
        "description": None,
        "bio": "counts",
        "account_type": "regular",
        "public": True,
        "member_since": town.epoch,
    }
    for option in ("show_name", "show_email", "show_description"):
        town.write(f"/v1/admin/profile/options/{option}", bob, "yes")
    shown = town.read(CARD, alice)
    assert (shown["name"], shown["email"], shown["description"]) == ("Bob", "bob@birds.example", "long")
    assert "name: Bob\n" in town.text(CARD, alice)


def test_a_corner_lists_its_folders(town: Town) -> None:
    rows = town.read("/v1/users/alice", town.token("alice"))
    assert {"profile": "file", "code": "dir"}.items() <= {row.name: row.type for row in rows}.items()


def test_what_is_shared_is_reached_although_its_owner_hides(town: Town) -> None:
    alice, bob = town.token("alice"), town.token("bob")
    town.write("/v1/admin/profile/public", bob, "yes")
    created = town.call(Verb.CREATE, "/v1/users/bob/code/jobs/nightly", bob)
    assert created.outcome is Outcome.CREATED
    job = town.items.find("job", "bob", "nightly", "bob")
    assert job is not None
    town.grants.give(job.item.id, Grant("public", "r", "public~r"))
    assert [row.name for row in town.read("/v1/users/bob/code/jobs", alice)] == ["nightly"]
    town.write("/v1/admin/profile/public", bob, "no")
    with pytest.raises(NotFound):
        town.read("/v1/users/bob/code/jobs/nightly", alice)
    town.grants.give(job.item.id, Grant("@alice", "r", "@alice~r"))
    assert town.text("/v1/users/bob/code/jobs/nightly/name", alice) == ""
    assert names(town, alice) == ["alice", "bob"]


def test_nobody_makes_users_here(town: Town) -> None:
    with pytest.raises(NotFound):
        town.call(Verb.CREATE, "/v1/users/carol", town.token("alice"))
