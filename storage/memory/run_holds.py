"""The holds at which runs wait, in a dictionary."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from chains.language.ast import Phase
from chains.runs.book import Entry, Move
from chains.runs.holds import Held
from chains.runs.states import Event, Status
from vfs.ports.world import Clock, stamp


class MemoryHolds:
    """The part of a book of runs that knows holds; `event` is the book's, `vacate` removes a space."""

    def __init__(self, clock: Clock, event: Callable[..., Status], vacate: Callable[[int], object]) -> None:
        self._clock = clock
        self._event = event
        self._vacate = vacate
        self.kept: dict[int, list[Held]] = {}

    def park(
        self, run: int, step: str, phase: Phase, space: int, moves: Sequence[Move], lines: Sequence[Entry]
    ) -> Status:
        """As RunBook.park."""
        status = self._event(run, Event.HOLD, None, moves, lines)
        if status is Status.WAITING:
            held = Held(step, phase, stamp(self._clock.now()), None, None, None, space, None)
            self.kept.setdefault(run, []).append(held)
        return status

    def settle(self, run: int, event: Event, by: str, frozen: int | None) -> Status:
        """As RunBook.settle."""
        status = self._event(run, event)
        outcome = "continued" if event is Event.CONTINUE else "declined"
        changed: dict[str, Any] = {"outcome": outcome, "settled_by": by, "frozen": frozen}
        self.kept[run] = [
            held if held.settled_at else replace(held, settled_at=stamp(self._clock.now()), **changed)
            for held in self.kept.get(run, [])
        ]
        return status

    def holds(self, run: int) -> Sequence[Held]:
        """As RunBook.holds."""
        return list(self.kept.get(run, []))

    def vacate(self, run: int) -> None:
        """Remove the spaces of a run that has ended."""
        for held in self.kept.get(run, []):
            for space in (held.space, held.frozen):
                if space is not None:
                    self._vacate(space)
