"""Uses of credentials, collected in memory and written a few seconds later by a separate thread."""

from __future__ import annotations

import atexit
import logging
import os
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime

from vfs.errors import NoSpace, Unavailable
from vfs.ports.clock import Clock, stamp
from vfs.ports.people import Tokens

log = logging.getLogger("curlew")

Use = tuple[int, str, str]

MINUTE = len("2026-11-21T07:44")
MOST_WAITING = 10_000
ENDS_WITHIN = 30.0


class TokenUses:
    """Records the uses of credentials, so that no request waits for a write.

    The first use of a kind in a minute is written at the next flush; the others of that minute are counted
    and written as one line after the minute, or at `close`. The first use in each process starts the thread:
    a fork inherits none.
    """

    def __init__(
        self,
        tokens: Tokens,
        clock: Clock,
        *,
        every: float = 5,
        session: Callable[[], AbstractContextManager[object]] = nullcontext,
    ) -> None:
        self._tokens = tokens
        self._clock = clock
        self._every = every
        self._session = session
        self._process = 0
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._waiting: dict[Use, tuple[int, str]] = {}
        self._written: set[Use] = set()

    def record(self, token: int, what: str, moment: datetime) -> None:
        """Note that a credential was used at a time for `what` (a line for its owner, without secrets)."""
        if self._process != os.getpid():
            self._begin()
        now = stamp(moment)
        key = (token, now[:MINUTE], what)
        with self._lock:
            count, _ = self._waiting.get(key, (0, ""))
            if count or len(self._waiting) < MOST_WAITING:
                self._waiting[key] = (count + 1, now)

    def flush(self, *, everything: bool = False) -> None:
        """Write the due lines. Lines that cannot be written are lost, and reported in the service's log."""
        minute = stamp(self._clock.now())[:MINUTE]
        with self._lock:
            due = {
                key: use
                for key, use in self._waiting.items()
                if everything or key[1] != minute or key not in self._written
            }
            for key in due:
                del self._waiting[key]
            self._written = {key for key in self._written if key[1] == minute} | due.keys()
        if not due:
            return
        lines = [(key[0], last, _line(key[2], count)) for key, (count, last) in due.items()]
        try:
            with self._session():
                self._tokens.record_uses(lines)
        except (Unavailable, NoSpace) as error:
            log.warning("%d uses of credentials could not be written down: %s", len(lines), error.detail)
        except Exception:
            log.exception("%d uses of credentials could not be written down", len(lines))

    def close(self) -> None:
        """Write everything and stop; registered to run when the process ends."""
        atexit.unregister(self.close)
        self._stop.set()
        thread = self._thread if self._process == os.getpid() else None
        if thread is not None and thread is not threading.current_thread():
            # It may be writing, and the caller closes the database next.
            thread.join(ENDS_WITHIN)
        self.flush(everything=True)

    def _begin(self) -> None:
        with self._lock:
            if self._process == os.getpid():
                return
            self._process = os.getpid()
        atexit.register(self.close)
        self._thread = threading.Thread(target=self._run, args=(self._stop,), name="uses", daemon=True)
        self._thread.start()

    def _run(self, stop: threading.Event) -> None:
        while not stop.wait(self._every):
            self.flush()


def _line(what: str, count: int) -> str:
    return what if count == 1 else f"{what} ({count} times)"
