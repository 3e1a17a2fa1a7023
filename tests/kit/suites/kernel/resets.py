"""Promises of codes for forgotten passwords."""

from __future__ import annotations

from typing import Protocol

from tests.kit.suites.kernel import EmptyWorld, add_user, raises
from vfs.ports.people import HELD_CODES, Account, PasswordResets

NOW, LATER = "2026-11-22T00:00:00.000Z", "2026-11-22T00:30:00.000Z"
ADDRESS = "alice@birds.example"


class ResetsWorld(EmptyWorld, Protocol):
    """An empty world with its codes for forgotten passwords."""

    @property
    def resets(self) -> PasswordResets: ...


def add_verified(empty_world: EmptyWorld) -> None:
    """The account alice, with an address that it verified."""
    empty_world.users.add("alice", "x", Account.REGULAR, "Alice@birds.example", public=False)
    empty_world.users.change("alice", verified=True)


def add_code(
    empty_world: ResetsWorld, code: str, user: str = "alice", asker: str = "here", until: str = LATER
) -> None:
    """A code that was mailed to the address of alice or of another user."""
    email = ADDRESS if user == "alice" else f"{user}@example.org"
    empty_world.resets.add(code, user, email, asker=asker, now=NOW, expires_on=until)


class PasswordResetsSuite:
    """Promises of vfs.ports.people.PasswordResets."""

    def test_an_address_is_its_verified_account_s_as_it_is_on_file(self, empty_world: ResetsWorld) -> None:
        add_verified(empty_world)
        add_user(empty_world, "bob")
        assert empty_world.resets.account_of("alice@BIRDS.example") == ("alice", "Alice@birds.example")
        assert empty_world.resets.account_of("bob@example.org") is None
        assert empty_world.resets.account_of("nobody@example.org") is None
        empty_world.users.change("alice", locked=True)
        assert empty_world.resets.account_of(ADDRESS) is None

    def test_a_code_is_spent_once_and_the_others_with_it(self, empty_world: ResetsWorld) -> None:
        add_verified(empty_world)
        for code in ("first", "second", "third"):
            add_code(empty_world, code)
        assert empty_world.resets.spend("second", LATER) is None
        assert empty_world.resets.find("second", LATER) is None
        assert empty_world.resets.find("second", NOW) == "alice"
        assert empty_world.resets.spend("second", NOW) == "alice"
        for code in ("first", "second", "third", "unknown"):
            assert empty_world.resets.find(code, NOW) is None
            assert empty_world.resets.spend(code, NOW) is None

    def test_the_newest_codes_of_an_asker_hold(self, empty_world: ResetsWorld) -> None:
        add_verified(empty_world)
        add_code(empty_world, "elsewhere", asker="there")
        for number in range(HELD_CODES + 2):
            add_code(empty_world, f"code-{number}", until=f"2026-11-22T00:30:0{number}.000Z")
        held = [
            f"code-{number}"
            for number in range(HELD_CODES + 2)
            if empty_world.resets.find(f"code-{number}", NOW)
        ]
        assert held == [f"code-{number}" for number in range(2, HELD_CODES + 2)]
        assert empty_world.resets.find("elsewhere", NOW) == "alice"

    def test_all_codes_hold_where_askers_are_unknown(self, empty_world: ResetsWorld) -> None:
        add_verified(empty_world)
        codes = [f"code-{number}" for number in range(2 * HELD_CODES)]
        for code in codes:
            add_code(empty_world, code, asker="")
        assert [empty_world.resets.find(code, NOW) for code in codes] == ["alice"] * len(codes)

    def test_a_code_of_nobody_sets_nothing(self, empty_world: ResetsWorld) -> None:
        add_verified(empty_world)
        for number in range(2 * HELD_CODES):
            empty_world.resets.add(f"code-{number}", "", "x@example.org", asker="", now=NOW, expires_on=LATER)
            assert empty_world.resets.spend(f"code-{number}", NOW) is None

    def test_what_is_over_goes(self, empty_world: ResetsWorld) -> None:
        add_verified(empty_world)
        add_code(empty_world, "old", asker="there")
        empty_world.resets.add("new", "alice", ADDRESS, asker="here", now=LATER, expires_on="2027")
        assert empty_world.resets.find("old", NOW) is None
        assert empty_world.resets.find("new", NOW) == "alice"

    def test_a_code_of_another_is_left_alone(self, empty_world: ResetsWorld) -> None:
        add_verified(empty_world)
        add_user(empty_world, "bob")
        empty_world.users.change("bob", verified=True)
        add_code(empty_world, "hers")
        add_code(empty_world, "his", "bob")
        assert empty_world.resets.spend("his", NOW) == "bob"
        assert empty_world.resets.spend("hers", NOW) == "alice"

    def test_a_change_of_what_a_code_rests_on_voids_it(self, empty_world: ResetsWorld) -> None:
        add_verified(empty_world)
        changes: tuple[tuple[dict[str, object], dict[str, object]], ...] = (
            ({"password": "another"}, {}),
            ({"password": "x"}, {}),
            ({"locked": True}, {"locked": False}),
            ({"verified": False}, {"verified": True}),
            ({"email": "other@birds.example"}, {"email": "Alice@birds.example"}),
        )
        for done, undone in changes:
            add_code(empty_world, "before")
            add_code(empty_world, "elsewhere", asker="")
            empty_world.users.change("alice", **done)
            if undone:
                empty_world.users.change("alice", **undone)
            assert [empty_world.resets.spend(code, NOW) for code in ("before", "elsewhere")] == [None, None]
        add_code(empty_world, "after")
        empty_world.users.change("alice", public=True)
        assert empty_world.resets.spend("after", NOW) == "alice"

    def test_a_change_that_is_taken_back_voids_nothing(self, empty_world: ResetsWorld) -> None:
        add_verified(empty_world)
        add_code(empty_world, "code")
        with raises(KeyError), empty_world.atomic():
            empty_world.users.change("alice", password="another")
            raise KeyError
        assert empty_world.resets.spend("code", NOW) == "alice"
