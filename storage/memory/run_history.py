"""The history of a job's runs, in a dictionary."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from chains.runs.book import Past, Run
from chains.runs.records import lasted


@dataclass(frozen=True, slots=True)
class MemoryHistory:
    """`newest(job, None)` tells a job's runs, newest first."""

    newest: Callable[[int, int | None], Sequence[Run]]

    def past(self, job: int, before: int | None, most: int) -> Sequence[Past]:
        """As RunBook.past."""
        runs = [run for run in self.newest(job, None) if before is None or run.key < before]
        return [_past(run) for run in runs[:most]]

    def version(self, job: int) -> str | None:
        """As RunBook.version."""
        runs = self.newest(job, None)
        going = [run for run in runs if not run.status.ended]
        if any(run.started_on is not None for run in going):
            return None
        return f"{job}.{runs[0].key if runs else ''}.{'.'.join(str(run.key) for run in going)}"


def _past(run: Run) -> Past:
    ended = run.completed_on and datetime.fromisoformat(run.completed_on)
    took = lasted(run.started_on, ended) if ended else None
    began = run.started_on or run.created_on
    return (run.key, run.id, began, run.trigger, run.by, took, str(run.status), run.started_on)
