"""The run that a place lies in: which steps and lines are its own, and whether its log is still kept."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from chains.plan.model import headline, steps_named
from chains.runs.children import inside
from chains.runs.records import COMMAND, LogLine, Run
from handlers.services.world import World
from vfs.errors import Gone
from vfs.param import Param
from vfs.place import Place

RUN: Param[Run] = Param("run")


def run_of(place: Place[World]) -> Run:
    """The run that a place lies in."""
    return place[RUN]


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


def require_kept(place: Place[World], run: Run, what: str) -> None:
    """Raise Gone when the run's log and output are past their retention.

    Those of a child run go with the run that it is inside of.
    """
    whole = place.world.code.runs.reader.by_key(run.top) if run.top is not None else run
    limit = place.world.clock.now() - timedelta(days=place.world.service.settings.retention_days)
    if whole is not None and (whole.expired or _before(whole.completed_on, limit)):
        raise Gone(
            f"the {what} of a run is kept for {place.world.service.settings.retention_days} days; "
            "its status, stats and description are still there",
            run=run.id,
            run_status=str(run.status),
        )


def _before(completed_on: str | None, limit: datetime) -> bool:
    return completed_on is not None and datetime.fromisoformat(completed_on) < limit
