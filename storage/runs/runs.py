"""The ports of runs over a database: leases, waits and holds, and the assembly of all run ports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from chains.runs.ports import RunReader, Runs
from chains.runs.records import (
    HoldSpace,
    LogNews,
    Run,
    RunEnd,
    RunTurn,
    Worker,
    ignore_end,
    ignore_run,
    ignore_turn,
)
from chains.runs.states import Status
from storage.database.columns import TableColumns
from storage.database.database import Database
from storage.runs.queue import StoredRunQueue
from storage.runs.reader import StoredRunReader, find_status, no_run
from storage.runs.retention import StoredRunRetention
from storage.runs.rows import OPEN, WHOLE, WORK, log_topic, run_of, run_topic
from storage.runs.states import StoredRunStates
from storage.signals.change_signal import ChangeSignal
from storage.tree.item_rows import IS_LIVE
from vfs.ports.clock import Clock, stamp

STATUS_AND_NEWEST = (
    "SELECT status, (SELECT max(seq) FROM run_line WHERE run = :log) FROM run WHERE key = :run"
)


@dataclass(frozen=True, slots=True)
class StoredRunWaits:
    """chains.runs.ports.RunWaits over a database."""

    database: Database
    change_signal: ChangeSignal
    reader: RunReader

    def wait(self, run: int, until: Callable[[Status], bool], seconds: float | None) -> Status:

        def look() -> tuple[Status, bool]:
            status = find_status(self.database, run)
            return status, until(status)

        return self.change_signal.watch(run_topic(run), look, seconds, self.database.idle)

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

        # No recheck without a signal: followers call again regularly, and rechecks would slow all requests.
        return self.change_signal.watch(log_topic(log), look, seconds, self.database.idle, None)

    def _news(self, run: int, log: int, after: int) -> LogNews:
        """Return the status and the new lines, read in this order so that no last line is missed."""
        row = self.database.row(STATUS_AND_NEWEST, run=run, log=log)
        if row is None:
            raise no_run(run)
        status, newest = row
        return LogNews(Status(status), self.reader.lines(log, after) if (newest or 0) > after else ())


WORKER = TableColumns(Worker, "name home trouble since")
END_EARLIER = "DELETE FROM worker WHERE home = :home OR expires_on < :now"
ENLIST = "INSERT INTO worker (name, home, expires_on) VALUES (:name, :home, :expires_on)"
HEARTBEAT = """
UPDATE worker SET expires_on = :expires_on, trouble = :trouble, since = CASE
    WHEN CAST(:trouble AS TEXT) IS NULL THEN NULL ELSE coalesce(since, CAST(:now AS TEXT)) END
WHERE name = :name"""
RETIRE = "DELETE FROM worker WHERE name = :name"
ALIVE = "SELECT 1 FROM worker WHERE name = :name AND expires_on >= :now"
WORKERS = f"SELECT {WORKER} FROM worker WHERE expires_on >= :now ORDER BY name"
LOST = (
    f"{WHOLE} LEFT JOIN worker w ON w.name = r.worker AND w.expires_on >= :now"
    f" WHERE r.{OPEN} AND r.worker IS NOT NULL AND w.name IS NULL ORDER BY r.key"
)


@dataclass(frozen=True, slots=True)
class StoredLeases:
    """chains.runs.ports.Leases over a database."""

    database: Database
    change_signal: ChangeSignal
    clock: Clock

    def enlist(self, worker: str, home: str, seconds: float) -> None:
        with self.database.atomic():
            self.database.run(END_EARLIER, home=home, now=self._after(0))
            self.database.run(ENLIST, name=worker, home=home, expires_on=self._after(seconds))

    def heartbeat(self, worker: str, seconds: float, trouble: str | None = None) -> bool:
        lease = {"name": worker, "expires_on": self._after(seconds)}
        return bool(self.database.run(HEARTBEAT, **lease, trouble=trouble, now=self._after(0)))

    def retire(self, worker: str) -> None:
        with self.database.atomic():
            self.database.run(RETIRE, name=worker)
            self.change_signal.signal(WORK)

    def is_alive(self, worker: str) -> bool:
        return self.database.row(ALIVE, name=worker, now=self._after(0)) is not None

    def workers(self) -> Sequence[Worker]:
        return self.database.all(WORKER, WORKERS, now=self._after(0))

    def lost_runs(self) -> Sequence[Run]:
        return [run_of(row) for row in self.database.rows(LOST, now=self._after(0))]

    def _after(self, seconds: float) -> str:
        return stamp(self.clock.now() + timedelta(seconds=seconds))


SPACE = TableColumns(HoldSpace, "space job caller")
OPEN_SPACES = (
    "SELECT h.space, r.job, r.caller FROM run r JOIN hold h ON h.run = r.key JOIN item i ON i.id = r.job"
    f" WHERE {IS_LIVE} AND r.{OPEN} AND h.space IS NOT NULL"
)
ALL = f"{OPEN_SPACES} ORDER BY h.space"
OF_OWNER = f"{OPEN_SPACES} AND i.owner = :owner ORDER BY h.space"
RUN_OF = f"{WHOLE} JOIN hold h ON h.run = r.key WHERE h.space = :space"


@dataclass(frozen=True, slots=True)
class StoredHoldSpaces:
    """chains.runs.ports.HoldSpaces over a database."""

    database: Database

    def run_of(self, space: int) -> Run | None:
        row = self.database.row(RUN_OF, space=space)
        return run_of(row) if row else None

    def open_spaces(self, owner: str | None) -> Sequence[HoldSpace]:
        key = {} if owner is None else {"owner": owner}
        return self.database.all(SPACE, OF_OWNER if key else ALL, **key)


def stored_runs(
    database: Database,
    change_signal: ChangeSignal,
    clock: Clock,
    fresh: Callable[[int], Sequence[str]],
    revoke: Callable[[int], object],
    ended: Callable[[RunEnd], object] = ignore_end,
    turned: Callable[[RunTurn], object] = ignore_turn,
    began: Callable[[Run], object] = ignore_run,
) -> Runs:
    """Return the ports of runs. StoredRunQueue and StoredRunStates document the callables."""
    reader = StoredRunReader(database)
    states = StoredRunStates(database, change_signal, clock, revoke, ended, turned)
    return Runs(
        queue=StoredRunQueue(database, change_signal, clock, fresh, turned, began),
        states=states,
        reader=reader,
        waits=StoredRunWaits(database, change_signal, reader),
        leases=StoredLeases(database, change_signal, clock),
        retention=StoredRunRetention(database, clock, states),
        hold_spaces=StoredHoldSpaces(database),
    )
