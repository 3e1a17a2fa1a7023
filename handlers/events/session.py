"""Connections with one credential, and whether it is still valid."""

from __future__ import annotations

from collections.abc import Callable

from handlers.events.frames import REFUSED
from handlers.events.listener import Listener
from vfs.access import Caller
from vfs.errors import Unavailable, VfsError


class CredentialSession:
    """The connections of one credential; a handlers.http.rights_watch.WatchedCall.

    `identify` returns its caller, and raises VfsError once the credential is invalid.
    """

    def __init__(self, caller: Caller, identify: Callable[[], Caller]) -> None:
        self._identify = identify
        self.caller = caller
        self.listeners: dict[Listener, None] = {}

    def is_good(self) -> bool:
        """Return whether the credential is valid; if not, close its connections. Raise Unavailable."""
        try:
            self.caller = self._identify()
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
