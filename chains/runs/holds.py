"""Holds that runs came to, as recorded, and the spaces with their files."""

from __future__ import annotations

from dataclasses import dataclass

from chains.language.ast import Phase


@dataclass(frozen=True, slots=True)
class RunHold:
    """A hold that a run came to. `outcome`: `continued` or `declined`, None while it waits.

    `space`: the item that keeps its files. `frozen`: the item with the files with which it was continued.
    """

    step: str
    phase: Phase
    waiting_since: str
    settled_at: str | None
    outcome: str | None
    settled_by: str | None
    space: int
    frozen: int | None


@dataclass(frozen=True, slots=True)
class HoldSpace:
    """A space with the files of a run that has not ended: `job` is the run's job, `by` who triggered it."""

    space: int
    job: int
    by: str
