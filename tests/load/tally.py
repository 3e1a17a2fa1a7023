"""What clients saw: requests by kind, how long each took, and what went wrong."""

from __future__ import annotations

import threading
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

REFUSED, BROKEN = "refused", "broken"
"""A connection that was not taken, and a request without a whole answer."""


@dataclass(frozen=True, slots=True)
class KindRow:
    """The requests of one kind: how many, the milliseconds of half and of 99 in 100, and failures."""

    kind: str
    number: int
    p50: float
    p99: float
    failed: int
    refused: int

    def cells(self, seconds: float) -> tuple[str, ...]:
        """The row of the table."""
        rate = f"{self.number / seconds:.1f}"
        return (
            self.kind,
            f"{self.number:,}",
            rate,
            f"{self.p50:.1f}",
            f"{self.p99:.1f}",
            str(self.refused),
            str(self.failed),
        )


class Tally:
    """Counts for all threads of clients."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seconds: dict[str, array[float]] = defaultdict(lambda: array("d"))
        self._statuses: dict[str, Counter[int]] = defaultdict(Counter)
        self.troubles = Counter[str]()
        self.events = 0

    def note(self, kind: str, status: int, seconds: float) -> None:
        """Count an answer."""
        with self._lock:
            self._seconds[kind].append(seconds)
            self._statuses[kind][status] += 1

    def note_trouble(self, word: str, why: BaseException) -> None:
        """Count a request that was not answered."""
        with self._lock:
            self.troubles[f"{word}: {type(why).__name__}"] += 1

    def note_event(self, *_: object) -> None:
        """Count an event that a listener received."""
        with self._lock:
            self.events += 1

    def rows(self) -> Iterator[KindRow]:
        """The rows, the most frequent kind first."""
        for kind, seconds in sorted(self._seconds.items(), key=lambda one: -len(one[1])):
            took, statuses = sorted(seconds), self._statuses[kind]
            yield KindRow(
                kind, len(took), part(took, 0.5) * 1000, part(took, 0.99) * 1000,
                failed=sum(number for status, number in statuses.items() if status >= 500),
                refused=sum(number for status, number in statuses.items() if 400 <= status < 500),
            )  # fmt: skip

    def count(self, word: str) -> int:
        """The troubles of a kind."""
        return sum(number for name, number in self.troubles.items() if name.startswith(f"{word}:"))


def part(ordered: list[float], share: float) -> float:
    """The value below which this share of ordered values is."""
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]
