"""Logs and outputs of runs that are past their retention, in a dictionary."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol

from chains.runs.book import LogLine, Run


class Kept(Protocol):
    """A run with its log."""

    run: Run
    lines: list[LogLine]


@dataclass(frozen=True, slots=True)
class MemoryRetention:
    """`runs` tells all there are."""

    runs: Callable[[], Iterable[Kept]]

    def oldest(self) -> str | None:
        """As RunBook.oldest."""
        return min((ended for ended, _ in self._ended()), default=None)

    def spent(self, inputs: Collection[str]) -> Collection[str]:
        """As RunBook.spent."""
        ended = (kept.run.input for kept in self.runs() if kept.run.completed_on is not None)
        return {name for name in ended if name is not None and name in inputs}

    def expire(self, before: str, most: int) -> int:
        """As RunBook.expire."""
        past = sorted((pair for pair in self._ended() if pair[0] < before), key=lambda pair: pair[0])[:most]
        for _, kept in past:
            kept.lines = []
            kept.run = replace(kept.run, output=None, expired=True)
        return len(past)

    def _ended(self) -> Iterator[tuple[str, Kept]]:
        for kept in self.runs():
            run = kept.run
            if run.completed_on is not None and run.parent is None and not run.expired:
                yield run.completed_on, kept
