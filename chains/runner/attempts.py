"""The attempts at the parts of a run: how many there were, and whether another follows."""

from __future__ import annotations

from collections import Counter

from chains.engine.port import Cause, Exit
from chains.plan.model import PlannedStep
from chains.runner.launch import Part

TRIED_AGAIN = frozenset({Cause.TIME, Cause.LOST})
"""Ends without an exit code of the step's own that are retried, too."""


class Attempts:
    """Counts the attempts at each part: a step, or a replica of it."""

    def __init__(self) -> None:
        self._failed: Counter[Part] = Counter()

    def number(self, part: Part) -> int:
        """Return the number of the part's present attempt, from 1."""
        return self._failed[part] + 1

    def wait(self, part: Part, step: PlannedStep, exit: Exit) -> float | None:
        """Count a failed attempt. Return the seconds until the next; None if no other follows."""
        config, number = step.config, self.number(part)
        is_retried = exit.cause in TRIED_AGAIN or (
            exit.cause is Cause.EXIT and config.retries_code(exit.code)
        )
        if number >= config.attempts or not is_retried:
            return None
        self._failed[part] += 1
        return config.wait_after(number)

    def of(self, part: Part, step: PlannedStep) -> str:
        """Return the number of an attempt after the first as words for the end of a sentence, or ""."""
        number = self.number(part)
        return f", in attempt {number} of {step.config.attempts}" if number > 1 else ""
