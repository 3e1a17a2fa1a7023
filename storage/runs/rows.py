"""Rows of runs, steps and log entries."""

from __future__ import annotations

import json
import logging
from typing import NamedTuple

from chains.plan.model import Plan, from_data, to_data
from chains.runs.records import LogLine, Run, StepRow
from chains.runs.states import Status, StepStatus
from storage.database.columns import Cells, TableColumns
from storage.tree.item_rows import IS_LIVE
from vfs.ports.blobs import Ref

# Written as in the index `run_open`, so that every statement with this condition uses it.
OPEN = "status IN ('processing', 'waiting', 'canceling')"

ITSELF = -1


def _replica(replica: int) -> int | None:
    return None if replica == ITSELF else replica


STEP = TableColumns(
    StepRow,
    "name ordinal replica status started_on completed_on fan_out tally files attempt output_of",
    replica=_replica,
    status=StepStatus,
    fan_out=bool,
)
STEPS = f"SELECT {STEP} FROM step WHERE run = :run ORDER BY ordinal, replica"
LINE = TableColumns(LogLine, "seq time severity message")

_log = logging.getLogger(__name__)


class _RunCells(NamedTuple):
    """The columns of a run."""

    key: int
    job: int
    id: str
    shortname: str
    status: Status
    trigger: str
    source: str
    caller: str
    created_on: str
    started_on: str | None
    completed_on: str | None
    input: str | None
    digest: str | None
    size: int
    media: str
    output_name: str | None
    claim: str | None
    worker: str | None
    parent: int | None
    parent_step: str | None
    author: str | None
    spaces: str
    top: int | None
    expired_on: str | None
    tally: str | None
    files: str | None
    behind: str | None
    alone: bool


RUN = TableColumns(_RunCells, " ".join(_RunCells._fields), status=Status, alone=bool)
JOB = "i.owner, i.name, i.shortname"
WITH_JOB = f"run r LEFT JOIN item i ON i.id = r.job AND {IS_LIVE}"
WHOLE = f"SELECT {RUN.of('r')}, {JOB}, r.plan FROM {WITH_JOB}"
BRIEF = f"SELECT {RUN.of('r')}, {JOB}, NULL FROM {WITH_JOB}"


def run_of(row: Cells) -> Run:
    """Return the run of a row of WHOLE or BRIEF. The name of a deleted job is empty."""
    run, (owner, name, job_shortname, plan) = RUN.split(row)
    return Run(
        key=run.key, job=run.job, id=run.id, shortname=run.shortname, status=run.status, trigger=run.trigger,
        source=run.source, by=run.caller, origin_owner=owner or "",
        origin=f"/u/{owner}/j/{name}" if name else "", origin_shortname=job_shortname or "",
        created_on=run.created_on, started_on=run.started_on, completed_on=run.completed_on,
        plan=plan_of(plan), input=run.input,
        output=Ref(run.digest, run.size, run.media) if run.digest else None, output_name=run.output_name,
        claim=run.claim, worker=run.worker, parent=run.parent, parent_step=run.parent_step,
        spaces=run.spaces, author=run.author, top=run.top, expired=run.expired_on is not None,
        tally=run.tally, files=run.files,
        behind=json.loads(run.behind) if run.behind is not None else None, alone=run.alone,
    )  # fmt: skip


def plan_of(text: str | None) -> Plan | None:
    """Return the plan that `plan_text` wrote, or None for an unreadable text of another release."""
    if text is None:
        return None
    try:
        return from_data(json.loads(text))
    except (ValueError, KeyError, TypeError):
        _log.exception("the plan of a run cannot be read")
        return None


def plan_text(plan: Plan | None) -> str | None:
    """Return the text of a plan for its column."""
    return None if plan is None else json.dumps(to_data(plan), separators=(",", ":"), ensure_ascii=False)


WORK = "work"


def run_topic(run: int) -> str:
    """Return the topic for a run's status."""
    return f"run {run}"


def log_topic(run: int) -> str:
    """Return the topic for a run's log."""
    return f"log {run}"
