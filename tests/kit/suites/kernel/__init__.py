"""Conformance suites for the ports of the world and its people: what every keeper must do, as plain classes.

Subclass a suite in a test module whose fixture `empty_world` answers a fresh Ground; its methods named
`test_*` are the promises. Nothing here knows which keeper it looks at, or which test runner calls.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Protocol

from vfs.access import Role
from vfs.ports.clock import stamp
from vfs.ports.groups import Groups, Members, Ties
from vfs.ports.people import Account, Challenges, Tokens, User, Users
from vfs.ports.world import KernelWorld


class StillClock:
    """A clock that stands until it is moved."""

    def __init__(self, moment: datetime = datetime(2026, 1, 2, 3, 4, 5, 678_000, tzinfo=UTC)) -> None:
        self._moment = moment

    def now(self) -> datetime:
        """The moment at which it stands."""
        return self._moment

    def forward(self, seconds: float) -> str:
        """Move on; the time stamp of the new moment."""
        self._moment += timedelta(seconds=seconds)
        return stamp(self._moment)


class EmptyWorld(KernelWorld, Protocol):
    """An empty world with its people, a clock to move, and members of groups to set."""

    @property
    def clock(self) -> StillClock: ...
    @property
    def users(self) -> Users: ...
    @property
    def tokens(self) -> Tokens: ...
    @property
    def challenges(self) -> Challenges: ...

    @property
    def groups(self) -> Groups: ...
    @property
    def members(self) -> Members: ...
    @property
    def ties(self) -> Ties: ...

    def join(self, group: str, user: str, role: Role, *, pending: bool = False) -> None:
        """Make a user a member of a group, named as the target of a share; or invite it."""
        ...


@contextmanager
def raises(error: type[BaseException]) -> Iterator[None]:
    """The block must raise that error."""
    try:
        yield
    except error:
        return
    raise AssertionError(f"{error.__name__} was not raised")


def add_user(empty_world: EmptyWorld, name: str, *, public: bool = False) -> User:
    """A regular user with a separate address."""
    return empty_world.users.add(
        name, f"digest of {name}", Account.REGULAR, f"{name}@example.org", public=public
    )
