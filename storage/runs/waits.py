"""Waiting for changes of runs in a database."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from chains.runs.ports import RunReader
from chains.runs.records import LogLine
from chains.runs.states import Status
from storage.database.database import Database
from storage.runs.reader import find_status
from storage.runs.topics import log_topic, run_topic
from storage.signals.bell import Bell


@dataclass(frozen=True, slots=True)
class StoredRunWaits:
    """chains.runs.ports.RunWaits over a database."""

    database: Database
    bell: Bell
    reader: RunReader

    def wait(self, run: int, until: Callable[[Status], bool], seconds: float | None) -> Status:

        def look() -> tuple[Status, bool]:
            status = find_status(self.database, run)
            return status, until(status)

        return self.bell.watch(run_topic(run), look, seconds, self.database.idle)

    def follow(
        self, run: int, after: int, seconds: float, over: Callable[[], bool] = lambda: False
    ) -> Sequence[LogLine]:

        def look() -> tuple[Sequence[LogLine], bool]:
            # The status first: lines written before the end are then seen.
            ended = find_status(self.database, run).ended
            lines = self.reader.lines(run, after)
            return lines, ended or bool(lines) or over()

        # No look between: whoever follows looks again at its beat, and looks of many slow every answer.
        return self.bell.watch(log_topic(run), look, seconds, self.database.idle, seconds)
