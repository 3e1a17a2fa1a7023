"""Value types of runs: orders, runs, child runs, steps, holds, log entries, results, ends."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import NamedTuple

from chains.language.ast import Phase
from chains.plan.model import Plan
from chains.runs.states import Overlap, Status, StepStatus
from vfs.ports.blobs import Ref

INFO, WARNING, ERROR = "info", "warning", "error"
"""Severities of a line in a run's log."""

REPEATED = "what it printed last:"
"""The line in a log that precedes a part's repeated last lines, which are indented by two spaces."""

ATTEMPT = re.compile(r"attempt [0-9]+ of [0-9]+ begins")
"""The line, after the name of a part, that separates an attempt from the lines of earlier ones."""

COMMAND = "command"
"""The severity of a line with the command that runs a step by hand. It is long, so it is shown apart."""


Reasons = Mapping[str, str]
"""The people responsible for the data that a run writes, by name, with the reason for each."""


@dataclass(frozen=True, slots=True)
class KeptInput:
    """The input of a run, kept for another run: a zip `files`, or the `text` of its only file.

    That file is `input.json`.
    """

    text: str | None = None
    files: Ref | None = None


@dataclass(frozen=True, slots=True)
class EarlierRun:
    """The ended run `key`, named `id`, whose outputs of `steps` a new run uses instead of repeating them.

    `holds` are those whose answers remain valid: (step, phase).
    """

    key: int
    id: str
    steps: Sequence[str]
    holds: Sequence[tuple[str, Phase]] = ()


@dataclass(frozen=True, slots=True)
class Order:
    """An order to run a job: who triggered it, how, and with which input.

    `job`: the item id of the job. `id`: the id of the run. `input`: a folder name under the runs folder
    (None: no input). `tally`: the digest of its files (chains.files.tallies). `files`: their manifest, if any
    host may take the run (chains.sharing.run_files). `kept`: the input to keep after the run. `claim`: the
    job's config/access, and `spaces`: its mounts, both as of the trigger. `author`: the last author of its
    chain. `behind`: who provided the input, besides `by`. `overlap`: the job's config/overlap; unless it is
    ALLOW, no runner takes the run before the earlier runs of the job have ended. `base`: the run that it
    resumes. The environment is not included: the runner reads the sealed values when it starts.
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
    overlap: Overlap = Overlap.ALLOW
    base: EarlierRun | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """A recorded run. `key`: its number, increasing. `id`: its name in paths, unique within the job.

    `origin_owner`, `origin` (`/u/<owner>/j/<job>`) and `origin_shortname` are the job's current names. A
    child run is the step `parent_step` of the run `parent`, below the top-level run `top`. It has no plan,
    steps or log; they are those of `top`. Times are text. `output` and `output_name`: set if the
    run has a result. `tally`: the digest of its input files (None: an older release recorded the run).
    `behind`: accounts, besides `by`, that provided its input or wrote data that its steps fetched (None: not
    known). `expired`: log and output are removed; `output_name` still shows that there was an output.
    `alone`: it does not begin before the earlier runs of its job have ended.
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
    alone: bool = False


Past = tuple[int, str, str, str, str, str | None, str, str | None]
"""A run in the history of its job: (key, id, time, trigger, by, duration, status, started_on).

`time` is the start, or the submission if the run never started. `duration` is seconds with two decimals, None
until the run has ended and if it never started. It is a plain tuple, because there may be very many.
"""


class RunMark(NamedTuple):
    """The state and times of a run for a list of jobs."""

    id: str
    status: Status
    started_on: str | None
    completed_on: str | None


@dataclass(frozen=True, slots=True)
class JobFacts:
    """A summary of a job: its number of top-level runs, and status and time of the newest run.

    `steps` and `ended`: the number of that run's steps, and how many of them have ended.
    """

    runs: int
    status: Status
    time: str
    steps: int
    ended: int


