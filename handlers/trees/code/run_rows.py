"""Rows of runs: when each was, how long it took, and how it stands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from chains.runs.records import Run
from handlers.rules.kinds import States
from handlers.services.world import World
from handlers.trees.code.job_schedule import ENABLED, SCHEDULE, schedule_words
from handlers.trees.code.run_scope import run_of
from vfs.nodes import Named
from vfs.place import Place

NEWEST = 30


def newest(place: Place[World]) -> Iterator[Named]:
    """The newest runs: created when they started, modified when they completed; how each stands."""
    now = place.world.clock.now()
    for run in place.world.code.runs.reader.newest(place.here.id, NEWEST):
        stands = {
            "status": str(run.status),
            "trigger": run.trigger,
            "source": run.source,
            "created_by": run.by,
            "started_on": run.started_on,
            "duration": duration(run, now),
        }
        yield _row(run, stands)


def job_states(world: World, jobs: Sequence[int]) -> States:
    """The schedules of jobs in words ("" where no clock runs them), and their runs, newest first."""
    now = world.clock.now()
    found = world.code.runs.reader.newest_of(jobs, NEWEST)
    texts = world.leaves.texts_of(jobs, (SCHEDULE, ENABLED))
    return {
        job: {
            "schedule": schedule_words(texts.get(job, {})),
            "runs": [
                {
                    "id": run.id,
                    "status": str(run.status),
                    "started_on": run.started_on,
                    "duration": seconds_between(run.started_on, run.completed_on, now),
                }
                for run in found.get(job, ())
            ],
        }
        for job in jobs
    }


def duration(run: Run, now: datetime) -> float | None:
    """Seconds with two decimals; so far while it runs; None when it never started."""
    return seconds_between(run.started_on, run.completed_on, now)


def seconds_between(started_on: str | None, completed_on: str | None, now: datetime) -> float | None:
    """Seconds between two stamps, the second being now while it is None."""
    if started_on is None:
        return None
    end = datetime.fromisoformat(completed_on) if completed_on else now
    return round(max((end - datetime.fromisoformat(started_on)).total_seconds(), 0.0), 2)


def shown_run(place: Place[World]) -> Named:
    """A run with its times, which are those of all that is told of it."""
    return _row(run_of(place))


def _row(run: Run, stands: Mapping[str, object] | None = None) -> Named:
    began = run.started_on or run.created_on
    return Named(run.id, began, run.completed_on or began, run, extra=stands)
