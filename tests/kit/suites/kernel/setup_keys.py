"""Promises of the setup key."""

from __future__ import annotations

from typing import Protocol

from tests.kit.suites.kernel import Ground, add_user
from vfs.ports.setup import SetupKeys

NOW, LATER = "2026-11-22T00:00:00.000Z", "2026-11-22T00:30:00.000Z"


class SetupGround(Ground, Protocol):
    """An empty world with its setup key."""

    @property
    def setup(self) -> SetupKeys: ...


class SetupKeysSuite:
    """Promises of vfs.ports.setup.SetupKeys."""

    def test_a_key_holds_until_its_end_and_is_spent_once(self, ground: SetupGround) -> None:
        assert ground.setup.current(NOW) is None
        assert ground.setup.renew("key", LATER)
        assert ground.setup.current(NOW) == "key"
        assert ground.setup.current(LATER) is None
        assert not ground.setup.spend("key", LATER)
        assert not ground.setup.spend("else", NOW)
        assert ground.setup.spend("key", NOW)
        assert not ground.setup.spend("key", NOW)
        assert ground.setup.current(NOW) is None

    def test_only_the_newest_key_holds(self, ground: SetupGround) -> None:
        ground.setup.renew("older", LATER)
        ground.setup.renew("newer", LATER)
        assert not ground.setup.spend("older", NOW)
        assert ground.setup.spend("newer", NOW)

    def test_any_account_voids_the_key_and_lets_none_be_made(self, ground: SetupGround) -> None:
        ground.setup.renew("key", LATER)
        add_user(ground, "alice")
        assert ground.setup.current(NOW) is None
        assert not ground.setup.spend("key", NOW)
        assert not ground.setup.renew("new", LATER)
        assert ground.setup.current(NOW) is None
