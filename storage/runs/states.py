"""Changes of recorded runs: the status by compare-and-set, steps, holds, the log."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from chains.language.ast import Phase
from chains.runs.records import (
    Entry,
    Move,
    Reasons,
    Result,
    RunEnd,
    RunTurn,
    child_state,
    duration_of,
    ignore_turn,
    inside,
)
from chains.runs.states import MOVES, Event, Status, StepStatus, turn
from storage.database.database import Database
from storage.runs.activity import StoredActivity
from storage.runs.reader import no_run
from storage.runs.rows import ITSELF, STEP, STEPS, WORK, log_topic, run_topic
from storage.runs.schedules import LOCK_SCHEDULE
from storage.signals.change_signal import ChangeSignal
from storage.tree.quotas import LINE
from vfs.errors import Conflict
from vfs.ports.clock import Clock, stamp

SCHEDULED = "schedule"
AT_WORK = (Status.PROCESSING, Status.CANCELING)

HELD = "(SELECT space FROM hold WHERE run = :run UNION SELECT frozen FROM hold WHERE run = :run)"
VACATE = (
    f"DELETE FROM share WHERE item IN {HELD}",
    f"DELETE FROM leaf WHERE item IN {HELD}",
    f"DELETE FROM item WHERE id IN {HELD}",
)
PARK = """
INSERT INTO hold (run, step, phase, waiting_since, space) VALUES (:run, :step, :phase, :now, :space)"""
SETTLE = """
UPDATE hold SET settled_at = :now, outcome = :outcome, settled_by = :by, frozen = :frozen
WHERE run = :run AND settled_at IS NULL"""
COUNT_LINES = """
UPDATE run SET lines = lines + :count, log_size = log_size + :octets WHERE key = :run
RETURNING lines, status"""
APPEND = """
INSERT INTO run_line (run, seq, time, severity, message) VALUES (:run, :seq, :time, :severity, :message)"""
CHILDREN = "SELECT key, parent_step FROM run WHERE top = :run"
SET_CHILD = """
UPDATE run SET status = :status, started_on = :started_on, completed_on = :completed_on WHERE key = :run"""
BEFORE = "SELECT status, discarded, job, id, trigger, parent, created_on, caller FROM run WHERE key = :run"
TURN = "UPDATE run SET status = :to WHERE key = :run AND status = :before"
KEEP = "UPDATE run SET lines = lines WHERE key = :run"
BEHIND = "SELECT behind FROM run WHERE key = :run"
ADD_BEHIND = "UPDATE run SET behind = :behind WHERE key = :run AND behind IS NOT NULL"
FORGET = "DELETE FROM run WHERE key = :run OR top = :run"
BLOCKED = """
SELECT 1 FROM run WHERE job = :job AND status = 'processing' AND worker IS NULL AND top IS NULL AND alone
LIMIT 1"""
RELEASE = "UPDATE run SET worker = NULL WHERE key = :run"
STARTED = "SELECT started_on FROM run WHERE key = :run"
COMPLETE = """
UPDATE run SET completed_on = :now, duration = :duration, digest = :digest, size = :size, media = :media,
    output_name = :name
WHERE key = :run"""
KEEP_OUTPUT = f"""
UPDATE step SET tally = :tally, files = :files
WHERE run = :run AND name = :step AND replica = {ITSELF} AND status = 'success'"""
CANCEL_STEPS = """
UPDATE step SET status = 'canceled',
    completed_on = CASE WHEN started_on IS NULL THEN NULL ELSE CAST(:now AS TEXT) END
WHERE run = :run AND status IN ('pending', 'running')"""
TRY_AGAIN = """
UPDATE step SET attempt = :attempt
WHERE run = :run AND name = :step AND replica = :replica AND status = 'running'"""
ADD_REPLICA = f"""
INSERT INTO step (run, ordinal, replica, name, status, started_on, fan_out)
SELECT run, ordinal, CAST(:replica AS BIGINT), name, CAST(:status AS TEXT), CAST(:started_on AS TEXT), fan_out
FROM step WHERE run = :run AND name = :step AND replica = {ITSELF} ON CONFLICT DO NOTHING"""
MOVE = {
    to: f"""
