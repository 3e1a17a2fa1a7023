"""The book of runs in dictionaries, for one process: for tests, and to read what a book does."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace

from chains.runs.book import Ended, Entry, LogLine, Move, Order, Result, Run, StepRow, unheard
from chains.runs.children import inside, standing
from chains.runs.holds import Parked
from chains.runs.states import Event, Status, StepStatus, turn
from storage.memory.run_history import MemoryHistory
from storage.memory.run_holds import MemoryHolds
from storage.memory.run_leases import MemoryLeases
from storage.memory.run_retention import MemoryRetention
from storage.memory.run_steps import children, moved, planned
from storage.memory.run_waits import MemoryWaits
from storage.runs.transitions import AT_WORK, WORK, gone, log_topic, run_topic
from storage.signals.bell import Bell
from vfs.errors import Conflict
from vfs.ports.world import Clock, stamp

Named = tuple[str, str, str]


@dataclass(slots=True)
class _Kept:
    """A run with its steps by (ordinal, replica), its log, and whether its job is gone."""

    run: Run
    steps: dict[tuple[int, int], StepRow] = field(default_factory=dict)
    lines: list[LogLine] = field(default_factory=list)
    discarded: bool = False


class MemoryRuns:
    """chains.runs.book.RunBook in dictionaries.

    `named(job)` tells a job's owner, name and shortname now; `fresh()` gives an unused shortname;
    `revoke(run)` ends a run's credentials, `ended` hears of its end.
    """

    def __init__(
        self,
        clock: Clock,
        named: Callable[[int], Named],
        fresh: Callable[[], str],
        revoke: Callable[[int], object],
        ended: Callable[[Ended], object] = unheard,
        vacate: Callable[[int], object] = lambda space: None,
    ) -> None:
        self._clock = clock
        self._named = named
        self._fresh = fresh
        self._revoke = revoke
        self._ended = ended
        self._bell = Bell()
        self._lock = threading.RLock()
        self._keys = itertools.count(1)
        self._runs: dict[int, _Kept] = {}
        self._holds = MemoryHolds(clock, self.event, vacate)
        self.park = self._holds.park
        self.settle = self._holds.settle
        self.holds = self._holds.holds
        waits = MemoryWaits(self._bell, lambda run: self._find(run).run.status, self.lines)
        self.wait, self.follow, self.wake = waits.wait, waits.follow, waits.wake
        history = MemoryHistory(self.newest)
        self.past, self.version = history.past, history.version
        retention = MemoryRetention(lambda: list(self._runs.values()))
        self.oldest, self.expire, self.spent = retention.oldest, retention.expire, retention.spent
        lease = MemoryLeases(clock, self._bell)
        self.enlist, self.beat, self.retire = lease.enlist, lease.beat, lease.retire
        self.alive, self.workers = lease.alive, lease.workers

    def submit(self, order: Order, status: Status = Status.PROCESSING) -> Run:
        """As RunBook.submit."""
        now = stamp(self._clock.now())
        with self._lock:
            if self.get(order.job, order.id) is not None:
                raise Conflict("The job has a run of that id already; trigger it again.")
            run = Run(
                key=next(self._keys), job=order.job, id=order.id, shortname=self._fresh(), status=status,
                trigger=order.trigger, source=order.source, by=order.by, origin_owner="", origin="",
                origin_shortname="", created_on=now, started_on=None,
                completed_on=now if status.ended else None, plan=order.plan, input=order.input, output=None,
                output_name=None, claim=order.claim, worker=None, spaces=order.spaces, author=order.author,
            )  # fmt: skip
            self._runs[run.key] = _Kept(run, planned(order.plan))
            if order.plan is not None:
                for child in children(run, order.plan, self._keys, self._fresh):
                    self._runs[child.key] = _Kept(child)
        self._bell.ring(WORK)
        return self._shown(run)

    def submit_all(self, orders: Sequence[Order]) -> None:
        """As RunBook.submit_all."""
        with self._lock:
            before = dict(self._runs)
            try:
                for order in orders:
                    self.submit(order)
            except Conflict:
                self._runs = before
                raise

    def _stand(self, top: int, status: Status) -> None:
        """Let the child runs stand as their steps tell."""
        steps, now = self.steps(top), stamp(self._clock.now())
        for kept in self._runs.values():
            if kept.run.top == top:
                rows = (row for row in steps if inside(row.name, kept.run.parent_step or ""))
                status_, started, completed = standing(rows, status, now)
                kept.run = replace(kept.run, status=status_, started_on=started, completed_on=completed)

    def claim(self, worker: str) -> Run | None:
        """As RunBook.claim."""
        with self._lock:
            for kept in self._runs.values():
                run = kept.run
                if run.status in AT_WORK and run.worker is None and run.parent is None:
                    started = run.started_on
                    if run.status is Status.PROCESSING:
                        started = started or stamp(self._clock.now())
                    kept.run = replace(run, worker=worker, started_on=started)
                    return self._shown(kept.run)
        return None

    def event(
        self,
        run: int,
        event: Event,
        result: Result | None = None,
        moves: Sequence[Move] = (),
        lines: Sequence[Entry] = (),
    ) -> Status:
        """As RunBook.event."""
        with self._lock:
            kept = self._find(run)
            before, status = kept.run.status, turn(kept.run.status, event)
            self.record(run, moves, lines)
            kept.run = replace(kept.run, status=status)
            if status not in AT_WORK:
                self._let_go(kept, result)
            self._stand(run, status)
        if status is not before:
            self._bell.ring(run_topic(run))
            self._bell.ring(WORK)
            self._bell.ring(log_topic(run))
        return status

    def _let_go(self, kept: _Kept, result: Result | None) -> None:
        self._revoke(kept.run.key)
        if not kept.run.status.ended:
            kept.run = replace(kept.run, worker=None)
            return
        self._holds.vacate(kept.run.key)
        now = stamp(self._clock.now())
        if result is not None and kept.run.status is Status.SUCCESS:
            kept.run = replace(kept.run, output=result.blob, output_name=result.name)
        kept.run = replace(kept.run, completed_on=now)
        for place, step in kept.steps.items():
            if not step.status.ended:
                ended = now if step.started_on else None
                kept.steps[place] = replace(step, status=StepStatus.CANCELED, completed_on=ended)
        if kept.discarded:
            self._forget(kept.run.key)
        elif (run := kept.run).parent is None:
            self._ended(Ended(run.key, run.job, run.id, run.trigger, run.status))

    def record(self, run: int, moves: Sequence[Move] = (), lines: Sequence[Entry] = ()) -> None:
        """As RunBook.record."""
        with self._lock:
            kept = self._find(run)
            if moves and kept.run.status.ended:
                status = kept.run.status
                raise Conflict(
                    f"The run has ended {status}, so its steps do not move any more.", run_status=status
                )
            steps = dict(kept.steps)
            for move in moves:
                moved(steps, run, move)
            kept.steps = steps
            self._stand(run, kept.run.status)
            for time_, severity, message in lines:
                kept.lines.append(LogLine(len(kept.lines) + 1, time_, severity, message))
        if lines:
            self._bell.ring(log_topic(run))

    def get(self, job: int, id: str) -> Run | None:
        """As RunBook.get."""
        with self._lock:
            runs = [kept.run for kept in self._runs.values() if kept.run.id == id]
            tops = (self._runs[run.top or run.key].run.job for run in runs)
            return next((self._shown(run) for run, top in zip(runs, tops, strict=True) if top == job), None)

    def nested(self, job: int, id: str) -> Run | None:
        """As RunBook.nested."""
        with self._lock:
            found = (kept.run for kept in self._runs.values() if (kept.run.job, kept.run.id) == (job, id))
            return next((self._shown(run) for run in found if run.top is not None), None)

    def children(self, run: int) -> Sequence[Run]:
        """As RunBook.children."""
        with self._lock:
            return [self._shown(kept.run) for kept in self._runs.values() if kept.run.top == run]

    def parked(self, space: int) -> Run | None:
        """As RunBook.parked."""
        kept = self._holds.kept.items()
        return next((self.by_key(run) for run, held in kept if any(h.space == space for h in held)), None)

    def parkings(self, owner: str | None) -> Sequence[Parked]:
        """As RunBook.parkings."""
        open_ = {run.key: run for run in self.unfinished() if owner in (None, run.origin_owner)}
        kept = [(open_[run], held) for run, held in self._holds.kept.items() if run in open_]
        return sorted(
            (Parked(one.space, run.job, run.by) for run, held in kept for one in held), key=lambda p: p.space
        )

    def by_key(self, run: int) -> Run | None:
        """As RunBook.by_key."""
        with self._lock:
            return self._shown(self._runs[run].run) if run in self._runs else None

    def newest(self, job: int, limit: int | None) -> Sequence[Run]:
        """As RunBook.newest."""
        with self._lock:
            runs = [
                kept.run for kept in self._runs.values() if (kept.run.job, kept.run.parent) == (job, None)
            ]
            return [replace(self._shown(run), plan=None) for run in runs[::-1][:limit]]

    def unfinished(self) -> Sequence[Run]:
        """As RunBook.unfinished."""
        with self._lock:
            tops = [kept.run for kept in self._runs.values() if kept.run.parent is None]
            return [self._shown(run) for run in tops if not run.status.ended]

    def over(self, runs: Collection[int]) -> Sequence[int]:
        """As RunBook.over."""
        with self._lock:
            return [key for key in runs if key not in self._runs or self._runs[key].run.status.ended]

    def steps(self, run: int) -> Sequence[StepRow]:
        """As RunBook.steps."""
        with self._lock:
            return [step for _, step in sorted(self._runs[run].steps.items())] if run in self._runs else []

    def lines(self, run: int, after: int = 0) -> Sequence[LogLine]:
        """As RunBook.lines."""
        with self._lock:
            return self._runs[run].lines[max(after, 0) :] if run in self._runs else []

    def lost(self) -> Sequence[Run]:
        """As RunBook.lost."""
        at_work = (run for run in self.unfinished() if run.status in AT_WORK)
        return [run for run in at_work if run.worker is not None and not self.alive(run.worker)]

    def canceling(self, worker: str) -> Sequence[int]:
        """As RunBook.canceling."""
        pending = (run for run in self.unfinished() if run.status is Status.CANCELING)
        return [run.key for run in pending if run.worker == worker]

    def failures(self, job: int) -> int:
        """As RunBook.failures."""
        scheduled = (run.status for run in self.newest(job, None) if run.trigger == "schedule")
        ended = (status for status in scheduled if status in (Status.FAILED, Status.SUCCESS))
        return len(list(itertools.takewhile(lambda status: status is Status.FAILED, ended)))

    def discard(self, job: int) -> None:
        """As RunBook.discard."""
        with self._lock:
            for key, kept in list(self._runs.items()):
                if kept.run.job != job or kept.run.parent is not None:
                    continue
                if kept.run.status in AT_WORK:
                    kept.discarded = True
                    self.event(key, Event.CANCEL)
                else:
                    self._forget(key)
                    self._bell.ring(run_topic(key))
                    self._bell.ring(WORK)

    def _forget(self, run: int) -> None:
        self._revoke(run)
        self._holds.vacate(run)
        self._holds.kept.pop(run, None)
        self._runs = {key: kept for key, kept in self._runs.items() if run not in (key, kept.run.top)}

    def _find(self, run: int) -> _Kept:
        with self._lock:
            if run not in self._runs:
                raise gone(run)
            return self._runs[run]

    def _shown(self, run: Run) -> Run:
        owner, name, shortname = self._named(run.job)
        return replace(run, origin_owner=owner, origin=f"/u/{owner}/j/{name}", origin_shortname=shortname)
