"""Runs that a place lies in: their scope, when each was, how long it took, and how it stands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from chains.plan.model import headline, steps_named
from chains.runs.records import COMMAND, LogLine, Run, inside
from handlers.rules.kinds import States
from handlers.services.world import World
from handlers.trees.code.job_schedule import ENABLED, SCHEDULE, schedule_words
from vfs.context import Context
from vfs.errors import Gone
from vfs.nodes import Named
from vfs.param import Param

RUN: Param[Run] = Param("run")


def run_of(context: Context[World]) -> Run:
    """The run that a place lies in."""
    return context[RUN]


def belongs(run: Run, name: str) -> bool:
    """Whether a step, or a line that begins with it, is a run's own; of a child run those inside its step."""
    return run.parent_step is None or inside(name, run.parent_step)


def own_lines(run: Run, lines: Iterable[LogLine]) -> list[LogLine]:
    """The lines that the log of a run shows; of a child run the first one names its own steps alone."""
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
    """Raise Gone when the run's log and output are past their retention.

    Those of a child run go with the run that it is inside of.
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
    """The newest runs: created when they started, modified when they completed; how each stands."""
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


def shown_run(context: Context[World]) -> Named:
    """A run with its times, which are those of all that is told of it."""
    return _row(run_of(context))


def _row(run: Run, stands: Mapping[str, object] | None = None) -> Named:
    began = run.started_on or run.created_on
    return Named(run.id, began, run.completed_on or began, run, extra=stands)
