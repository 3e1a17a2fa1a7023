"""A hold that a run came to, as recorded."""

from __future__ import annotations

from dataclasses import dataclass

from chains.steps import Phase


@dataclass(frozen=True, slots=True)
class Held:
    """A hold that a run came to. `outcome` is `continued` or `declined`, None while it waits.

    `space` is the item that its files are parked in, `frozen` the one with what that held when it was
    continued.
    """

    step: str
    phase: Phase
    waiting_since: str
    settled_at: str | None
    outcome: str | None
    settled_by: str | None
    space: int
    frozen: int | None
