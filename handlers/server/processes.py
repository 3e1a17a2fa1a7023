"""EventWorker: gunicorn's worker process, its supervisor, and the restarted program."""

from __future__ import annotations

import os
import select
import signal
import socket
import sys
import time
from collections.abc import Container, Mapping, MutableMapping, Sequence
from contextlib import suppress
from typing import Any, NoReturn

from gunicorn.workers.base import Worker

from handlers.server.application import ServedApplication
from handlers.server.event_server import EventServer

FIRST = 3
"""The descriptor of the first socket that is passed on: sd_listen_fds(3)."""
HOLDER, COUNT, WORKERS = "LISTEN_PID", "LISTEN_FDS", "LISTEN_WORKERS"
# They end after their grace period, which takes a moment.
SECONDS_MORE = 5.0
# A second SIGHUP must not end a new program that has no handler for it yet.
UNTIL_READY = frozenset({signal.SIGHUP})


def run_anew(
    listeners: Sequence[socket.socket], workers: Sequence[int], leave_out: Sequence[str]
) -> NoReturn:
    """Execute this program again in this process, with the same arguments.

    It inherits the listening sockets, as from systemd, and the process ids of the workers, but not the
    variables in `leave_out`. Raises OSError if the program is gone.
    """
    # Move them away first: descriptors from `FIRST` on may be some of them.
    copies = [os.dup(listener.fileno()) for listener in listeners]
    kept = [os.dup(copy) if copy < FIRST + len(copies) else copy for copy in copies]
    signal.pthread_sigmask(signal.SIG_BLOCK, UNTIL_READY)
    for place, copy in enumerate(kept, FIRST):
        os.dup2(copy, place)
    variables = {
        HOLDER: str(os.getpid()),
        COUNT: str(len(kept)),
        WORKERS: ",".join(map(str, workers)),
    }
    environ = {name: word for name, word in os.environ.items() if name not in leave_out}
    os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], environ | variables)


def handed_over(environ: Mapping[str, str] = os.environ) -> list[socket.socket]:
    """Return the listening sockets that systemd, or the previous program, passed to this process."""
    if environ.get(HOLDER) != str(os.getpid()):
        return []
    places = range(FIRST, FIRST + int(environ.get(COUNT, "0")))
    return [socket.socket(fileno=os.dup(place)) for place in places]


def is_successor(environ: Mapping[str, str] = os.environ) -> bool:
    """Return whether the sockets are from the previous program, and not from systemd."""
    return WORKERS in environ


def let_go(environ: MutableMapping[str, str] = os.environ) -> None:
    """Close the inherited sockets, because other addresses are configured now."""
    for place in range(FIRST, FIRST + int(environ.pop(COUNT, "0"))):
        os.close(place)
    environ.pop(HOLDER, None)


class Predecessors:
    """The workers of the previous program, which end once new ones serve; late ones are killed."""

    def __init__(self, environ: MutableMapping[str, str] = os.environ) -> None:
        self._left = [int(word) for word in environ.pop(WORKERS, "").split(",") if word]
        self._until = 0.0

    def end(self, graceful: float) -> None:
        """Stop them gracefully, within some seconds; a second call does nothing."""
        if self._until:
            return
        self._until = time.monotonic() + graceful
        self._left = [process for process in self._left if _send(process, signal.SIGTERM)]

    def kill_late(self, workers: Container[int]) -> None:
        """Kill those whose time is over, unless a new worker has got the same process id."""
        if self._left and time.monotonic() > self._until + SECONDS_MORE:
            for process in self._left:
                if process not in workers:
                    _send(process, signal.SIGKILL)
            self._left = []


def _send(process: int, number: signal.Signals) -> bool:
    """Send a signal to a child process; return whether it was one."""
    try:
        ended, _ = os.waitpid(process, os.WNOHANG)
        if ended:
            return False
        os.kill(process, number)
    except (ChildProcessError, ProcessLookupError):
        return False
    return True


WHERE = "NOTIFY_SOCKET"
READY, STOPPING = "READY=1", "STOPPING=1"


class Supervisor:
    """The supervisor's socket; without one, messages are dropped."""

    def __init__(self, environ: Mapping[str, str] = os.environ) -> None:
        self._address = environ.get(WHERE, "")

    @classmethod
    def kept_from_children(cls, environ: MutableMapping[str, str] = os.environ) -> Supervisor:
        """Return the supervisor. Children do not inherit it: Podman would pass it into each container."""
        found = cls(environ)
        environ.pop(WHERE, None)
        return found

    def tell(self, *lines: str) -> None:
        """Send the state; if nobody listens, it is lost, and the process continues."""
        if not self._address:
            return
        # A name with @ is an abstract socket, which is in no folder.
        address = f"\0{self._address[1:]}" if self._address.startswith("@") else self._address
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.sendto("\n".join(lines).encode(), address)

    def tell_stopping(self, seconds: float) -> None:
        """Report that the process stops, and how long it may take, whatever its unit says."""
        self.tell(STOPPING, f"EXTEND_TIMEOUT_USEC={int(seconds * 1_000_000)}")

    def tell_reloading(self) -> None:
        """Report that the process restarts, until it is ready."""
        now = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
        self.tell("RELOADING=1", f"MONOTONIC_USEC={now}")


STOP_SIGNALS = frozenset({signal.SIGTERM, signal.SIGINT, signal.SIGQUIT})
# How often the main thread reports to the arbiter, and checks whether the loop has ended.
ALIVE_SECONDS = 1.0
LOOK_SECONDS = 0.05
# A loop that has not turned for this time does not count as alive.
DEAD_SECONDS = 30.0


class EventWorker(Worker):  # type: ignore[misc]
    """A worker whose main thread handles signals, and reports to the arbiter that the loop turns."""

    wsgi: ServedApplication | None = None

    def init_signals(self) -> None:
        """Handle signals, including those that arrived since the fork."""
        super().init_signals()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)

    def run(self) -> None:
        """Serve until told to stop, then finish the open requests."""
        assert self.wsgi is not None
        server = EventServer(self.wsgi, self.cfg, self.app.limits, self.sockets, self.app.count_refusal)
        server.start()
        reported, is_serving = 0.0, True
        while not server.is_over.is_set():
            self._await_signal(ALIVE_SECONDS if is_serving else LOOK_SECONDS)
            if is_serving and not (self.alive and self.ppid == os.getppid()):
                is_serving = False
                server.stop()
            now = time.monotonic()
            if now - reported >= ALIVE_SECONDS - LOOK_SECONDS and now - server.turned < DEAD_SECONDS:
                reported = now
                self.notify()
                self.app.watch(server.occupancy())
        server.close()

    def handle_exit(self, sig: int, frame: Any) -> None:
        """Stop gracefully; end streams first, because they would last as long as their runs."""
        self._stop_application()
        super().handle_exit(sig, frame)

    def handle_quit(self, sig: int, frame: Any) -> None:
        """Stop at once."""
        self._stop_application()
        super().handle_quit(sig, frame)

    def _stop_application(self) -> None:
        """Notify the application, if it is loaded, that the process ends."""
        if self.wsgi is not None:
            self.wsgi.stop()

    def _await_signal(self, seconds: float) -> None:
        """Wait for some seconds, or until a signal arrives: its handler writes to the pipe."""
        poll = select.poll()
        poll.register(self.PIPE[0], select.POLLIN)
        if poll.poll(seconds * 1000):
            os.read(self.PIPE[0], 4096)
