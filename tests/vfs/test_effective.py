"""The list for an owner of who has what of an item."""

from __future__ import annotations

import pytest

from vfs.access import (
    EVERYTHING,
    NOTHING,
    RUNNABLE,
    VIEWABLE,
    Access,
    Grant,
    Holder,
    Holding,
    Role,
    holdings,
    public_holding,
)

TEAM = Grant("@carol~team", "rwd", "@carol~team~rwd")
OWNER = Holding("alice", ("r", "w", "d", "x"), EVERYTHING, ("owner",))


def test_the_owner_stands_first_and_may_do_everything() -> None:
    assert holdings("alice", [], RUNNABLE) == [OWNER]


def test_a_grant_of_rwd_may_read_rwx() -> None:
    access = Access.READ | Access.INFO | Access.EXECUTE | Access.WRITE
    member = Holding("bob", ("r", "w", "x"), access, (TEAM.name,))
    assert holdings("alice", [Holder("bob", TEAM, Role.MEMBERS)], VIEWABLE) == [OWNER, member]


@pytest.mark.parametrize("role", [Role.SUPERUSERS, Role.ADMINS, Role.FOUNDERS])
def test_higher_roles_keep_all_that_was_granted(role: Role) -> None:
    (_, held) = holdings("alice", [Holder("bob", TEAM, role)], RUNNABLE)
    assert held.permissions == ("r", "w", "d")


def test_what_is_left_may_be_information_alone() -> None:
    grant = Grant("@carol~team", "d", "@carol~team~d")
    (_, held) = holdings("alice", [Holder("bob", grant, Role.MEMBERS)], RUNNABLE)
    assert held == Holding("bob", (), Access.INFO, ("@carol~team~d",))


def test_shares_are_united_by_user() -> None:
    direct = Grant("@bob", "x", "@bob")
    found = holdings(
        "alice",
        [Holder("bob", TEAM, Role.MEMBERS), Holder("bob", direct), Holder("dave", TEAM, Role.ADMINS)],
        RUNNABLE,
    )
    assert [(one.user, one.permissions, one.via) for one in found[1:]] == [
        ("bob", ("r", "w", "x"), (TEAM.name, "@bob")),
        ("dave", ("r", "w", "d"), (TEAM.name,)),
    ]


def test_the_public_keeps_its_grant_and_sees_what_it_confers() -> None:
    grant = Grant("public", "r", "public~r")
    seen = Access.READ | Access.INFO | Access.EXECUTE
    assert public_holding(grant, VIEWABLE, effective=True) == Holding(None, ("r",), seen, ("public~r",))
    assert public_holding(grant, VIEWABLE, effective=False) == Holding(None, ("r",), NOTHING, ("public~r",))
