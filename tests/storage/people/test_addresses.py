"""E-mail addresses of accounts: verified for one, one of them primary, each followed in the account's row."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.kit.suites.kernel import add_user
from tests.kit.world import StoredWorld
from vfs.errors import Conflict
from vfs.ports.people import MOST_ADDRESSES, Account, EmailAddress


def _names(stored: StoredWorld, user: str = "alice") -> list[str]:
    return [one.address for one in stored.addresses.of(user)]


def test_the_address_of_an_account_is_its_first(stored: StoredWorld) -> None:
    add_user(stored, "alice")
    now = stored.epoch
    assert stored.addresses.of("alice") == [EmailAddress("alice@example.org", True, now, None, now)]
    stored.users.change("alice", verified=True)
    first = stored.addresses.find("alice", "ALICE@example.org")
    assert first is not None
    assert first.verified_on == now
    stored.users.change("alice", verified=False)
    assert stored.addresses.of("alice")[0].verified_on is None


def test_an_address_is_added_verified_and_made_primary(stored: StoredWorld) -> None:
    add_user(stored, "alice")
    assert stored.addresses.add("alice", "A@example.com")
    with pytest.raises(Conflict):
        stored.addresses.add("alice", "a@Example.com")
    assert not stored.addresses.make_primary("alice", "a@example.com")
    assert stored.users.with_address("a@example.com") is None
    now = stored.clock.forward(1)
    assert stored.addresses.verify("alice", "a@example.com")
    assert not stored.addresses.verify("alice", "else@example.com")
    user = stored.users.with_address("a@EXAMPLE.com")
    assert user is not None
    assert (user.name, user.email, user.verified) == ("alice", "alice@example.org", False)
    assert stored.addresses.make_primary("alice", "a@example.com")
    assert stored.addresses.of("alice")[0] == EmailAddress("A@example.com", True, stored.epoch, now, now)
    user = stored.users.find("alice")
    assert user is not None
    assert (user.email, user.verified) == ("A@example.com", True)


def test_the_primary_one_stays(stored: StoredWorld) -> None:
    add_user(stored, "alice")
    stored.addresses.add("alice", "a@example.com")
    stored.challenges.add("alice", "A@example.com", "u1", "digest", "2027")
    assert not stored.addresses.remove("alice", "Alice@example.org")
    assert not stored.addresses.remove("alice", "else@example.org")
    assert stored.addresses.remove("alice", "A@example.com")
    assert stored.challenges.find("u1") is None
    assert _names(stored) == ["alice@example.org"]


def test_the_first_verified_address_of_an_account_without_one_is_primary(stored: StoredWorld) -> None:
    stored.users.add("alice", "digest", Account.REGULAR, None, public=False)
    assert _names(stored) == []
    stored.addresses.add("alice", "a@example.com")
    assert not stored.addresses.of("alice")[0].primary
    stored.addresses.verify("alice", "a@example.com")
    user = stored.users.find("alice")
    assert user is not None
    assert (user.email, user.verified) == ("a@example.com", True)


def test_an_address_is_verified_for_one_account(stored: StoredWorld) -> None:
    for name in ("alice", "bob"):
        add_user(stored, name)
        stored.addresses.add(name, "shared@example.org")
    assert stored.addresses.verify("bob", "shared@example.org")
    with pytest.raises(Conflict):
        stored.addresses.verify("alice", "SHARED@example.org")
    stored.users.add("zoe", "digest", Account.REGULAR, "shared@example.org", public=False)
    with pytest.raises(Conflict):
        stored.users.change("zoe", verified=True)
    assert stored.addresses.remove("bob", "shared@example.org")
    assert stored.addresses.verify("alice", "shared@example.org")


def test_the_addresses_of_an_account_are_limited(stored: StoredWorld) -> None:
    add_user(stored, "alice")
    added = [stored.addresses.add("alice", f"a{number}@example.org") for number in range(MOST_ADDRESSES)]
    assert added.count(True) == MOST_ADDRESSES - 1
    assert not added[-1]
    assert len(_names(stored)) == MOST_ADDRESSES


def test_who_adds_many_at_once_has_no_more_than_may_be(stored: StoredWorld) -> None:
    add_user(stored, "alice")
    names = [f"a{number}@example.org" for number in range(MOST_ADDRESSES + 10)]
    with ThreadPoolExecutor(8) as pool:
        added = list(pool.map(lambda name: stored.addresses.add("alice", name), names))
    assert added.count(True) == MOST_ADDRESSES - 1
    assert len(_names(stored)) == MOST_ADDRESSES
