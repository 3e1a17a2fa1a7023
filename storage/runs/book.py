"""The book of runs over a database."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import peewee

from chains.plan.compiler import Plan
from chains.runs.book import Ended, Entry, LogLine, Move, Order, Result, Run, StepRow, unheard
from chains.runs.children import child_id
from chains.runs.states import Event, Status, StepStatus
from storage.database.bulk import several
from storage.database.database import Database
from storage.runs.activity import StoredActivity
from storage.runs.history import History
from storage.runs.holds import Holds
from storage.runs.leases import Leases
from storage.runs.retention import Retention
from storage.runs.rows import BRIEF, ITSELF, OPEN, STEPS, WHOLE, line_of, plan_text, run_of, step_of
from storage.runs.transitions import WORK, Turns, gone, log_topic, run_topic
from storage.signals.bell import Bell
from vfs.errors import Conflict
from vfs.ports.world import Clock, stamp

_SUBMIT = (
    "INSERT INTO run (job, id, shortname, status, trigger, source, caller, created_on, completed_on, input,"
    " claim, author, lines, discarded, spaces, plan)"
    " VALUES ? RETURNING shortname, key"
)
_CHILD = (
    "INSERT INTO run (job, id, shortname, status, trigger, source, caller, created_on, lines, discarded,"
    " author, spaces, parent, parent_step, top)"
    f" VALUES (?, ?, ?, '{Status.PROCESSING}', ?, ?, ?, ?, 0, FALSE, ?, ?, ?, ?, ?) RETURNING key"
)
_INSIDE = f"{WHOLE} JOIN run t ON t.key = r.top WHERE r.id = ? AND r.top IS NOT NULL AND t.job = ?"
_NESTED = f"{WHOLE} WHERE r.id = ? AND r.top IS NOT NULL AND r.job = ?"
_STEP = (
    "INSERT INTO step (run, ordinal, replica, name, status, fan_out)"
    f" VALUES (?, ?, {ITSELF}, ?, '{StepStatus.PENDING}', ?)"
)


class Runs:
    """chains.runs.book.RunBook over a database.

    `fresh(count)` gives unused shortnames, `revoke(run)` ends a run's credentials and `ended` hears of its
    end, all within the caller's transaction.
    """

    def __init__(
        self,
        database: Database,
        bell: Bell,
        clock: Clock,
        fresh: Callable[[int], Sequence[str]],
        revoke: Callable[[int], object],
        ended: Callable[[Ended], object] = unheard,
    ) -> None:
        self._database = database
        self._bell = bell
        self._clock = clock
        self._fresh = fresh
        self._turns = Turns(database, bell, clock, revoke, ended)
        self._leases = Leases(database, bell, clock)
        holds = Holds(database, self._turns, clock)
        self.park = holds.park
        self.settle = holds.settle
        self.holds = holds.holds
        self.parked = holds.parked
        self.parkings = holds.parkings
        history = History(database)
        self.past, self.version = history.past, history.version
        retention = Retention(database, clock)
        self.oldest, self.expire, self.spent = retention.oldest, retention.expire, retention.spent
        self.claim = self._leases.claim
        self.enlist = self._leases.enlist
        self.beat = self._leases.beat
        self.retire = self._leases.retire
        self.alive = self._leases.alive
        self.workers = self._leases.workers
        self.lost = self._leases.lost
        self.over = self._leases.over
        self.canceling = self._leases.canceling

    def submit(self, order: Order, status: Status = Status.PROCESSING) -> Run:
        """As RunBook.submit."""
        (key,) = self._enter([order], status)
        return self._present(key)

    def submit_all(self, orders: Sequence[Order]) -> None:
        """As RunBook.submit_all."""
        self._enter(orders, Status.PROCESSING)

    def _enter(self, orders: Sequence[Order], status: Status) -> Sequence[int]:
        try:
            with self._database.atomic():
                keys = self._insert(orders, status, stamp(self._clock.now()))
                self._bell.ring(WORK)
        except peewee.IntegrityError as error:
            raise Conflict("The job has a run of that id already; trigger it again.") from error
        return keys

    def _insert(self, orders: Sequence[Order], status: Status, now: str) -> Sequence[int]:
        names = self._fresh(len(orders))
        rows = [
            (
                order.job, order.id, name, status, order.trigger, order.source, order.by, now,
                now if status.ended else None, order.input, order.claim, order.author, 0, False, order.spaces,
                plan_text(order.plan),
            )
            for order, name in zip(orders, names, strict=True)
        ]  # fmt: skip
        entered: dict[str, int] = dict(several(self._database, _SUBMIT, rows))
        keys = [entered[name] for name in names]
        for trigger in {order.trigger for order in orders}:
            jobs = [order.job for order in orders if order.trigger == trigger]
            StoredActivity(self._database).begun(jobs, trigger, now)
        planned = [(key, order, order.plan) for key, order in zip(keys, orders, strict=True) if order.plan]
        steps = [(key, s.ordinal, s.name, s.fan_out) for key, _, plan in planned for s in plan.steps]
        self._database.many(_STEP, steps)
        for key, order, plan in planned:
            self._insert_children(key, order, plan, now)
        return keys

    def _insert_children(self, top: int, order: Order, plan: Plan, now: str) -> None:
        keys: dict[str | None, int] = {None: top}
        names = self._fresh(len(plan.composed))
        for step, name in zip(plan.composed, names, strict=True):
            row = self._database.rows(
                _CHILD,
                step.job_item, child_id(order.id, step.name), name, order.trigger, order.source,
                order.by, now, step.author, step.spaces, keys[step.parent], step.name, top,
            )  # fmt: skip
            keys[step.name] = row[0][0]

    def event(
        self,
        run: int,
        event: Event,
        result: Result | None = None,
        moves: Sequence[Move] = (),
        lines: Sequence[Entry] = (),
    ) -> Status:
        """As RunBook.event."""
        return self._turns.event(run, event, result, moves, lines)

    def record(self, run: int, moves: Sequence[Move] = (), lines: Sequence[Entry] = ()) -> None:
        """As RunBook.record."""
        self._turns.record(run, moves, lines)

    def get(self, job: int, id: str) -> Run | None:
        """As RunBook.get."""
        row = self._database.row(f"{WHOLE} WHERE r.job = ? AND r.id = ? AND r.parent IS NULL", job, id)
        row = row or self._database.row(_INSIDE, id, job)
        return run_of(row) if row else None

    def nested(self, job: int, id: str) -> Run | None:
        """As RunBook.nested."""
        row = self._database.row(_NESTED, id, job)
        return run_of(row) if row else None

    def children(self, run: int) -> Sequence[Run]:
        """As RunBook.children."""
        return [run_of(row) for row in self._database.rows(f"{WHOLE} WHERE r.top = ? ORDER BY r.key", run)]

    def by_key(self, run: int) -> Run | None:
        """As RunBook.by_key."""
        row = self._database.row(f"{WHOLE} WHERE r.key = ?", run)
        return run_of(row) if row else None

    def _present(self, run: int) -> Run:
        found = self.by_key(run)
        if found is None:
            raise gone(run)
        return found

    def newest(self, job: int, limit: int | None) -> Sequence[Run]:
        """As RunBook.newest."""
        rows = self._database.rows(
            f"{BRIEF} WHERE r.job = ? AND r.parent IS NULL ORDER BY r.key DESC LIMIT ?",
            job, (1 << 62) if limit is None else limit,
        )  # fmt: skip
        return [run_of(row) for row in rows]

    def unfinished(self) -> Sequence[Run]:
        """As RunBook.unfinished."""
        return [
            run_of(row)
            for row in self._database.rows(f"{WHOLE} WHERE r.{OPEN} AND r.top IS NULL ORDER BY r.key")
        ]

    def steps(self, run: int) -> Sequence[StepRow]:
        """As RunBook.steps."""
        return [step_of(row) for row in self._database.rows(STEPS, run)]

    def lines(self, run: int, after: int = 0) -> Sequence[LogLine]:
        """As RunBook.lines."""
        rows = self._database.rows(
            "SELECT seq, time, severity, message FROM run_line WHERE run = ? AND seq > ? ORDER BY seq",
            run,
            after,
        )
        return [line_of(row) for row in rows]

    def wait(self, run: int, until: Callable[[Status], bool], seconds: float | None) -> Status:
        """As RunBook.wait."""

        def look() -> tuple[Status, bool]:
            status = self._status(run)
            return status, until(status)

        return self._bell.watch(run_topic(run), look, seconds, self._database.released)

    def follow(
        self, run: int, after: int, seconds: float, over: Callable[[], bool] = lambda: False
    ) -> Sequence[LogLine]:
        """As RunBook.follow."""

        def look() -> tuple[Sequence[LogLine], bool]:
            # The status first: lines written before the end are then seen.
            ended = self._status(run).ended
            lines = self.lines(run, after)
            return lines, ended or bool(lines) or over()

        return self._bell.watch(log_topic(run), look, seconds, self._database.released)

    def wake(self, seen: int, seconds: float) -> int:
        """As RunBook.wake."""
        ticket = self._bell.ticket(WORK)
        if ticket.seen != seen:
            return ticket.seen
        with self._database.released():
            self._bell.wait(ticket, seconds)
        return self._bell.ticket(WORK).seen

    def failures(self, job: int) -> int:
        """As RunBook.failures."""
        rows = self._database.rows(
            "SELECT status FROM run WHERE job = ? AND parent IS NULL AND trigger = 'schedule'"
            " AND status IN ('success', 'failed') ORDER BY key DESC LIMIT 100",
            job,
        )
        return sum(1 for _ in itertools.takewhile(lambda row: row[0] == Status.FAILED, rows))

    def discard(self, job: int) -> None:
        """As RunBook.discard."""
        with self._database.atomic():
            at_work = "job = ? AND parent IS NULL AND status IN ('processing', 'canceling')"
            self._database.run(f"UPDATE run SET discarded = ? WHERE {at_work}", True, job)
            for (key,) in self._database.rows(f"SELECT key FROM run WHERE {at_work} ORDER BY key", job):
                self.event(key, Event.CANCEL)
            for (key,) in self._database.rows(
                "SELECT key FROM run WHERE job = ? AND parent IS NULL AND status = 'waiting'", job
            ):
                self.event(key, Event.DECLINE)
            doomed = "job = ? AND parent IS NULL AND NOT discarded"
            self._database.run(f"DELETE FROM run WHERE top IN (SELECT key FROM run WHERE {doomed})", job)
            self._database.run(f"DELETE FROM run WHERE {doomed}", job)
            StoredActivity(self._database).forget(job)

    def _status(self, run: int) -> Status:
        row = self._database.row("SELECT status FROM run WHERE key = ?", run)
        if row is None:
            raise gone(run)
        return Status(row[0])
