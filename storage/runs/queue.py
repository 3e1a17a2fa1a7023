"""The queue of runs over a database: submitting and taking runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import peewee

from chains.plan.model import Plan
from chains.runs.ports import Rank, alike
from chains.runs.records import (
    EarlierRun,
    KeptInput,
    Order,
    Run,
    RunTurn,
    child_id,
    ignore_run,
    ignore_turn,
    inside,
)
from chains.runs.states import Overlap, Status, StepStatus
from storage.database.bulk import several
from storage.database.database import Database
from storage.database.store import DatedStore
from storage.runs.activity import StoredActivity
from storage.runs.reader import find_run
from storage.runs.rows import ITSELF, OPEN, WORK, plan_text
from storage.runs.turns import TurnQueue
from storage.signals.change_signal import ChangeSignal
from vfs.errors import Conflict, Gone
from vfs.ports.clock import Clock

_SUBMIT = (
    "INSERT INTO run (job, id, shortname, status, trigger, source, caller, created_on, completed_on, input,"
    " claim, author, lines, discarded, spaces, plan, input_text, input_digest, input_size, tally, files,"
    " behind, alone)"
    " VALUES ? RETURNING shortname, key"
)
_CHILD = (
    "INSERT INTO run (job, id, shortname, status, trigger, source, caller, created_on, started_on,"
    " completed_on, lines, discarded, author, spaces, parent, parent_step, top)"
    " VALUES (:job, :id, :name, :status, :trigger, :source, :by, :now, :ended, :ended, 0, FALSE,"
    " :author, :spaces, :parent, :step, :top) RETURNING key"
)
_STEP = (
    "INSERT INTO step (run, ordinal, replica, name, status, fan_out)"
    f" VALUES (:run, :ordinal, {ITSELF}, :name, '{StepStatus.PENDING}', :fan_out)"
)

_LOCK_BASE = "UPDATE run SET lines = lines WHERE key = :base AND expired_on IS NULL"
_USE = f"""
UPDATE step SET status = 'success', started_on = :now, completed_on = :now, tally = b.tally, files = b.files,
    output_of = coalesce(b.output_of, :id)
FROM (SELECT name, tally, files, output_of FROM step
    WHERE run = :base AND replica = {ITSELF} AND status = 'success') b
