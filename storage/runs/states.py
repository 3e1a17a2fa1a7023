"""Changes of recorded runs: the status by compare-and-set, steps, holds, the log."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from chains.language.ast import Phase
from chains.runs.children import inside, standing
from chains.runs.records import Entry, Move, Result, RunEnd, lasted
from chains.runs.states import MOVES, Event, Status, StepStatus, turn
from storage.database.database import Database
from storage.runs.activity import StoredActivity
from storage.runs.reader import no_run
from storage.runs.rows import ITSELF, STEPS, step_of
from storage.runs.schedules import HOLD
from storage.runs.topics import WORK, log_topic, run_topic
from storage.signals.bell import Bell
from vfs.errors import Conflict
from vfs.ports.world import Clock, stamp

SCHEDULED = "schedule"
AT_WORK = (Status.PROCESSING, Status.CANCELING)

HELD = "(SELECT space FROM hold WHERE run = ? UNION SELECT frozen FROM hold WHERE run = ?)"
VACATE = (
    f"DELETE FROM share WHERE item IN {HELD}",
    f"DELETE FROM leaf WHERE item IN {HELD}",
    f"DELETE FROM item WHERE id IN {HELD}",
)

# What joins the names of a composed step and of a step inside it.
JOINT = "__"

_BEFORE = {
    to: ", ".join(f"'{status}'" for status, next_ones in MOVES.items() if to in next_ones)
    for to in StepStatus
}


@dataclass(frozen=True, slots=True)
class StoredRunStates:
    """chains.runs.ports.RunStates over a database.

    `revoke(run)` ends the credentials of a run and `ended` hears of its end, both within the caller's
    transaction.
    """

    database: Database
    bell: Bell
    clock: Clock
    revoke: Callable[[int], object]
    ended: Callable[[RunEnd], object]

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
                self.database.run("DELETE FROM run WHERE key = ? OR top = ?", run, run)
            elif end is not None:
                self.ended(end)
            if status is not before:
                self._stand(run, status)
                self._tell(run, before, status)
        return status

    def record(self, run: int, moves: Sequence[Move] = (), lines: Sequence[Entry] = ()) -> None:
        with self.database.atomic():
            row = self.database.rows(
                "UPDATE run SET lines = lines + ? WHERE key = ? RETURNING lines, status", len(lines), run
            )
            if not row:
                raise no_run(run)
            written, status = row[0]
            if moves and Status(status).ended:
                raise Conflict(
                    f"The run has ended {status}, so its steps do not move any more.", run_status=status
                )
            for move in moves:
                self._move(run, move)
            if any(JOINT in move.step for move in moves):
                self._stand(run, Status(status))
            if lines:
                self._append(run, written - len(lines), lines)

    def hold(
        self, run: int, step: str, phase: Phase, space: int, moves: Sequence[Move], lines: Sequence[Entry]
    ) -> Status:
        with self.database.atomic():
            status = self.event(run, Event.HOLD, None, moves, lines)
            if status is Status.WAITING:
                self.database.run(
                    "INSERT INTO hold (run, step, phase, waiting_since, space) VALUES (?, ?, ?, ?, ?)",
                    run, step, phase, stamp(self.clock.now()), space,
                )  # fmt: skip
        return status

    def settle(self, run: int, event: Event, by: str, frozen: int | None) -> Status:
        with self.database.atomic():
            status = self.event(run, event, None, (), ())
            outcome = "continued" if event is Event.CONTINUE else "declined"
            self.database.run(
                "UPDATE hold SET settled_at = ?, outcome = ?, settled_by = ?, frozen = ?"
                " WHERE run = ? AND settled_at IS NULL",
                stamp(self.clock.now()), outcome, by, frozen, run,
            )  # fmt: skip
        return status

    def _stand(self, run: int, status: Status) -> None:
        """Let the child runs stand as their steps tell."""
        children = self.database.rows("SELECT key, parent_step FROM run WHERE top = ?", run)
        rows = [step_of(row) for row in self.database.rows(STEPS, run)] if children else []
        for key, composed in children:
            steps = (row for row in rows if inside(row.name, composed))
            stood = standing(steps, status, stamp(self.clock.now()))
            self.database.run(
                "UPDATE run SET status = ?, started_on = ?, completed_on = ? WHERE key = ?", *stood, key
            )

    def _turn(self, run: int, event: Event) -> tuple[Status, Status, bool, RunEnd | None]:
        """The status before and after, compared and set, whether the run's job is gone, and what is told."""
        while True:
            row = self.database.row(
                "SELECT status, discarded, job, id, trigger, parent, created_on FROM run WHERE key = ?", run
            )
            if row is None:
                raise no_run(run)
            before = Status(row[0])
            status = turn(before, event)
            if self.database.run(
                "UPDATE run SET status = ? WHERE key = ? AND status = ?", status, run, before
            ):
                told = status.ended and row[5] is None
                if told and row[4] == SCHEDULED:
                    self.database.run(HOLD, row[2])
                if told and not row[1]:
                    StoredActivity(self.database).ended(row[2], status, row[6])
                end = RunEnd(run, row[2], row[3], row[4], status) if told else None
                return before, status, bool(row[1]), end

    def _let_go(self, run: int, status: Status, result: Result | None) -> None:
        """Nobody works on the run any more: it has ended, or it waits."""
        self.revoke(run)
        if not status.ended:
            self.database.run("UPDATE run SET worker = NULL WHERE key = ?", run)
            return
        for statement in VACATE:
            self.database.run(statement, run, run)
        ended = self.clock.now()
        now = stamp(ended)
        kept = result if status is Status.SUCCESS else None
        blob = kept.blob if kept else None
        ((started,),) = self.database.rows("SELECT started_on FROM run WHERE key = ?", run)
        self.database.run(
            "UPDATE run SET completed_on = ?, duration = ?, digest = ?, size = ?, media = ?, output_name = ?"
            " WHERE key = ?",
            now, lasted(started, ended), blob and blob.digest, blob and blob.size, blob and blob.media,
            kept and kept.name, run,
        )  # fmt: skip
        self.database.run(
            "UPDATE step SET status = 'canceled',"
            " completed_on = CASE WHEN started_on IS NULL THEN NULL ELSE CAST(? AS TEXT) END"
            " WHERE run = ? AND status IN ('pending', 'running')",
            now, run,
        )  # fmt: skip

    def _tell(self, run: int, before: Status, status: Status) -> None:
        self.bell.ring(run_topic(run))
        # Of a run that waited and ends, a runner still has the folder.
        if status in AT_WORK or before is Status.WAITING:
            self.bell.ring(WORK)
        if status.ended:
            self.bell.ring(log_topic(run))

    def _move(self, run: int, move: Move) -> None:
        started = move.time if move.status is StepStatus.RUNNING else None
        if move.status is StepStatus.PENDING:
            if move.replica is None or not self._add_replica(run, move, None):
                raise Conflict(f'The step "{move.step}" of run {run} has that replica already.')
            return
        completed = None if started else move.time
        replica = ITSELF if move.replica is None else move.replica
        moved = self.database.run(
            "UPDATE step SET status = ?, started_on = coalesce(started_on, ?),"
            " completed_on = CASE WHEN started_on IS NULL THEN NULL ELSE CAST(? AS TEXT) END"
            f" WHERE run = ? AND name = ? AND replica = ? AND status IN ({_BEFORE[move.status]})",
            move.status, started, completed, run, move.step, replica,
        )  # fmt: skip
        if moved or (started and replica != ITSELF and self._add_replica(run, move, started)):
            return
        raise Conflict(f'The step "{move.step}" of run {run} cannot become {move.status} now.')

    def _add_replica(self, run: int, move: Move, started: str | None) -> bool:
        """A replica's row, beside the one of its step."""
        added = self.database.run(
            "INSERT INTO step (run, ordinal, replica, name, status, started_on, fan_out)"
            " SELECT run, ordinal, CAST(? AS BIGINT), name, CAST(? AS TEXT), CAST(? AS TEXT), fan_out"
            " FROM step WHERE run = ? AND name = ? AND replica = -1 ON CONFLICT DO NOTHING",
            move.replica, move.status, started, run, move.step,
        )  # fmt: skip
        return bool(added)

    def _append(self, run: int, after: int, lines: Sequence[Entry]) -> None:
        rows: list[tuple[Any, ...]] = [
            (run, after + number, time, severity, message.replace("\0", "\N{REPLACEMENT CHARACTER}"))
            for number, (time, severity, message) in enumerate(lines, 1)
        ]
        self.database.many(
            "INSERT INTO run_line (run, seq, time, severity, message) VALUES (?, ?, ?, ?, ?)", rows
        )
        self.bell.ring(log_topic(run))
