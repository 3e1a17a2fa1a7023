"""The reason why a run failed, from its log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chains.plan.model import steps_named
from chains.runs.records import ATTEMPT, ERROR, REPEATED

LAST_LINES = 10
LONGEST_LINE = 500


@dataclass(frozen=True, slots=True)
class RunFailure:
    """The message of a failure, and the last lines that the failed part printed."""

    reason: str
    printed: tuple[str, ...] = ()

    def tells_of(self, step: str) -> bool:
        """Return whether this is the failure of a step, or of a replica of it."""
        return self.reason.startswith((f"{step}: ", f"{step}["))


def failure_of(lines: Sequence[tuple[str, str]]) -> RunFailure:
    """Return why a run failed, from the (severity, message) lines of its log.

    The last error is the reason. Lines of the failed part begin with its name, or are those that the runner
    repeated. The lines of the plan at the start look similar, but were not printed by steps.
    """
    at = next((context for context in reversed(range(len(lines))) if lines[context][0] == ERROR), None)
    if at is None:
        return RunFailure(lines[-1][1] if lines else "its log is empty")
    reason = lines[at][1]
    part, mark, _ = reason.partition(": ")
    printed: list[str] = []
    planned = len(steps_named(lines[0][1]))
    for _severity, message in reversed(lines[1 + planned if planned else 0 : at]):
        if len(printed) == LAST_LINES:
            break
        if not mark or not message.startswith(f"{part}: "):
            continue
        text = message.removeprefix(f"{part}: ")
        if ATTEMPT.fullmatch(text):
            break
        if text == REPEATED:
            printed = [one.removeprefix("  ") for one in printed]
            break
        printed.append(text[:LONGEST_LINE])
    return RunFailure(reason, tuple(reversed(printed)))