WHERE step.run = :run AND step.replica = {ITSELF} AND step.name = b.name AND b.name = :name"""
_PASS = """
INSERT INTO hold (run, step, phase, waiting_since, settled_at, outcome, settled_by)
SELECT CAST(:run AS BIGINT), step, phase, waiting_since, settled_at, outcome, settled_by FROM hold
WHERE run = :base AND step = :step AND phase = :phase AND outcome = 'continued'"""
# An earlier run of the job that has not ended. No run with a lower key is added later: see `lock`.
_EARLIER = f"SELECT 1 FROM run o WHERE o.{OPEN} AND o.top IS NULL AND o.job = run.job AND o.key < run.key"
# Begins as in the index `run_queue`, so that it is used.
TURNS = TurnQueue(
    "run",
    "key",
    "caller",
    "status IN ('processing', 'canceling') AND worker IS NULL AND top IS NULL"
    f" AND (NOT alone OR status = 'canceling' OR NOT EXISTS ({_EARLIER}))",
)
# Keys of other advisory locks are positive, so those of jobs are negative.
_LOCK = "SELECT pg_advisory_xact_lock(-:job)"
_TAKE = (
    "UPDATE run SET worker = :worker,"
    " started_on = CASE WHEN status = 'processing' THEN coalesce(started_on, :now) ELSE started_on END"
    " WHERE key = ({}) AND worker IS NULL RETURNING key"
)
CANCELING = f"SELECT key FROM run WHERE {OPEN} AND worker = :worker AND status = 'canceling' ORDER BY key"


class StoredRunQueue(DatedStore):
    """chains.runs.ports.RunQueue over a database.

    `fresh(count)` returns unused shortnames. `turned` is called with each new run within its transaction,
    `began` with each run that a runner takes for the first time.
    """

    def __init__(
        self,
        database: Database,
        change_signal: ChangeSignal,
        clock: Clock,
        fresh: Callable[[int], Sequence[str]],
        turned: Callable[[RunTurn], object] = ignore_turn,
        began: Callable[[Run], object] = ignore_run,
    ) -> None:
        super().__init__(database, clock)
        self._turned = turned
        self._began = began
        self._change_signal = change_signal
        self._fresh = fresh

    def submit(self, order: Order, status: Status = Status.PROCESSING) -> Run:
        (key,) = self._enter([order], status)
        return find_run(self._database, key)

    def submit_all(self, orders: Sequence[Order]) -> None:
        self._enter(orders, Status.PROCESSING)

    def _enter(self, orders: Sequence[Order], status: Status) -> Sequence[int]:
        try:
            with self._database.atomic():
                keys = self._insert(orders, status, self._now())
                self._change_signal.signal(WORK)
                for order in orders:
                    self._turned(RunTurn(order.job, order.id, order.by, status))
        except peewee.IntegrityError as error:
            raise Conflict("The job has a run of that id already; trigger it again.") from error
        return keys

    def _insert(self, orders: Sequence[Order], status: Status, now: str) -> Sequence[int]:
        names = self._fresh(len(orders))
        rows = [
            (
                order.job, order.id, name, status, order.trigger, order.source, order.by, now,
                now if status.ended else None, order.input, order.claim, order.author, 0, False, order.spaces,
                plan_text(order.plan), *_kept_cells(order.kept), order.tally,
                order.files, json.dumps(dict(order.behind)), order.overlap is not Overlap.ALLOW,
            )
            for order, name in zip(orders, names, strict=True)
        ]  # fmt: skip
        entered: dict[str, int] = dict(several(self._database, _SUBMIT, rows))
        keys = [entered[name] for name in names]
        for trigger in {order.trigger for order in orders}:
            jobs = [order.job for order in orders if order.trigger == trigger]
            StoredActivity(self._database).count_start(jobs, trigger, now)
        planned = [(key, order, order.plan) for key, order in zip(keys, orders, strict=True) if order.plan]
        steps = [
            {"run": key, "ordinal": step.ordinal, "name": step.name, "fan_out": step.fan_out}
            for key, _, plan in planned
            for step in plan.steps
        ]
        self._database.many(_STEP, steps)
        for key, order, plan in planned:
            self._insert_children(key, order, plan, now)
            if order.base is not None:
                self._use(key, order.base, now)
        return keys

    def _use(self, run: int, base: EarlierRun, now: str) -> None:
        """Set steps of a new run to succeeded, with the outputs of another run."""
        if not self._database.run(_LOCK_BASE, base=base.key):
            raise Gone(f"The outputs of the run {base.id} were removed with its log: trigger the job again.")
        for name in base.steps:
            self._database.run(_USE, run=run, base=base.key, id=base.id, name=name, now=now)
        for step, phase in base.holds:
            self._database.run(_PASS, run=run, base=base.key, step=step, phase=phase)

    def _insert_children(self, top: int, order: Order, plan: Plan, now: str) -> None:
        keys: dict[str | None, int] = {None: top}
        names, used = self._fresh(len(plan.composed)), set(order.base.steps if order.base else ())
        for step, name in zip(plan.composed, names, strict=True):
            of_order = {"trigger": order.trigger, "source": order.source, "by": order.by}
            of_step = {"job": step.job_item, "author": step.author, "spaces": step.spaces, "step": step.name}
            of_run = {"id": child_id(order.id, step.name), "name": name, "parent": keys[step.parent]}
            done = used.issuperset(one.name for one in plan.steps if inside(one.name, step.name))
            stands = {"status": Status.SUCCESS if done else Status.PROCESSING, "ended": now if done else None}
            keys[step.name] = self._database.value(
                _CHILD, **of_order, **of_step, **of_run, **stands, now=now, top=top
            )

    def lock(self, job: int) -> None:
        # In SQLite a transaction locks the whole database.
        if self._database.dialect == "postgresql":
            self._database.rows(_LOCK, job=job)

    def take(self, worker: str, rank: Rank = alike) -> Run | None:
        for queued, key in TURNS.waiting(self._database, rank):
            now = self._now()
            with self._database.atomic():
                if self._database.value(_TAKE.format(queued), worker=worker, key=key, now=now) is not None:
                    run = find_run(self._database, key)
                    if run.started_on == now:
                        self._began(run)
                    return run
        return None

    def canceling(self, worker: str) -> Sequence[int]:
        return [key for (key,) in self._database.rows(CANCELING, worker=worker)]

    def await_work(self, seen: int, seconds: float) -> int:
        return self._change_signal.waiting(WORK, seen, seconds, self._database.idle)


def _kept_cells(kept: KeptInput | None) -> tuple[str | None, str | None, int]:
    """Return the columns of a kept input: its text, or the digest of its files, and the size in bytes."""
    if kept is None:
        return None, None, 0
    if kept.files is not None:
        return None, kept.files.digest, kept.files.size
    text = kept.text or ""
    return text, None, len(text.encode())
