"""Waiting for changes of runs in a database."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from chains.runs.ports import RunReader
from chains.runs.records import LogNews
from chains.runs.states import Status
from storage.database.database import Database
from storage.runs.reader import find_status, no_run
from storage.runs.topics import log_topic, run_topic
from storage.signals.bell import Bell

STATUS_AND_NEWEST = (
    "SELECT status, (SELECT max(seq) FROM run_line WHERE run = :log) FROM run WHERE key = :run"
)


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
        self,
        run: int,
        after: int,
        seconds: float,
        over: Callable[[], bool] = lambda: False,
        log: int | None = None,
    ) -> LogNews:
        log = log or run

        def look() -> tuple[LogNews, bool]:
            news = self._news(run, log, after)
            return news, news.status.ended or bool(news.lines) or over()

        # No look unasked: whoever follows comes back at its beat, and looks of many slow every answer.
        return self.bell.watch(log_topic(log), look, seconds, self.database.idle, None)

    def _news(self, run: int, log: int, after: int) -> LogNews:
        """The status, and then the lines: those from before the end are then all there."""
        row = self.database.row(STATUS_AND_NEWEST, run=run, log=log)
        if row is None:
            raise no_run(run)
        status, newest = row
        return LogNews(Status(status), self.reader.lines(log, after) if (newest or 0) > after else ())
