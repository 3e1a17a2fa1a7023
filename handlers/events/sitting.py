"""Sitting: the connections that rest on one credential, and whether it is still good."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from typing import NamedTuple

from handlers.events.frames import REFUSED
from handlers.events.listener import Listener
from handlers.http.long_calls import TRUST_SECONDS
from vfs.access import Caller
from vfs.errors import Unavailable, VfsError


class Identified(NamedTuple):
    """A caller, and the seconds that its credential lives (None: no end is known)."""

    caller: Caller
    seconds_left: float | None


class Sitting:
    """The connections of one credential; a handlers.http.rights_watch.WatchedCall.

    `identify` raises VfsError once the credential is worth nothing, `version` is another one after each
    commit (None: not known).
    """

    def __init__(
        self, first: Identified, identify: Callable[[], Identified], version: Callable[[], Hashable | None]
    ) -> None:
        self._identify, self._version = identify, version
        self.caller = first.caller
        self.listeners: dict[Listener, None] = {}
        self.trusted_until = 0.0
        self._seen: Hashable | None = None

    def is_good(self) -> bool:
        """Whether the credential is good now; where not, its connections have ended. Raises Unavailable."""
        version, now = self._version(), time.monotonic()
        if version is not None and version == self._seen and now < self.trusted_until:
            return True
        try:
            self.caller, left = self._identify()
        except Unavailable:
            raise
        except VfsError as refusal:
            for listener in list(self.listeners):
                listener.close(REFUSED, refusal.detail)
            return False
        self._seen = version
        self.trusted_until = now + (TRUST_SECONDS if left is None else min(TRUST_SECONDS, left))
        return True

    def look_again(self) -> bool:
        """Look whether the credential is good; whether it is lost."""
        try:
            return not self.is_good()
        except Unavailable:
            return False
