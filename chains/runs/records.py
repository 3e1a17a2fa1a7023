"""Runs as values: orders, runs, child runs, steps, holds, log entries, results, ends."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import NamedTuple

from chains.language.ast import Phase
from chains.plan.model import Plan
from chains.runs.states import Status, StepStatus
from vfs.ports.blobs import Ref

INFO, WARNING, ERROR = "info", "warning", "error"
"""Severities of a line in a run's log."""

REPEATED = "what it printed last:"
"""The words of a part's line in a log after which its last lines stand once more, indented by two blanks."""

COMMAND = "command"
"""The severity of a line that runs a step by hand: long, so it is kept with the log and shown apart."""


Reasons = Mapping[str, str]
"""People who could decide what a run writes, by name, with why that is."""


@dataclass(frozen=True, slots=True)
class KeptInput:
    """The input of a run as it is kept for another one: a zip of its `files`, or the `text` of its one file.

    That file is `input.json`.
    """

    text: str | None = None
    files: Ref | None = None


@dataclass(frozen=True, slots=True)
class Order:
    """An order to run a job: by whom, how, with what.

    `job`: the item id of the job. `id`: the id of the run. `input`: a folder name under the runs folder
    (None: no input). `tally`: which files are in it (chains.files.tallies). `files`: their manifest, where
    any host may take the run (chains.sharing.run_files). `kept`: what of it outlives the run.
    `claim`: the job's config/access, and `spaces`: its mounts, both as they are at the trigger. `author`: who
    wrote its chain last. `behind`: who brought the input beside `by`. The environment is not here: the
    runner asks for the sealed values when it starts.
    """

    job: int
    id: str
    trigger: str
    source: str
    by: str
    plan: Plan | None
    input: str | None
    claim: str | None = None
    spaces: str = ""
    author: str | None = None
    kept: KeptInput | None = None
    tally: str | None = None
    files: str | None = None
    behind: Reasons = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Run:
    """A run as recorded. `key`: its own number, growing. `id`: its name in paths, unique within the job.

    `origin_owner`, `origin` (`/u/<owner>/j/<job>`) and `origin_shortname` name the job as it is called now.
    A child run is the step `parent_step` of the run `parent`, below the top-level run `top`. It has no plan,
    steps and log of its own; they are those of `top`.
    Times are text. `output` and `output_name`: set when the run has a result. `tally`: the files of its input
    (None: an older release recorded the run). `behind`: who brought its input beside `by`, and who wrote what
    its steps fetched (None: not known). `expired`: log and output are gone; `output_name` still says
    that there was an output.
    """

    key: int
    job: int
    id: str
    shortname: str
    status: Status
    trigger: str
    source: str
    by: str
    origin_owner: str
    origin: str
    origin_shortname: str
    created_on: str
    started_on: str | None
    completed_on: str | None
    plan: Plan | None
    input: str | None
    output: Ref | None
    output_name: str | None
    claim: str | None
    worker: str | None
    parent: int | None = None
    parent_step: str | None = None
    spaces: str = ""
    author: str | None = None
    top: int | None = None
    expired: bool = False
    tally: str | None = None
    files: str | None = None
    behind: Reasons | None = None


Past = tuple[int, str, str, str, str, str | None, str, str | None]
"""A run as the history of its job tells it: (key, id, time, trigger, by, duration, status, started_on).

`time` is the start, or the submission of a run that never started; `duration` are seconds with two decimals,
None while it goes on and when it never started. A plain tuple, as there may be a great many.
"""


class RunMark(NamedTuple):
    """The end of a run, or its state, as a list of jobs shows it."""

    id: str
    status: Status
    started_on: str | None
    completed_on: str | None


@dataclass(frozen=True, slots=True)
class JobFacts:
    """A job at a glance: how many top-level runs it had, and of the newest one the status and the time.

    Of that run's `steps`, so many have `ended`.
    """

    runs: int
    status: Status
    time: str
    steps: int
    ended: int


def duration_of(started_on: str | None, ended: datetime) -> str | None:
    """The seconds from a stamp to a moment with two decimals; None without a start."""
    if started_on is None:
        return None
    return f"{max((ended - datetime.fromisoformat(started_on)).total_seconds(), 0):.2f}"


@dataclass(frozen=True, slots=True)
class StepRow:
    """A row of `steps`: the step itself (`replica` None) or one replica of a fan-out.

    `tally` tells what files its output has, where a later hold may have them read by another runner, and
    `files` is their manifest, where that runner may be on another host.
    """

    name: str
    ordinal: int
    replica: int | None
    status: StepStatus
    started_on: str | None
    completed_on: str | None
    fan_out: bool = False
    tally: str | None = None
    files: str | None = None


@dataclass(frozen=True, slots=True)
class Move:
    """A step, or one replica of it, came to `status` at `time` (a stamp); `pending` adds a replica.

    `tally` tells what files it left, `files` is their manifest.
    """

    step: str
    status: StepStatus
    time: str
    replica: int | None = None
    tally: str | None = None
    files: str | None = None


Entry = tuple[str, str, str]
"""What is appended to a run's log: (time, severity, message)."""


@dataclass(frozen=True, slots=True)
class LogLine:
    """An entry of a run's log; `seq` grows within the run."""

    seq: int
    time: str
    severity: str
    message: str


class LogNews(NamedTuple):
    """The status of a run, and the entries of a log that came by that time, for its followers."""

    status: Status
    lines: Sequence[LogLine]


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a run: the stored bytes and the file name to send them under."""

    blob: Ref
    name: str


@dataclass(frozen=True, slots=True)
class RunEnd:
    """A top-level run that has come to its end, for its listeners."""

    key: int
    job: int
    id: str
    trigger: str
    status: Status


@dataclass(frozen=True, slots=True)
class RunTurn:
    """A top-level run with another status, for listeners; `by` is who had it run."""

    job: int
    id: str
    by: str
    status: Status


def ignore_turn(_: RunTurn) -> None:
    """Do nothing: nobody listens."""


def ignore_end(_: RunEnd) -> None:
    """Do nothing: nobody has to know of the end."""


@dataclass(frozen=True, slots=True)
class Worker:
    """A runner whose lease holds: `trouble` is what is wrong with its engine since the stamp `since`."""

    name: str
    home: str
    trouble: str | None = None
    since: str | None = None


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


@dataclass(frozen=True, slots=True)
class RunHold:
    """A hold that a run came to. `outcome`: `continued` or `declined`, None while it waits.

    `space`: the item that keeps its files. `frozen`: the item with the files with which it was continued.
    """

    step: str
    phase: Phase
    waiting_since: str
    settled_at: str | None
    outcome: str | None
    settled_by: str | None
    space: int
    frozen: int | None


@dataclass(frozen=True, slots=True)
class HoldSpace:
    """A space with the files of a run that has not ended: `job` is the run's job, `by` who triggered it."""

    space: int
    job: int
    by: str
