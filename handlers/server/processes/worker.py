"""EventWorker: gunicorn's worker process around the event server."""

from __future__ import annotations

import os
import select
import signal
import time
from typing import Any

from gunicorn.workers.base import Worker

from handlers.server.application import ServedApplication
from handlers.server.event_server import EventServer
from handlers.server.limits import within_files

STOP_SIGNALS = frozenset({signal.SIGTERM, signal.SIGINT, signal.SIGQUIT})
# How often the main thread tells the arbiter that the loop turns, and looks whether it is over.
ALIVE_SECONDS = 1.0
LOOK_SECONDS = 0.05
# A loop that has not turned for so long does not count as alive.
DEAD_SECONDS = 30.0


class EventWorker(Worker):  # type: ignore[misc]
    """A worker whose main thread takes signals, and tells the arbiter that the loop turns."""

    wsgi: ServedApplication | None = None

    def init_signals(self) -> None:
        """Take the signals, those too that came since the fork."""
        super().init_signals()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)

    def run(self) -> None:
        """Serve until the worker is told to stop, and then what is at work or on its way."""
        assert self.wsgi is not None
        limits = within_files(self.app.limits)
        server = EventServer(self.wsgi, self.cfg, limits, self.sockets, self.app.count_refusal)
        server.start()
        told, is_serving = 0.0, True
        while not server.is_over.is_set():
            self._await_signal(ALIVE_SECONDS if is_serving else LOOK_SECONDS)
            if is_serving and not (self.alive and self.ppid == os.getppid()):
                is_serving = False
                server.stop()
            now = time.monotonic()
            if now - told >= ALIVE_SECONDS - LOOK_SECONDS and now - server.turned < DEAD_SECONDS:
                told = now
                self.notify()
                self.app.watch(server.occupancy())
        server.close()

    def handle_exit(self, sig: int, frame: Any) -> None:
        """Stop in order, streams first: they would go on for as long as their runs."""
        self._stop_application()
        super().handle_exit(sig, frame)

    def handle_quit(self, sig: int, frame: Any) -> None:
        """Stop at once."""
        self._stop_application()
        super().handle_quit(sig, frame)

    def _stop_application(self) -> None:
        """Tell the application, once it is loaded, that the process is to end."""
        if self.wsgi is not None:
            self.wsgi.stop()

    def _await_signal(self, seconds: float) -> None:
        """Wait so long, not as long where a signal comes: its handler runs, and the pipe tells of it."""
        poll = select.poll()
        poll.register(self.PIPE[0], select.POLLIN)
        if poll.poll(seconds * 1000):
            os.read(self.PIPE[0], 4096)