def duration_of(started_on: str | None, ended: datetime) -> str | None:
    """Return the seconds from a stamp to a moment, with two decimals; None without a start."""
    if started_on is None:
        return None
    return f"{max((ended - datetime.fromisoformat(started_on)).total_seconds(), 0):.2f}"


@dataclass(frozen=True, slots=True)
class StepRow:
    """A row of `steps`: the step itself (`replica` None) or one replica of a fan-out.

    `tally` is the digest of its output files, and `files` their manifest, if they are stored: another runner
    may read them after a hold, or another run. `attempt`: the number of its last attempt, if it was retried.
    `output_of`: the id of the earlier run that made its output, if the step was not repeated.
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
    attempt: int | None = None
    output_of: str | None = None


class KeptOutput(NamedTuple):
    """The tally of a step's output, and its manifest if it is stored; None if nothing may read it later."""

    tally: str | None = None
    files: str | None = None


@dataclass(frozen=True, slots=True)
class Move:
    """The change of a step, or of a replica of it, to `status` at the stamp `time`; `pending` adds a replica.

    `tally` is the digest of its output files, `files` their manifest. With the number of an `attempt` after
    the first, the step is retried and stays `running`. With `kept` bytes, the output of a step that succeeded
    before is now stored, and counts as long as the log is kept.
    """

    step: str
    status: StepStatus
    time: str
    replica: int | None = None
    tally: str | None = None
    files: str | None = None
    attempt: int | None = None
    kept: int | None = None


Entry = tuple[str, str, str]
"""An entry to append to a run's log: (time, severity, message)."""


@dataclass(frozen=True, slots=True)
class LogLine:
    """An entry of a run's log. `seq` increases within the run."""

    seq: int
    time: str
    severity: str
    message: str


class LogNews(NamedTuple):
    """The status of a run and the new log entries, for followers."""

    status: Status
    lines: Sequence[LogLine]


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a run: the stored bytes and their file name."""

    blob: Ref
    name: str


@dataclass(frozen=True, slots=True)
class RunEnd:
    """A top-level run that has ended, for listeners."""

    key: int
    job: int
    id: str
    trigger: str
    status: Status


@dataclass(frozen=True, slots=True)
class RunTurn:
    """A top-level run whose status has changed, for listeners; `by` is the account that triggered it."""

    job: int
    id: str
    by: str
    status: Status


def ignore_turn(_: RunTurn) -> None:
    """Ignore a turn: there is no listener."""


def ignore_end(_: RunEnd) -> None:
    """Ignore an end: there is no listener."""


def ignore_run(_: Run) -> None:
    """Ignore a run that begins: there is no listener."""


@dataclass(frozen=True, slots=True)
class Worker:
    """A runner with a valid lease. `trouble`: the fault of its engine, since the stamp `since`."""

    name: str
    home: str
    trouble: str | None = None
    since: str | None = None


PREFIX = len("20261121-074416-")


def child_id(run: str, step: str) -> str:
    """Return the id of the child run of a composed step in the top-level run `run`."""
    return run[:PREFIX] + sha256(f"{run} {step}".encode()).hexdigest()[:8]


def inside(step: str, composed: str) -> bool:
    """Return whether a step, or a log line that begins with its name, belongs to a composed step."""
    return step.startswith(f"{composed}__")


def child_state(steps: Iterable[StepRow], top: Status, now: str) -> tuple[Status, str | None, str | None]:
    """Return status, start and completion of a child run, from its steps and the top-level run's status."""
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
    """A hold that a run reached. `outcome`: `continued` or `declined`, None while it waits.

    `space`: the item with its files; None if it was answered in an earlier run that this one resumes.
    `frozen`: the item with the files with which it was continued.
    """

    step: str
    phase: Phase
    waiting_since: str
    settled_at: str | None
    outcome: str | None
    settled_by: str | None
    space: int | None
    frozen: int | None


@dataclass(frozen=True, slots=True)
class HoldSpace:
    """A space with the files of a run that has not ended. `job`: the run's job, `by`: who triggered it."""

    space: int
    job: int
    by: str
