"""Codes for forgotten passwords, on both databases."""

from __future__ import annotations

import pytest

from storage.people.resets import StoredPasswordResets
from tests.kit.world import StoredGround
from vfs.ports.people import Account

NOW, LATER = "2026-11-22T00:00:00.000Z", "2026-11-22T00:30:00.000Z"


@pytest.fixture
def resets(stored: StoredGround) -> StoredPasswordResets:
    stored.users.add("alice", "x", Account.REGULAR, "Alice@birds.example", public=False)
    stored.users.change("alice", verified=True)
    return StoredPasswordResets(stored.database)


def test_an_address_is_its_verified_account_s(stored: StoredGround, resets: StoredPasswordResets) -> None:
    stored.users.add("bob", "x", Account.REGULAR, "bob@birds.example", public=False)
    assert resets.account_of("alice@BIRDS.example") == "alice"
    assert resets.account_of("bob@birds.example") is None
    stored.users.change("alice", locked=True)
    assert resets.account_of("alice@birds.example") is None


def test_a_code_is_spent_once(resets: StoredPasswordResets) -> None:
    resets.add("old", "alice", "alice@birds.example", LATER)
    resets.add("new", "alice", "alice@birds.example", LATER)
    assert resets.spend("old", NOW) is None
    assert resets.spend("new", LATER) is None
    assert resets.spend("new", NOW) == "alice"
    assert resets.spend("new", NOW) is None


@pytest.mark.parametrize("change", [{"locked": True}, {"email": "other@birds.example"}, {"verified": False}])
def test_a_code_goes_with_its_address(
    stored: StoredGround, resets: StoredPasswordResets, change: dict[str, object]
) -> None:
    resets.add("new", "alice", "alice@birds.example", LATER)
    stored.users.change("alice", **change)
    assert resets.spend("new", NOW) is None
