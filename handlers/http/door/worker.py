"""DoorWorker: gunicorn's worker process around the loop of the door."""

from __future__ import annotations

import os
import select
import signal
import time
from typing import Any

from gunicorn.workers.base import Worker

from handlers.http.door.dispatch import Manners
from handlers.http.door.door import Door
from handlers.http.door.environs import Environ
from handlers.http.door.fair_threads import Claimant
from handlers.http.door.limits import DoorLimits, within_files

STOP_SIGNALS = frozenset({signal.SIGTERM, signal.SIGINT, signal.SIGQUIT})
# How often the main thread looks at the loop, and tells the arbiter that it turns.
LOOK_SECONDS = 0.05
NOTICE_SECONDS = 1.0
# A loop that has not turned for so long does not count as alive.
DEAD_SECONDS = 30.0
DEFAULTS = DoorLimits()


class Unknowing:
    """The manners of an application that says nothing about its requests: none is quick."""

    def is_instant(self, environ: Environ) -> bool:
        """Whether it is: nobody knows."""
        return False

    def is_quick(self, environ: Environ) -> bool:
        """Whether it is: nobody knows."""
        return False

    def is_groupable(self, environ: Environ) -> bool:
        """Whether it is: nobody knows."""
        return False

    def claimant(self, environ: Environ) -> Claimant:
        """The peer."""
        return Claimant(environ.get("REMOTE_ADDR", ""))


class DoorWorker(Worker):  # type: ignore[misc]
    """A worker whose main thread takes signals and watches the thread that is at the loop."""

    def init_signals(self) -> None:
        """Take the signals, those too that came since the fork."""
        super().init_signals()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)

    def run(self) -> None:
        """Serve until the worker is told to stop, and then what is at work or on its way."""
        limits = within_files(getattr(self.app, "limits", DEFAULTS))
        manners: Manners = getattr(self.wsgi, "manners", None) or Unknowing()
        lines, grouping = getattr(self.wsgi, "lines", None), getattr(self.wsgi, "grouping", None)
        door = Door(self.wsgi, manners, self.cfg, limits, self.sockets, lines, grouping)
        door.change_lead()
        noticed, is_serving = 0.0, True
        while not door.is_over.is_set():
            self._await_signal()
            if is_serving and not (self.alive and self.ppid == os.getppid()):
                is_serving = False
                door.stop()
            if door.relay.relieve():
                door.change_lead()
            now = time.monotonic()
            if now - noticed >= NOTICE_SECONDS and now - door.turned < DEAD_SECONDS:
                noticed = now
                self.notify()
        door.close()

    def handle_exit(self, sig: int, frame: Any) -> None:
        """Stop in order, streams first: they would go on for as long as their runs."""
        self._stop_application()
        super().handle_exit(sig, frame)

    def handle_quit(self, sig: int, frame: Any) -> None:
        """Stop at once."""
        self._stop_application()
        super().handle_quit(sig, frame)

    def _stop_application(self) -> None:
        """Tell the application, once there is one, that the process is to end."""
        stop = getattr(getattr(self, "wsgi", None), "stop", None)
        if stop is not None:
            stop()

    def _await_signal(self) -> None:
        """Wait a little, not as long where a signal comes: its handler runs, and the pipe tells of it."""
        poll = select.poll()
        poll.register(self.PIPE[0], select.POLLIN)
        if poll.poll(LOOK_SECONDS * 1000):
            os.read(self.PIPE[0], 4096)
