"""Child runs: the run inside a run that a composed step is, named and standing as its steps tell."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

from chains.runs.records import StepRow
from chains.runs.states import Status, StepStatus

PREFIX = len("20261121-074416-")


def child_id(run: str, step: str) -> str:
    """The id of the child run that the composed step is, inside the top-level run of that id."""
    return run[:PREFIX] + sha256(f"{run} {step}".encode()).hexdigest()[:8]


def inside(step: str, composed: str) -> bool:
    """Whether a step, or a line of the log that begins with it, belongs to a composed step."""
    return step.startswith(f"{composed}__")


def standing(steps: Iterable[StepRow], top: Status, now: str) -> tuple[Status, str | None, str | None]:
    """Status, start and completion of a child run, by its steps and the top-level run's status."""
    rows = [row for row in steps if row.replica is None]
    started = min((row.started_on for row in rows if row.started_on), default=None)
    states = {row.status for row in rows}
    if not all(state.ended for state in states):
        return (Status.FAILED if top.ended else top), started, None
    completed = max((row.completed_on for row in rows if row.completed_on), default=now)
    for state in (StepStatus.FAILED, StepStatus.CANCELED):
        if state in states:
            return Status(state), started, completed
    return Status.SUCCESS, started, completed
