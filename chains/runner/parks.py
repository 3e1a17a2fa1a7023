"""Parking at a hold that may be asked for twice, as the answer of a database can be lost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from chains.plan.model import Hold
from chains.runner.journal import Journal
from chains.runs.ports import RunReader
from chains.runs.records import Entry, Move
from chains.runs.states import Status


@dataclass(slots=True)
class Parks:
    """Parks a run at a hold when it is called; called again, only when the first time was in vain."""

    runs: RunReader
    journal: Journal
    hold: Hold
    park: Callable[[Sequence[Move], Sequence[Entry]], Status]
    again: bool = False

    def __call__(self) -> Status:
        if self.again and self._is_done():
            self.journal.forget()
            return Status.WAITING
        self.again = True
        return self.journal.park(self.park)

    def _is_done(self) -> bool:
        """The answer of a database that ended may be lost although it did what it was told."""
        held = self.runs.holds(self.journal.run)
        return (self.hold.step, self.hold.phase) in {(one.step, one.phase) for one in held}
