"""Timer: starts scheduled jobs while its process leads, woken by APScheduler or a changed schedule."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta

from apscheduler.executors.debug import DebugExecutor
from apscheduler.schedulers.background import BackgroundScheduler

from chains.schedules.timetable import Firing, Lead, Schedules, firing, moment
from vfs.errors import VfsError
from vfs.ports.clock import Clock

LOOK_SECONDS = 60.0
FOLLOW_SECONDS = 2.0
RETRY_SECONDS = 5.0
SET_BACK = timedelta(seconds=5)
KEPT = timedelta(days=2)
AT_ONCE = 128

_log = logging.getLogger(__name__)


class Timer:
    """A timer of due jobs. It fires each exactly once, even if several timers run on the same schedules.

    `fire(firings)` records their runs; `Schedules.take` plans each job's next time in the same transaction.
    Each of `also` then does other work that is due, and returns the time stamp of the next. It checks at
    least every `look` seconds, because the clock may be set.
    """

    def __init__(
        self,
        schedules: Schedules,
        lead: Lead,
        clock: Clock,
        fire: Callable[[Sequence[Firing]], object],
        look: float = LOOK_SECONDS,
        also: Sequence[Callable[[], str | None]] = (),
    ) -> None:
        self._also = also
        self._look = look
        self._schedules = schedules
        self._lead = lead
        self._clock = clock
        self._fire = fire
        self._leads = False
        self._seen = clock.now()
        self._forgot: datetime | None = None
        self._over = threading.Event()
        self._nudge = threading.Event()

    def loop(self) -> None:
        """Fire due jobs until `stop` is called."""
        listener = threading.Thread(target=self._listen, name="schedules", daemon=True)
        listener.start()
        with _alarms() as alarms:
            while not self._over.is_set():
                self._nudge.clear()
                if (seconds := self._try_turn()) > 0:
                    _set(alarms, seconds, self._nudge.set)
                    self._nudge.wait()
        self._lead.release()
        listener.join(RETRY_SECONDS)

    def stop(self) -> None:
        """End the loop; from any thread."""
        self._over.set()
        self._nudge.set()
        with suppress(VfsError):
            self._schedules.signal()

    def turn(self) -> float:
        """Fire the jobs that are due, if this process leads; return the seconds until the next check."""
        if not self._lead.mine():
            self._leads = False
            return FOLLOW_SECONDS
        if not self._leads:
            self._schedules.rebuild()
            self._leads = True
        now = self._clock.now()
        if now < self._seen - SET_BACK:
            _log.warning("the clock was set back: every schedule is planned again")
            self._schedules.replan()
        self._seen = now
        self._forget(now)
        while (left := self._seconds_until(self._schedules.first())) <= 0:
            self._fire([firing(each, now) for each in self._schedules.due(now, AT_ONCE)])
            now = self._clock.now()
        return min(left, self._look, *(self._seconds_until(work()) for work in self._also))

    def _seconds_until(self, due: str | None) -> float:
        """Return the seconds until a time stamp; the interval of checks without one."""
        return (moment(due) - self._clock.now()).total_seconds() if due is not None else self._look

    def _forget(self, now: datetime) -> None:
        """Delete the firings of times that cannot come again, once a day."""
        if self._forgot is None or now - self._forgot >= timedelta(days=1):
            self._schedules.forget(now - KEPT)
            self._forgot = now

    def _try_turn(self) -> float:
        try:
            return self.turn()
        except VfsError as error:
            _log.warning("schedules wait: %s", error.detail)
        except Exception:
            _log.exception("schedules wait after an unexpected error of the server")
        return RETRY_SECONDS

    def _listen(self) -> None:
        """Wake the loop when a schedule changes."""
        seen = 0
        while not self._over.is_set():
            try:
                seen = self._schedules.wake(seen, None)
            except VfsError:
                self._over.wait(RETRY_SECONDS)
            self._nudge.set()


@contextmanager
def _alarms() -> Iterator[BackgroundScheduler]:
    """Run a scheduler within the block. Its thread only sets an event."""
    scheduler = BackgroundScheduler(timezone=UTC, executors={"default": DebugExecutor()})
    scheduler.start()
    try:
        yield scheduler
    finally:
        scheduler.shutdown()


def _set(alarms: BackgroundScheduler, seconds: float, call: Callable[[], object]) -> None:
    """Schedule `call` once after some seconds, replacing the previous alarm."""
    alarms.add_job(
        call,
        "date",
        run_date=datetime.now(UTC) + timedelta(seconds=seconds),
        id="next",
        replace_existing=True,
        misfire_grace_time=None,
    )
