"""Connections with one credential, and whether it is still valid."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import NamedTuple

from handlers.events.frames import REFUSED
from handlers.events.listener import Listener
from handlers.http.long_calls import TrustedCheck
from vfs.access import Caller
from vfs.errors import Unavailable, VfsError


class Identified(NamedTuple):
    """A caller, and the seconds until its credential expires (None: unknown)."""

    caller: Caller
    seconds_left: float | None


class CredentialSession:
    """The connections of one credential; a handlers.http.rights_watch.WatchedCall.

    `identify` raises VfsError once the credential is invalid. `version` changes with each commit (None:
    unknown).
    """

    def __init__(
        self, first: Identified, identify: Callable[[], Identified], version: Callable[[], Hashable | None]
    ) -> None:
        self._identify = identify
        self._trusted = TrustedCheck(version, self._find)
        self.caller = first.caller
        self.listeners: dict[Listener, None] = {}

    @property
    def trusted_until(self) -> float:
        """The time (monotonic) after which it is checked again, even without a commit."""
        return self._trusted.until

    def _find(self) -> float | None:
        self.caller, left = self._identify()
        return left

    def is_good(self) -> bool:
        """Return whether the credential is valid; if not, close its connections. Raise Unavailable."""
        try:
            self._trusted.make()
        except Unavailable:
            raise
        except VfsError as refusal:
            for listener in list(self.listeners):
                listener.close(REFUSED, refusal.detail)
            return False
        return True

    def look_again(self) -> bool:
        """Check the credential again. Return whether it has become invalid."""
        try:
            return not self.is_good()
        except Unavailable:
            return False