UPDATE step SET status = :status, started_on = coalesce(started_on, :started_on),
    completed_on = CASE WHEN started_on IS NULL THEN NULL ELSE CAST(:completed_on AS TEXT) END,
    tally = coalesce(CAST(:tally AS TEXT), tally), files = coalesce(CAST(:files AS TEXT), files)
WHERE run = :run AND name = :step AND replica = :replica
    AND status IN ({", ".join(f"'{status}'" for status, after in MOVES.items() if to in after)})"""
    for to in StepStatus
    if to is not StepStatus.PENDING
}

# Separator between the names of a composed step and of a step inside it.
JOINT = "__"


@dataclass(frozen=True, slots=True)
class StoredRunStates:
    """chains.runs.ports.RunStates over a database.

    `revoke(run)` ends the credentials of a run, `ended` is notified of its end and `turned` of each other
    status, all within the caller's transaction.
    """

    database: Database
    change_signal: ChangeSignal
    clock: Clock
    revoke: Callable[[int], object]
    ended: Callable[[RunEnd], object]
    turned: Callable[[RunTurn], object] = ignore_turn

    def event(
        self,
        run: int,
        event: Event,
        result: Result | None = None,
        moves: Sequence[Move] = (),
        lines: Sequence[Entry] = (),
    ) -> Status:
        with self.database.atomic():
            if moves or lines:
                self.record(run, moves, lines)
            before, status, discarded, end = self._turn(run, event)
            if status not in AT_WORK:
                self._let_go(run, status, result)
            if status.ended and discarded:
                self.database.run(FORGET, run=run)
            elif end is not None:
                self.ended(end)
            # Any runner may take the next run, not only that of this one.
            if end is not None and self.database.row(BLOCKED, job=end.job):
                self.change_signal.signal(WORK)
            if status is not before:
                self._set_children(run, status)
                self._tell(run, before, status)
        return status

    def record(self, run: int, moves: Sequence[Move] = (), lines: Sequence[Entry] = ()) -> None:
        with self.database.atomic():
            octets = sum(LINE + len(message.encode()) for _, _, message in lines)
            # Outputs are kept as long as the log, and counted with it.
            octets += sum(move.kept for move in moves if move.kept is not None)
            row = self.database.row(COUNT_LINES, count=len(lines), octets=octets, run=run)
            if not row:
                raise no_run(run)
            written, status = row
            if moves and Status(status).ended:
                raise Conflict(
                    f"The run has ended {status}, so its steps do not move any more.", run_status=status
                )
            for move in moves:
                self._move(run, move)
            if any(JOINT in move.step for move in moves):
                self._set_children(run, Status(status))
            if lines:
                self._append(run, written - len(lines), lines)

    def add_behind(self, run: int, reasons: Reasons) -> None:
        with self.database.atomic():
            self.database.run(KEEP, run=run)
            known = json.loads(self.database.value(BEHIND, run=run) or "{}")
            if not reasons.keys() <= known.keys():
                self.database.run(ADD_BEHIND, run=run, behind=json.dumps({**reasons, **known}))

    def hold(
        self, run: int, step: str, phase: Phase, space: int, moves: Sequence[Move], lines: Sequence[Entry]
    ) -> Status:
        with self.database.atomic():
            status = self.event(run, Event.HOLD, None, moves, lines)
            if status is Status.WAITING:
                now = stamp(self.clock.now())
                self.database.run(PARK, run=run, step=step, phase=phase, now=now, space=space)
        return status

    def settle(self, run: int, event: Event, by: str, frozen: int | None) -> Status:
        with self.database.atomic():
            status = self.event(run, event, None, (), ())
            outcome = "continued" if event is Event.CONTINUE else "declined"
            answer = {"outcome": outcome, "by": by, "frozen": frozen}
            self.database.run(SETTLE, run=run, now=stamp(self.clock.now()), **answer)
        return status

    def _set_children(self, run: int, status: Status) -> None:
        """Set the status of the child runs from their steps."""
        children = self.database.rows(CHILDREN, run=run)
        rows = self.database.all(STEP, STEPS, run=run) if children else []
        for key, composed in children:
            steps = (row for row in rows if inside(row.name, composed))
            state, started, completed = child_state(steps, status, stamp(self.clock.now()))
            self.database.run(SET_CHILD, status=state, started_on=started, completed_on=completed, run=key)

    def _turn(self, run: int, event: Event) -> tuple[Status, Status, bool, RunEnd | None]:
        """Change the status. Return the old and new one, whether the job is gone, and the run's end."""
        while True:
            row = self.database.row(BEFORE, run=run)
            if row is None:
                raise no_run(run)
            known, discarded, job, id, trigger, parent, created_on, by = row
            before = Status(known)
            status = turn(before, event)
            if not self.database.run(TURN, to=status, run=run, before=before):
                continue
            if status is not before and parent is None and not discarded:
                self.turned(RunTurn(job, id, by, status))
            if not status.ended or parent is not None:
                return before, status, bool(discarded), None
            if trigger == SCHEDULED:
                self.database.run(LOCK_SCHEDULE, job=job)
            if not discarded:
                StoredActivity(self.database).count_end(job, status, created_on)
            return before, status, bool(discarded), RunEnd(run, job, id, trigger, status)

    def _let_go(self, run: int, status: Status, result: Result | None) -> None:
        """Release the run from its worker: it has ended, or it waits."""
        self.revoke(run)
        if not status.ended:
            self.database.run(RELEASE, run=run)
            return
        for statement in VACATE:
            self.database.run(statement, run=run)
        ended = self.clock.now()
        kept = result if status is Status.SUCCESS else None
        blob = kept.blob if kept else None
        took = duration_of(self.database.value(STARTED, run=run), ended)
        self.database.run(
            COMPLETE, run=run, now=stamp(ended), duration=took,
            digest=blob and blob.digest, size=blob and blob.size, media=blob and blob.media,
            name=kept and kept.name,
        )  # fmt: skip
        self.database.run(CANCEL_STEPS, run=run, now=stamp(ended))

    def _tell(self, run: int, before: Status, status: Status) -> None:
        self.change_signal.signal(run_topic(run))
        # A runner still has the folder of a run that waited and has now ended.
        if status in AT_WORK or before is Status.WAITING:
            self.change_signal.signal(WORK)
        if status.ended:
            self.change_signal.signal(log_topic(run))

    def _move(self, run: int, move: Move) -> None:
        started = move.time if move.status is StepStatus.RUNNING else None
        if move.status is StepStatus.PENDING:
            if move.replica is None or not self._add_replica(run, move, None):
                raise Conflict(f'The step "{move.step}" of run {run} has that replica already.')
            return
        if move.kept is not None:
            self.database.run(KEEP_OUTPUT, run=run, step=move.step, tally=move.tally, files=move.files)
            return
        completed = None if started else move.time
        replica = ITSELF if move.replica is None else move.replica
        if move.attempt is not None:
            part = {"step": move.step, "replica": replica, "attempt": move.attempt}
            if not self.database.run(TRY_AGAIN, run=run, **part):
                raise Conflict(f'The step "{move.step}" of run {run} does not run, so it is not tried again.')
            return
        moved = self.database.run(
            MOVE[move.status], run=run, step=move.step, replica=replica, status=move.status,
            started_on=started, completed_on=completed, tally=move.tally,
            files=move.files,
        )  # fmt: skip
        if moved or (started and replica != ITSELF and self._add_replica(run, move, started)):
            return
        raise Conflict(f'The step "{move.step}" of run {run} cannot become {move.status} now.')

    def _add_replica(self, run: int, move: Move, started: str | None) -> bool:
        """Insert the row of a replica, with values from that of its step. Return whether it is new."""
        replica = {"step": move.step, "replica": move.replica, "status": move.status}
        return bool(self.database.run(ADD_REPLICA, run=run, **replica, started_on=started))

    def _append(self, run: int, after: int, lines: Sequence[Entry]) -> None:
        rows = [
            {"run": run, "seq": after + number, "time": time, "severity": severity,
             "message": message.replace("\0", "\N{REPLACEMENT CHARACTER}")}
            for number, (time, severity, message) in enumerate(lines, 1)
        ]  # fmt: skip
        self.database.many(APPEND, rows)
        self.change_signal.signal(log_topic(run))
