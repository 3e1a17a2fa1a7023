"""EventLoop: waits for events of sockets, and calls functions that threads pass to it."""

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
    """An epoll object with a handler for each descriptor, which is called with the events.

    Only its own thread may call `turn`; other threads may only call `later`. Errors of handlers are logged,
    so that nothing ends the loop.
    """

    def __init__(self) -> None:
        self._epoll = select.epoll()
        self._handlers: dict[int, Handler] = {}
        self._calls: deque[Callable[[], object]] = deque()
        self._wakeup = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._has_signaled = False
        self.watch(self._wakeup, select.EPOLLIN, self._answer_wakeup)

    def watch(self, file: int, events: int, handler: Handler) -> None:
        """Call a handler for events of a descriptor that is not watched yet."""
        self._handlers[file] = handler
        self._epoll.register(file, events)

    def change(self, file: int, events: int) -> None:
        """Watch other events of a descriptor."""
        self._epoll.modify(file, events)

    def forget(self, file: int) -> None:
        """Stop watching a descriptor."""
        del self._handlers[file]
        self._epoll.unregister(file)

    def later(self, call: Callable[..., object], *args: object) -> None:
        """Schedule a call on the loop, from any thread."""
        self._calls.append(partial(call, *args))
        # No call is missed: it is queued before the flag is read, and the loop clears the flag before it
        # empties the queue.
        if not self._has_signaled:
            self._has_signaled = True
            with contextlib.suppress(OSError):
                os.eventfd_write(self._wakeup, 1)

    def turn(self, seconds: float) -> None:
        """Wait at most `seconds` for events, handle them, and make the scheduled calls."""
        ready = self._epoll.poll(0 if self._calls else seconds)
        for file, events in ready:
            handler = self._handlers.get(file)
            if handler is not None:
                make_safely(partial(handler, events))
        for _ in range(len(self._calls)):
            make_safely(self._calls.popleft())

    def close(self) -> None:
        """Stop watching.

        The eventfd stays open: remaining threads may write to it, and its number must not be reused for
        another file.
        """
        self._epoll.close()

    def _answer_wakeup(self, events: int) -> None:
        with contextlib.suppress(OSError):
            os.eventfd_read(self._wakeup)
        self._has_signaled = False


def make_safely(call: Callable[[], object]) -> None:
    """Call a function; log its exception, if any."""
    try:
        call()
    except Exception:
        log.exception("a call on the loop of connections failed")
