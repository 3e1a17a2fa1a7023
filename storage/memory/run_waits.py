"""Waiting for runs in dictionaries: for a status, for lines, for work."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from chains.runs.book import LogLine
from chains.runs.states import Status
from storage.runs.transitions import WORK, log_topic, run_topic
from storage.signals.bell import Bell


@dataclass(frozen=True, slots=True)
class MemoryWaits:
    """`status(run)` raises NotFound when there is no such run."""

    bell: Bell
    status: Callable[[int], Status]
    lines: Callable[[int, int], Sequence[LogLine]]

    def wait(self, run: int, until: Callable[[Status], bool], seconds: float | None) -> Status:
        """As RunBook.wait."""

        def look() -> tuple[Status, bool]:
            status = self.status(run)
            return status, until(status)

        return self.bell.watch(run_topic(run), look, seconds)

    def follow(
        self, run: int, after: int, seconds: float, over: Callable[[], bool] = lambda: False
    ) -> Sequence[LogLine]:
        """As RunBook.follow."""

        def look() -> tuple[Sequence[LogLine], bool]:
            ended = self.status(run).ended
            lines = self.lines(run, after)
            return lines, ended or bool(lines) or over()

        return self.bell.watch(log_topic(run), look, seconds)

    def wake(self, seen: int, seconds: float) -> int:
        """As RunBook.wake."""
        ticket = self.bell.ticket(WORK)
        if ticket.seen == seen:
            self.bell.wait(ticket, seconds)
        return self.bell.ticket(WORK).seen
