"""How runs, steps and log entries stand in their rows."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from typing import Any

from chains.plan.model import Plan, from_data, to_data
from chains.runs.records import LogLine, Run, StepRow
from chains.runs.states import Status, StepStatus
from vfs.ports.world import Ref

# Spelled as in the index `run_open`, which then serves every statement that has it.
OPEN = "status IN ('processing', 'waiting', 'canceling')"

ITSELF = -1
STEPS = (
    "SELECT name, ordinal, replica, status, started_on, completed_on, fan_out FROM step"
    " WHERE run = ? ORDER BY ordinal, replica"
)

_log = logging.getLogger(__name__)

_COLUMNS = (
    "r.key, r.job, r.id, r.shortname, r.status, r.trigger, r.source, r.caller, r.created_on,"
    " r.started_on, r.completed_on, r.input, r.digest, r.size, r.media, r.output_name, r.claim, r.worker,"
    " r.parent, r.parent_step, r.author, r.spaces, r.top, r.expired_on, i.owner, i.name, i.shortname"
)
_FROM = "FROM run r LEFT JOIN item i ON i.id = r.job"
WHOLE = f"SELECT {_COLUMNS}, r.plan {_FROM}"
BRIEF = f"SELECT {_COLUMNS}, NULL {_FROM}"


def run_of(row: Sequence[Any]) -> Run:
    """The run of a row of WHOLE or BRIEF; a job that is gone has no name any more."""
    (
        key, job, id, shortname, status, trigger, source, by, created_on,
        started_on, completed_on, input, digest, size, media, output_name, claim, worker,
        parent, parent_step, author, spaces, top, expired_on, owner, name, job_shortname, plan,
    ) = row  # fmt: skip
    return Run(
        key=key, job=job, id=id, shortname=shortname, status=Status(status), trigger=trigger, source=source,
        by=by, origin_owner=owner or "", origin=f"/u/{owner}/j/{name}" if name else "",
        origin_shortname=job_shortname or "", created_on=created_on, started_on=started_on,
        completed_on=completed_on, plan=plan_of(plan), input=input,
        output=Ref(digest, size, media) if digest else None, output_name=output_name, claim=claim,
        worker=worker, parent=parent, parent_step=parent_step, spaces=spaces, author=author,
        top=top, expired=expired_on is not None,
    )  # fmt: skip


def plan_of(text: str | None) -> Plan | None:
    """The plan that `plan_text` wrote; none when another release wrote what this one does not understand."""
    if text is None:
        return None
    try:
        return from_data(json.loads(text))
    except (ValueError, KeyError, TypeError):
        _log.exception("the plan of a run cannot be read")
        return None


def plan_text(plan: Plan | None) -> str | None:
    """A plan as its column holds it."""
    return None if plan is None else json.dumps(to_data(plan), separators=(",", ":"), ensure_ascii=False)


def step_of(row: Sequence[Any]) -> StepRow:
    """The step of a row (name, ordinal, replica, status, started_on, completed_on, fan_out)."""
    name, ordinal, replica, status, started_on, completed_on, fan_out = row
    return StepRow(
        name,
        ordinal,
        None if replica == ITSELF else replica,
        StepStatus(status),
        started_on,
        completed_on,
        bool(fan_out),
    )


def line_of(row: Sequence[Any]) -> LogLine:
    """The entry of a row (seq, time, severity, message)."""
    return LogLine(*row)
