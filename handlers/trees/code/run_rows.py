"""The run of a context: its scope, times, duration and status."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from chains.plan.model import headline, steps_named
from chains.runs.records import COMMAND, LogLine, Run, inside
from chains.schedules.timetable import SCHEDULE
from handlers.rules.kinds import States
from handlers.services.runs.run_ends import ENABLED
from handlers.services.world import World
from handlers.trees.facets.schedule import schedule_words
from vfs.context import Context
from vfs.errors import Gone
from vfs.nodes import Named
from vfs.param import Param

RUN: Param[Run] = Param("run")


def run_of(context: Context[World]) -> Run:
    """Return the run of a context."""
    return context[RUN]


def belongs(run: Run, name: str) -> bool:
    """Return whether a step or log line belongs to a run; for a child run, whether it is inside its step."""
    return run.parent_step is None or inside(name, run.parent_step)


def own_lines(run: Run, lines: Iterable[LogLine]) -> list[LogLine]:
    """Return the lines that a run's log shows; a child run's first line names only its own steps."""
    own = []
    for line in lines:
        if line.severity == COMMAND:
            continue
        if belongs(run, line.message):
            own.append(line)
        elif names := [name for name in steps_named(line.message) if belongs(run, name)]:
            own.append(replace(line, message=headline(names)))
    return own


def require_kept(context: Context[World], run: Run, what: str) -> None:
    """Raise Gone when the run's log and output are older than the retention period.

    Those of a child run are kept as long as its top-level run.
    """
    whole = context.world.code.runs.reader.by_key(run.top) if run.top is not None else run
    limit = context.world.clock.now() - timedelta(days=context.world.service.settings.retention_days)
    if whole is not None and (whole.expired or _before(whole.completed_on, limit)):
        raise Gone(
            f"the {what} of a run is kept for {context.world.service.settings.retention_days} days; "
            "its status, stats and description are still there",
            run=run.id,
            run_status=str(run.status),
        )


def _before(completed_on: str | None, limit: datetime) -> bool:
    return completed_on is not None and datetime.fromisoformat(completed_on) < limit


NEWEST = 30


def newest(context: Context[World]) -> Iterator[Named]:
    """Yield the newest runs with their status: created at their start, modified at their end."""
    now = context.world.clock.now()
    for run in context.world.code.runs.reader.newest(context.here.id, NEWEST):
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
    """Return the schedules of jobs in words ("" if off or none), and their runs, newest first."""
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
    """Return seconds with two decimals, up to now for an active run; None if it never started."""
    return seconds_between(run.started_on, run.completed_on, now)


def seconds_between(started_on: str | None, completed_on: str | None, now: datetime) -> float | None:
    """Return seconds between two stamps, up to now if the second is None."""
    if started_on is None:
        return None
    end = datetime.fromisoformat(completed_on) if completed_on else now
    return round(max((end - datetime.fromisoformat(started_on)).total_seconds(), 0.0), 2)


def shown_run(context: Context[World]) -> Named:
    """Return a run with its times, which all its files share."""
    return _row(run_of(context))


def _row(run: Run, stands: Mapping[str, object] | None = None) -> Named:
    began = run.started_on or run.created_on
    return Named(run.id, began, run.completed_on or began, run, extra=stands)
