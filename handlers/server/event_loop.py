"""EventLoop: waits for sockets, and makes calls that threads leave to it."""

from __future__ import annotations

import contextlib
import logging
import os
import select
from collections import deque
from collections.abc import Callable
from functools import partial

log = logging.getLogger("curlew")

Handler = Callable[[int], object]


class EventLoop:
    """One epoll with a handler for each descriptor; the handler gets the events that came.

    Its thread makes its turns; others may only call `later`. A handler that fails is logged: nothing
    may end the loop.
    """

    def __init__(self) -> None:
        self._epoll = select.epoll()
        self._handlers: dict[int, Handler] = {}
        self._calls: deque[Callable[[], object]] = deque()
        self._wakeup = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._has_rung = False
        self.watch(self._wakeup, select.EPOLLIN, self._answer_wakeup)

    def watch(self, file: int, events: int, handler: Handler) -> None:
        """Have a handler called for events of a descriptor that is not watched yet."""
        self._handlers[file] = handler
        self._epoll.register(file, events)

    def change(self, file: int, events: int) -> None:
        """Wait for other events of a descriptor."""
        self._epoll.modify(file, events)

    def forget(self, file: int) -> None:
        """Watch a descriptor no more."""
        del self._handlers[file]
        self._epoll.unregister(file)

    def later(self, call: Callable[..., object], *args: object) -> None:
        """Have a call made on the loop, from any thread."""
        self._calls.append(partial(call, *args))
        # The call is in the queue before the look, and the loop forgets the change signal before it empties
        # the queue.
        if not self._has_rung:
            self._has_rung = True
            with contextlib.suppress(OSError):
                os.eventfd_write(self._wakeup, 1)

    def turn(self, seconds: float) -> None:
        """Wait so long for events, handle those that came, and make the calls that wait."""
        ready = self._epoll.poll(0 if self._calls else seconds)
        for file, events in ready:
            handler = self._handlers.get(file)
            if handler is not None:
                make_safely(partial(handler, events))
        for _ in range(len(self._calls)):
            make_safely(self._calls.popleft())

    def close(self) -> None:
        """Wait no more.

        The change signal stays: threads that are left may ring it, and its number must not be another file's.
        """
        self._epoll.close()

    def _answer_wakeup(self, events: int) -> None:
        with contextlib.suppress(OSError):
            os.eventfd_read(self._wakeup)
        self._has_rung = False


def make_safely(call: Callable[[], object]) -> None:
    """Make a call; one that fails is logged."""
    try:
        call()
    except Exception:
        log.exception("a call on the loop of connections failed")
