"""Promises of codes for forgotten passwords."""

from __future__ import annotations

from typing import Protocol

from vfs.ports.people import Account
from vfs.ports.resets import PasswordResets
from vfs.testing import Ground, add_user

NOW, LATER = "2026-11-22T00:00:00.000Z", "2026-11-22T00:30:00.000Z"
ADDRESS = "alice@birds.example"


class ResetsGround(Ground, Protocol):
    """An empty world with its codes for forgotten passwords."""

    @property
    def resets(self) -> PasswordResets: ...


def add_verified(ground: Ground) -> None:
    """The account alice, with an address that it verified."""
    ground.users.add("alice", "x", Account.REGULAR, "Alice@birds.example", public=False)
    ground.users.change("alice", verified=True)


class PasswordResetsSuite:
    """Promises of vfs.ports.resets.PasswordResets."""

    def test_an_address_is_its_verified_account_s(self, ground: ResetsGround) -> None:
        add_verified(ground)
        add_user(ground, "bob")
        assert ground.resets.account_of("alice@BIRDS.example") == "alice"
        assert ground.resets.account_of("bob@example.org") is None
        assert ground.resets.account_of("nobody@example.org") is None
        ground.users.change("alice", locked=True)
        assert ground.resets.account_of(ADDRESS) is None

    def test_a_code_is_spent_once(self, ground: ResetsGround) -> None:
        add_verified(ground)
        ground.resets.add("old", "alice", ADDRESS, LATER)
        ground.resets.add("new", "alice", ADDRESS, LATER)
        assert ground.resets.spend("old", NOW) is None
        assert ground.resets.spend("new", LATER) is None
        assert ground.resets.spend("new", NOW) == "alice"
        assert ground.resets.spend("new", NOW) is None

    def test_a_code_of_another_is_left_alone(self, ground: ResetsGround) -> None:
        add_verified(ground)
        add_user(ground, "bob")
        ground.users.change("bob", verified=True)
        ground.resets.add("hers", "alice", ADDRESS, LATER)
        ground.resets.add("his", "bob", "bob@example.org", LATER)
        assert ground.resets.spend("his", NOW) == "bob"
        assert ground.resets.spend("hers", NOW) == "alice"

    def test_a_code_goes_with_its_address(self, ground: ResetsGround) -> None:
        add_verified(ground)
        ground.resets.add("new", "alice", ADDRESS, LATER)
        for undone, done in (
            ({"locked": True}, {"locked": False}),
            ({"verified": False}, {"verified": True}),
            ({"email": "other@birds.example"}, {"email": "Alice@birds.example"}),
        ):
            ground.users.change("alice", **undone)
            assert ground.resets.spend("new", NOW) is None
            ground.users.change("alice", **done)
        assert ground.resets.spend("new", NOW) == "alice"
