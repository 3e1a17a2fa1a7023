"""Promises of codes for forgotten passwords."""

from __future__ import annotations

from typing import Protocol

from tests.kit.suites.kernel import Ground, add_user, raises
from vfs.ports.people import Account
from vfs.ports.resets import HELD, PasswordResets

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


def add_code(
    ground: ResetsGround, code: str, user: str = "alice", asker: str = "here", until: str = LATER
) -> None:
    """A code that was mailed to the address of alice or of another user."""
    email = ADDRESS if user == "alice" else f"{user}@example.org"
    ground.resets.add(code, user, email, asker=asker, now=NOW, expires_on=until)


class PasswordResetsSuite:
    """Promises of vfs.ports.resets.PasswordResets."""

    def test_an_address_is_its_verified_account_s_as_it_is_on_file(self, ground: ResetsGround) -> None:
        add_verified(ground)
        add_user(ground, "bob")
        assert ground.resets.account_of("alice@BIRDS.example") == ("alice", "Alice@birds.example")
        assert ground.resets.account_of("bob@example.org") is None
        assert ground.resets.account_of("nobody@example.org") is None
        ground.users.change("alice", locked=True)
        assert ground.resets.account_of(ADDRESS) is None

    def test_a_code_is_spent_once_and_the_others_with_it(self, ground: ResetsGround) -> None:
        add_verified(ground)
        for code in ("first", "second", "third"):
            add_code(ground, code)
        assert ground.resets.spend("second", LATER) is None
        assert ground.resets.find("second", LATER) is None
        assert ground.resets.find("second", NOW) == "alice"
        assert ground.resets.spend("second", NOW) == "alice"
        for code in ("first", "second", "third", "unknown"):
            assert ground.resets.find(code, NOW) is None
            assert ground.resets.spend(code, NOW) is None

    def test_the_newest_codes_of_an_asker_hold(self, ground: ResetsGround) -> None:
        add_verified(ground)
        add_code(ground, "elsewhere", asker="there")
        for number in range(HELD + 2):
            add_code(ground, f"code-{number}", until=f"2026-11-22T00:30:0{number}.000Z")
        held = [f"code-{number}" for number in range(HELD + 2) if ground.resets.find(f"code-{number}", NOW)]
        assert held == [f"code-{number}" for number in range(2, HELD + 2)]
        assert ground.resets.find("elsewhere", NOW) == "alice"

    def test_all_codes_hold_where_askers_are_unknown(self, ground: ResetsGround) -> None:
        add_verified(ground)
        codes = [f"code-{number}" for number in range(2 * HELD)]
        for code in codes:
            add_code(ground, code, asker="")
        assert [ground.resets.find(code, NOW) for code in codes] == ["alice"] * len(codes)

    def test_a_code_of_nobody_sets_nothing(self, ground: ResetsGround) -> None:
        add_verified(ground)
        for number in range(2 * HELD):
            ground.resets.add(f"code-{number}", "", "x@example.org", asker="", now=NOW, expires_on=LATER)
            assert ground.resets.spend(f"code-{number}", NOW) is None

    def test_what_is_over_goes(self, ground: ResetsGround) -> None:
        add_verified(ground)
        add_code(ground, "old", asker="there")
        ground.resets.add("new", "alice", ADDRESS, asker="here", now=LATER, expires_on="2027")
        assert ground.resets.find("old", NOW) is None
        assert ground.resets.find("new", NOW) == "alice"

    def test_a_code_of_another_is_left_alone(self, ground: ResetsGround) -> None:
        add_verified(ground)
        add_user(ground, "bob")
        ground.users.change("bob", verified=True)
        add_code(ground, "hers")
        add_code(ground, "his", "bob")
        assert ground.resets.spend("his", NOW) == "bob"
        assert ground.resets.spend("hers", NOW) == "alice"

    def test_a_change_of_what_a_code_rests_on_voids_it(self, ground: ResetsGround) -> None:
        add_verified(ground)
        changes: tuple[tuple[dict[str, object], dict[str, object]], ...] = (
            ({"password": "another"}, {}),
            ({"password": "x"}, {}),
            ({"locked": True}, {"locked": False}),
            ({"verified": False}, {"verified": True}),
            ({"email": "other@birds.example"}, {"email": "Alice@birds.example"}),
        )
        for done, undone in changes:
            add_code(ground, "before")
            add_code(ground, "elsewhere", asker="")
            ground.users.change("alice", **done)
            if undone:
                ground.users.change("alice", **undone)
            assert [ground.resets.spend(code, NOW) for code in ("before", "elsewhere")] == [None, None]
        add_code(ground, "after")
        ground.users.change("alice", public=True)
        assert ground.resets.spend("after", NOW) == "alice"

    def test_a_change_that_is_taken_back_voids_nothing(self, ground: ResetsGround) -> None:
        add_verified(ground)
        add_code(ground, "code")
        with raises(KeyError), ground.atomic():
            ground.users.change("alice", password="another")
            raise KeyError
        assert ground.resets.spend("code", NOW) == "alice"
