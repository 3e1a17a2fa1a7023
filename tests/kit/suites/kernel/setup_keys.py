"""Promises of the setup key."""

from __future__ import annotations

from typing import Protocol

from tests.kit.suites.kernel import EmptyWorld, add_user
from vfs.ports.people import SetupKeys

NOW, LATER = "2026-11-22T00:00:00.000Z", "2026-11-22T00:30:00.000Z"


class SetupWorld(EmptyWorld, Protocol):
    """An empty world with its setup key."""

    @property
    def setup(self) -> SetupKeys: ...


class SetupKeysSuite:
    """Promises of vfs.ports.people.SetupKeys."""

    def test_a_key_holds_until_its_end_and_is_spent_once(self, empty_world: SetupWorld) -> None:
        assert empty_world.setup.current(NOW) is None
        assert empty_world.setup.renew("key", LATER)
        assert empty_world.setup.current(NOW) == "key"
        assert empty_world.setup.current(LATER) is None
        assert not empty_world.setup.spend("key", LATER)
        assert not empty_world.setup.spend("else", NOW)
        assert empty_world.setup.spend("key", NOW)
        assert not empty_world.setup.spend("key", NOW)
        assert empty_world.setup.current(NOW) is None

    def test_only_the_newest_key_holds(self, empty_world: SetupWorld) -> None:
        empty_world.setup.renew("older", LATER)
        empty_world.setup.renew("newer", LATER)
        assert not empty_world.setup.spend("older", NOW)
        assert empty_world.setup.spend("newer", NOW)

    def test_any_account_voids_the_key_and_lets_none_be_made(self, empty_world: SetupWorld) -> None:
        empty_world.setup.renew("key", LATER)
        add_user(empty_world, "alice")
        assert empty_world.setup.current(NOW) is None
        assert not empty_world.setup.spend("key", NOW)
        assert not empty_world.setup.renew("new", LATER)
        assert empty_world.setup.current(NOW) is None
