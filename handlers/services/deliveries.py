"""Deliveries of messages: the loop of their dispatchers, and the delays between attempts."""

from __future__ import annotations

import logging
import random
import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta

from vfs.errors import VfsError
from vfs.ports.clock import Clock, stamp
from vfs.ports.mails import DeliveryAnswer
from vfs.ports.wake_signal import WakeSignal

FIRST, LONGEST = timedelta(minutes=1), timedelta(hours=4)
MOST_TRIES = 32
"""Attempts before a message is given up: three days on average (RFC 5321, 4.5.4.1)."""
WAIT_SECONDS, LONGEST_WAIT = 60.0, 300.0

log = logging.getLogger("curlew")


class DispatchLoop(ABC):
    """Delivers what is due, in rounds: the next one begins at a signal, or when the next message is due."""

    def __init__(self, wake_signal: WakeSignal, what: str) -> None:
        self._signal = wake_signal
        self._what = what
        self._over = threading.Event()

    @abstractmethod
    def round(self) -> float | None:
        """Deliver all that is due; return the seconds until the next round, None if a signal begins it."""

    def loop(self) -> None:
        """Deliver until `stop` is called."""
        seen = 0
        while not self._over.is_set():
            try:
                seen = self._signal.wake(seen, self.round())
            except VfsError as error:
                log.warning("%s wait: %s", self._what, error.detail)
                self._over.wait(WAIT_SECONDS)
            except Exception:
                log.exception("%s wait for an unexpected error of the server", self._what)
                self._over.wait(WAIT_SECONDS)

    def stop(self) -> None:
        """End the loop; from any thread."""
        self._over.set()
        self.wake()

    def wake(self) -> None:
        """Begin the next round now; from any thread."""
        with suppress(VfsError):
            self._signal.signal()


def seconds_until(clock: Clock, dues: Sequence[str | None]) -> float | None:
    """Return the seconds until the earliest of these time stamps; None without one."""
    found = [due for due in dues if due is not None]
    if not found:
        return None
    seconds = (datetime.fromisoformat(min(found)) - clock.now()).total_seconds()
    return min(max(seconds, 0.05), LONGEST_WAIT)


def delay_after(tries: int, chance: random.Random) -> timedelta | None:
    """Return the delay before the next attempt; None after the last one."""
    if tries >= MOST_TRIES:
        return None
    whole: timedelta = min(LONGEST, FIRST * 2 ** min(tries - 1, 10))
    return whole * chance.uniform(0.5, 1.0)


def answer_later(clock: Clock, chance: random.Random, tries: int, said: str) -> DeliveryAnswer:
    """Return the answer to a message that was not taken at an attempt: due later, or given up."""
    delay = delay_after(tries + 1, chance)
    if delay is None:
        return DeliveryAnswer("refused", line=f"{said}; given up after {MOST_TRIES} tries")
    time = stamp(clock.now() + delay)
    return DeliveryAnswer("due", time, f"{said}; tried again at {time}")
