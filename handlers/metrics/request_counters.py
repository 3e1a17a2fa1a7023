"""Counters of a web process: requests, their durations, and events of the security log."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from handlers.metrics.count_files import ASTRAY, kind_of, take_room
from handlers.security.log_lines import SecurityLine

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60)
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "MOVE", "COPY"})
OTHER = "other"
HOW = {True: "answered", False: "closed"}
MOST_SERIES = 1500


class RequestCounters:
    """Counters of requests. No label is a name or a path from a client.

    It is created before the web processes are forked; each of them counts after `begin`. `reasons` are those
    for early refusals, each with whether a response is sent.
    """

    def __init__(
        self, folder: Path, route: Callable[[str], str], reasons: Collection[tuple[str, bool]]
    ) -> None:
        self._folder, self._reasons = folder, reasons
        self._route = route
        self._series: set[tuple[str, str, int]] = set()
        self._counts = False
        own = CollectorRegistry()
        self._requests = Counter(
            "curlew_requests",
            "Requests that were answered.",
            ("route", "method", "status"),
            registry=own,
        )
        self._seconds = Histogram(
            "curlew_request_seconds",
            "Time from the head of a request to its answer.",
            ("kind",),
            buckets=SECONDS,
            registry=own,
        )
        self._occupancy = Gauge(
            "curlew_web_in_hand",
            "Connections, requests and bytes of all web processes together.",
            ("what",),
            registry=own,
            multiprocess_mode="livesum",
        )
        self._turned_away = Counter(
            "curlew_turned_away",
            "Requests and connections that were refused before the application was called.",
            ("why", "how"),
            registry=own,
        )
        self._events = Counter(
            "curlew_security_events",
            "Events of the security log.",
            ("event", "outcome"),
            registry=own,
        )

    def begin(self) -> None:
        """Begin to count in this process, unless there is no space for its files.

        Refusals start at 0, so that an alert sees the first one.
        """
        self._counts = take_room(self._folder)
        if self._counts:
            for word, answered in self._reasons:
                self._turned_away.labels(word, HOW[answered])

    def count_request(self, method: str, path: str, status: int, seconds: float) -> None:
        """Count a request by the route of its path."""
        if not self._counts:
            return
        if method not in METHODS:
            method = OTHER
        route = self._route(path)
        series = (route, method, status)
        if series not in self._series:
            if len(self._series) >= MOST_SERIES:
                route, method = ASTRAY, OTHER
            self._series.add((route, method, status))
        self._requests.labels(route, method, str(status)).inc()
        self._seconds.labels(kind_of(method, route)).observe(seconds)

    def note_occupancy(self, numbers: Mapping[str, int]) -> None:
        """Record the present load of this process."""
        if self._counts:
            for what, number in numbers.items():
                self._occupancy.labels(what).set(number)

    def count_refusal(self, word: str, answered: bool) -> None:
        """Count a request that was refused before the application; `word` is one of a few fixed ones."""
        if self._counts:
            self._turned_away.labels(word, HOW[answered]).inc()

    def count_event(self, action: SecurityLine) -> None:
        """Count an event of the security log."""
        if self._counts:
            self._events.labels(action.event, action.outcome).inc()
