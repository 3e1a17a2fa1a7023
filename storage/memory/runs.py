"""The book of runs in dictionaries, for one process: for tests, and to read what a book does."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

from chains.book import Ended, Entry, LogLine, Move, Order, Result, Run, StepRow, unheard
from chains.run import MOVES, Event, Status, StepStatus, turn
from storage.bell import Bell
from storage.run_turns import AT_WORK, WORK, gone, log_topic, run_topic
from vfs.errors import Conflict
from vfs.world import Clock, stamp

Named = tuple[str, str, str]


@dataclass(slots=True)
class _Kept:
    """A run with its steps by (ordinal, replica), its log, and whether its job is gone."""

    run: Run
    steps: dict[tuple[int, int], StepRow] = field(default_factory=dict)
    lines: list[LogLine] = field(default_factory=list)
    discarded: bool = False


class MemoryRuns:
    """chains.book.RunBook in dictionaries.

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
        self._workers: dict[str, tuple[str, str]] = {}

    def submit(self, order: Order, status: Status = Status.PROCESSING) -> Run:
        """As RunBook.submit."""
        now = stamp(self._clock.now())
        with self._lock:
            if self.get(order.job, order.id) is not None:
                raise Conflict(f"The job has a run {order.id} already; trigger it again.")
            run = Run(
                key=next(self._keys), job=order.job, id=order.id, shortname=self._fresh(), status=status,
                trigger=order.trigger, source=order.source, by=order.by, origin_owner="", origin="",
                origin_shortname="", created_on=now, started_on=None,
                completed_on=now if status.ended else None, plan=order.plan, input=order.input, output=None,
                output_name=None, claim=order.claim, worker=None, spaces=order.spaces, author=order.author,
            )  # fmt: skip
            steps = order.plan.steps if order.plan else ()
            rows = {
                (step.ordinal, -1): StepRow(
                    step.name, step.ordinal, None, StepStatus.PENDING, None, None, step.fan_out
                )
                for step in steps
            }
            self._runs[run.key] = _Kept(run, rows)
        self._bell.ring(WORK)
        return self._shown(run)

    def claim(self, worker: str) -> Run | None:
        """As RunBook.claim."""
        with self._lock:
            for kept in self._runs.values():
                run = kept.run
                if run.status in AT_WORK and run.worker is None:
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
        now = stamp(self._clock.now())
        if result is not None and kept.run.status is Status.SUCCESS:
            kept.run = replace(kept.run, output=result.blob, output_name=result.name)
        kept.run = replace(kept.run, completed_on=now)
        for place, step in kept.steps.items():
            if not step.status.ended:
                ended = now if step.started_on else None
                kept.steps[place] = replace(step, status=StepStatus.CANCELED, completed_on=ended)
        if kept.discarded:
            del self._runs[kept.run.key]
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
                _moved(steps, run, move)
            kept.steps = steps
            for time_, severity, message in lines:
                kept.lines.append(LogLine(len(kept.lines) + 1, time_, severity, message))
        if lines:
            self._bell.ring(log_topic(run))

    def get(self, job: int, id: str) -> Run | None:
        """As RunBook.get."""
        with self._lock:
            runs = (kept.run for kept in self._runs.values())
            return next((self._shown(run) for run in runs if run.job == job and run.id == id), None)

    def by_key(self, run: int) -> Run | None:
        """As RunBook.by_key."""
        with self._lock:
            return self._shown(self._runs[run].run) if run in self._runs else None

    def newest(self, job: int, limit: int | None) -> Sequence[Run]:
        """As RunBook.newest."""
        with self._lock:
            runs = [
                kept.run for kept in self._runs.values() if kept.run.job == job and kept.run.parent is None
            ]
            return [replace(self._shown(run), plan=None) for run in runs[::-1][:limit]]

    def unfinished(self) -> Sequence[Run]:
        """As RunBook.unfinished."""
        with self._lock:
            return [self._shown(kept.run) for kept in self._runs.values() if not kept.run.status.ended]

    def steps(self, run: int) -> Sequence[StepRow]:
        """As RunBook.steps."""
        with self._lock:
            return [step for _, step in sorted(self._runs[run].steps.items())] if run in self._runs else []

    def lines(self, run: int, after: int = 0) -> Sequence[LogLine]:
        """As RunBook.lines."""
        with self._lock:
            return self._runs[run].lines[max(after, 0) :] if run in self._runs else []

    def wait(self, run: int, until: Callable[[Status], bool], seconds: float | None) -> Status:
        """As RunBook.wait."""

        def look() -> tuple[Status, bool]:
            status = self._find(run).run.status
            return status, until(status)

        return self._bell.watch(run_topic(run), look, seconds)

    def follow(self, run: int, after: int, seconds: float) -> Sequence[LogLine]:
        """As RunBook.follow."""

        def look() -> tuple[Sequence[LogLine], bool]:
            with self._lock:
                ended = self._find(run).run.status.ended
                lines = self.lines(run, after)
            return lines, ended or bool(lines)

        return self._bell.watch(log_topic(run), look, seconds)

    def wake(self, seen: int, seconds: float) -> int:
        """As RunBook.wake."""
        ticket = self._bell.ticket(WORK)
        if ticket.seen == seen:
            self._bell.wait(ticket, seconds)
        return self._bell.ticket(WORK).seen

    def enlist(self, worker: str, home: str, seconds: float) -> None:
        """As RunBook.enlist."""
        with self._lock:
            self._workers = {name: kept for name, kept in self._workers.items() if kept[0] != home}
            self._workers[worker] = (home, self._after(seconds))

    def beat(self, worker: str, seconds: float) -> bool:
        """As RunBook.beat."""
        with self._lock:
            if worker in self._workers:
                self._workers[worker] = (self._workers[worker][0], self._after(seconds))
            return worker in self._workers

    def retire(self, worker: str) -> None:
        """As RunBook.retire."""
        with self._lock:
            self._workers.pop(worker, None)
        self._bell.ring(WORK)

    def alive(self, worker: str) -> bool:
        """As RunBook.alive."""
        with self._lock:
            return worker in self._workers and self._workers[worker][1] >= self._after(0)

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
        ended = [
            run.status
            for run in self.newest(job, None)
            if run.trigger == "schedule" and run.status in (Status.FAILED, Status.SUCCESS)
        ]
        return len(list(itertools.takewhile(lambda status: status is Status.FAILED, ended)))

    def discard(self, job: int) -> None:
        """As RunBook.discard."""
        with self._lock:
            for key, kept in list(self._runs.items()):
                if kept.run.job != job:
                    continue
                if kept.run.status in AT_WORK:
                    kept.discarded = True
                    self.event(key, Event.CANCEL)
                else:
                    del self._runs[key]
                    self._revoke(key)
                    self._bell.ring(run_topic(key))

    def _find(self, run: int) -> _Kept:
        with self._lock:
            if run not in self._runs:
                raise gone(run)
            return self._runs[run]

    def _shown(self, run: Run) -> Run:
        owner, name, shortname = self._named(run.job)
        return replace(run, origin_owner=owner, origin=f"/u/{owner}/j/{name}", origin_shortname=shortname)

    def _after(self, seconds: float) -> str:
        return stamp(self._clock.now() + timedelta(seconds=seconds))


def _moved(steps: dict[tuple[int, int], StepRow], run: int, move: Move) -> None:
    """Move one row of a run's steps."""
    itself = next(
        (place for place, step in steps.items() if step.name == move.step and step.replica is None), None
    )
    if itself is not None:
        place = itself if move.replica is None else (itself[0], move.replica)
        step = steps.get(place)
        if step is None and move.status is StepStatus.PENDING:
            steps[place] = replace(steps[itself], replica=move.replica, status=move.status, started_on=None)
            return
        if step is None and move.status is StepStatus.RUNNING:
            step = replace(steps[itself], replica=move.replica, status=StepStatus.PENDING, started_on=None)
        if step is not None and move.status in MOVES[step.status]:
            running = move.status is StepStatus.RUNNING
            started = move.time if running else step.started_on
            completed = move.time if not running and started else None
            steps[place] = replace(step, status=move.status, started_on=started, completed_on=completed)
            return
    raise Conflict(f'The step "{move.step}" of run {run} cannot become {move.status} now.')
