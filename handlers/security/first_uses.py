"""First uses of tokens, each recorded once by a process."""

from __future__ import annotations

import threading

from handlers.security.events import TOKEN_FIRST_USED
from handlers.security.log_lines import SecurityLine
from handlers.security.notes import RequestNotes
from handlers.security.security_log import SecurityLog
from vfs.access import Via
from vfs.ports.people import Token

MOST = 10_000


class FirstUses:
    """Records uses of tokens that were never used before.

    Uses are written to the database seconds later; until then the recorded ones are remembered here.
    """

    def __init__(self, log: SecurityLog) -> None:
        self._log = log
        self._lock = threading.Lock()
        self._known: set[int] = set()

    def note(self, token: Token, request: RequestNotes) -> None:
        """Record the use of a token if it is its first; sessions begin with a sign-in and are left out."""
        if token.last_used_on is not None or token.via is not Via.TOKEN or token.id in self._known:
            return
        with self._lock:
            if token.id in self._known:
                return
            if len(self._known) >= MOST:
                self._known.clear()
            self._known.add(token.id)
        self._log.record(
            SecurityLine(TOKEN_FIRST_USED.name, actor=token.user, via=token.via, target=token.name), request
        )
