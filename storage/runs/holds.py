"""The holds at which runs wait, and the spaces that are kept for them meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chains.language.ast import Phase
from chains.runs.book import Entry, Move, Run
from chains.runs.holds import Held, Parked
from chains.runs.states import Event, Status
from storage.database.database import Database
from storage.runs.rows import OPEN, WHOLE, run_of
from storage.runs.transitions import Turns
from vfs.ports.world import Clock, stamp

PARKINGS = (
    "SELECT h.space, r.job, r.caller FROM run r JOIN hold h ON h.run = r.key JOIN item i ON i.id = r.job"
    f" WHERE r.{OPEN}"
)


@dataclass(frozen=True, slots=True)
class Holds:
    """Holds in a database."""

    database: Database
    turns: Turns
    clock: Clock

    def park(
        self, run: int, step: str, phase: Phase, space: int, moves: Sequence[Move], lines: Sequence[Entry]
    ) -> Status:
        """As RunBook.park."""
        with self.database.atomic():
            status = self.turns.event(run, Event.HOLD, None, moves, lines)
            if status is Status.WAITING:
                self.database.run(
                    "INSERT INTO hold (run, step, phase, waiting_since, space) VALUES (?, ?, ?, ?, ?)",
                    run, step, phase, stamp(self.clock.now()), space,
                )  # fmt: skip
        return status

    def settle(self, run: int, event: Event, by: str, frozen: int | None) -> Status:
        """As RunBook.settle."""
        with self.database.atomic():
            status = self.turns.event(run, event, None, (), ())
            outcome = "continued" if event is Event.CONTINUE else "declined"
            self.database.run(
                "UPDATE hold SET settled_at = ?, outcome = ?, settled_by = ?, frozen = ?"
                " WHERE run = ? AND settled_at IS NULL",
                stamp(self.clock.now()), outcome, by, frozen, run,
            )  # fmt: skip
        return status

    def holds(self, run: int) -> Sequence[Held]:
        """As RunBook.holds."""
        rows = self.database.rows(
            "SELECT step, phase, waiting_since, settled_at, outcome, settled_by, space, frozen FROM hold"
            " WHERE run = ? ORDER BY waiting_since, step, phase",
            run,
        )
        return [Held(step, Phase(phase), *rest) for step, phase, *rest in rows]

    def parkings(self, owner: str | None) -> Sequence[Parked]:
        """As RunBook.parkings."""
        if owner is None:
            return [Parked(*row) for row in self.database.rows(f"{PARKINGS} ORDER BY h.space")]
        return [
            Parked(*row) for row in self.database.rows(f"{PARKINGS} AND i.owner = ? ORDER BY h.space", owner)
        ]

    def parked(self, space: int) -> Run | None:
        """As RunBook.parked."""
        row = self.database.row(f"{WHOLE} JOIN hold h ON h.run = r.key WHERE h.space = ?", space)
        return run_of(row) if row else None
