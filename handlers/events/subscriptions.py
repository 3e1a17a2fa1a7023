"""PatternIndex: the patterns that the connections of a process wait for, found by their first names."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from handlers.events.listener import Listener
from handlers.events.patterns import ROOT_NAMES, EventPattern

Waiting = dict[EventPattern, dict[Listener, None]]


class PatternIndex:
    """Subscriptions of all connections; any thread may use it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._roots: dict[tuple[str, ...], Waiting] = {}

    def add(self, pattern: EventPattern, listener: Listener) -> None:
        """Note that a listener wants what fits a pattern."""
        with self._lock:
            self._roots.setdefault(pattern.root, {}).setdefault(pattern, {})[listener] = None

    def remove(self, pattern: EventPattern, listener: Listener) -> None:
        """Note that it wants that no more."""
        with self._lock:
            waiting = self._roots.get(pattern.root, {})
            listeners = waiting.get(pattern, {})
            listeners.pop(listener, None)
            if not listeners:
                waiting.pop(pattern, None)
            if not waiting:
                self._roots.pop(pattern.root, None)

    def find(self, address: Sequence[str], event_type: str) -> dict[Listener, EventPattern]:
        """The listeners that want an event at an address, each with the first of its patterns found."""
        found: dict[Listener, EventPattern] = {}
        with self._lock:
            for root in ((), tuple(address[:ROOT_NAMES])):
                for pattern, listeners in self._roots.get(root, {}).items():
                    if pattern.fits(address, event_type):
                        for listener in listeners:
                            found.setdefault(listener, pattern)
        return found
