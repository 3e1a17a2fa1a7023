"""Succession: a program runs anew in its process, and the workers of before serve meanwhile."""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from collections.abc import Container, Mapping, MutableMapping, Sequence
from typing import NoReturn

FIRST = 3
"""The descriptor of the first socket that was handed over: sd_listen_fds(3)."""
HOLDER, COUNT, WORKERS = "LISTEN_PID", "LISTEN_FDS", "LISTEN_WORKERS"
# They end by themselves when their time is over, which takes a moment.
SECONDS_MORE = 5.0
# A second wish for a reload must not end a program that has no handler for it yet.
UNTIL_READY = frozenset({signal.SIGHUP})


def run_anew(
    listeners: Sequence[socket.socket], workers: Sequence[int], leave_out: Sequence[str]
) -> NoReturn:
    """Run this program again in this process, as it was called.

    It inherits the listening sockets, as from systemd, and the numbers of the workers; not the variables that
    `leave_out` names. Raises OSError where the program is gone.
    """
    # First out of the way: the places from `FIRST` on may hold some of them.
    copies = [os.dup(listener.fileno()) for listener in listeners]
    kept = [os.dup(copy) if copy < FIRST + len(copies) else copy for copy in copies]
    signal.pthread_sigmask(signal.SIG_BLOCK, UNTIL_READY)
    for place, copy in enumerate(kept, FIRST):
        os.dup2(copy, place)
    told = {
        HOLDER: str(os.getpid()),
        COUNT: str(len(kept)),
        WORKERS: ",".join(map(str, workers)),
    }
    environ = {name: word for name, word in os.environ.items() if name not in leave_out}
    os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], environ | told)


def handed_over(environ: Mapping[str, str] = os.environ) -> list[socket.socket]:
    """The listening sockets that systemd, or the program of before, handed to this very process."""
    if environ.get(HOLDER) != str(os.getpid()):
        return []
    places = range(FIRST, FIRST + int(environ.get(COUNT, "0")))
    return [socket.socket(fileno=os.dup(place)) for place in places]


def is_successor(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether the sockets are those of the program of before, and not systemd's."""
    return WORKERS in environ


def let_go(environ: MutableMapping[str, str] = os.environ) -> None:
    """Close the sockets that were handed over, as others are wanted now."""
    for place in range(FIRST, FIRST + int(environ.pop(COUNT, "0"))):
        os.close(place)
    environ.pop(HOLDER, None)


class Predecessors:
    """The workers of the program of before, which end once others serve; those that do not are killed."""

    def __init__(self, environ: MutableMapping[str, str] = os.environ) -> None:
        self._left = [int(word) for word in environ.pop(WORKERS, "").split(",") if word]
        self._until = 0.0

    def end(self, graceful: float) -> None:
        """Have them answer what they have, for at most so many seconds; the second time does nothing."""
        if self._until:
            return
        self._until = time.monotonic() + graceful
        self._left = [process for process in self._left if _send(process, signal.SIGTERM)]

    def kill_late(self, workers: Container[int]) -> None:
        """Kill those whose time is over; numbers that are those of `workers` by now were theirs before."""
        if self._left and time.monotonic() > self._until + SECONDS_MORE:
            for process in self._left:
                if process not in workers:
                    _send(process, signal.SIGKILL)
            self._left = []


def _send(process: int, number: signal.Signals) -> bool:
    """Send a signal to a process that is a child of this one; whether it was."""
    try:
        ended, _ = os.waitpid(process, os.WNOHANG)
        if ended:
            return False
        os.kill(process, number)
    except (ChildProcessError, ProcessLookupError):
        return False
    return True
