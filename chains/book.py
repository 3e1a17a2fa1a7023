"""RunBook: the port through which runs are recorded, claimed, changed, logged and waited for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from chains.plan import Plan
from chains.run import Event, Status, StepStatus
from vfs.world import Ref


@dataclass(frozen=True, slots=True)
class Order:
    """What a trigger hands in: which job, by whom, how, with what.

    `job` is the item id of the job; `origin` its path `/u/<user>/j/<job>`. `id` is the run id, `input` a folder name under the runs
    folder (None: no input). `claim` is the job's config/access at the trigger, `spaces` its mounts. `env` is not here: the runner reads the
    sealed values when it starts a step.
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


@dataclass(frozen=True, slots=True)
class Run:
    """A run as recorded. `key` is its own number, growing; `id` the name in paths, unique within the job.

    `origin_owner`, `origin`, `origin_shortname` name the job. Stamps are text; `output` and `output_name` are set when the run has a result.
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


@dataclass(frozen=True, slots=True)
class StepRow:
    """A row of `steps`: the step itself (`replica` None) or one replica of a fan-out."""

    name: str
    ordinal: int
    replica: int | None
    status: StepStatus
    started_on: str | None
    completed_on: str | None
    fan_out: bool = False


@dataclass(frozen=True, slots=True)
class LogLine:
    """An entry of a run's log; `seq` grows within the run."""

    seq: int
    time: str
    severity: str
    message: str


@dataclass(frozen=True, slots=True)
class Result:
    """What a run leaves: the stored bytes and the file name to send them under."""

    blob: Ref
    name: str


class RunBook(Protocol):
    """Keeps runs. Every change of a run's status goes through `event`, a compare-and-set over `chains.run.turn`.

    All methods may be called from any thread and any process; each is its own transaction unless the caller opened one.
    """

    def submit(self, order: Order, status: Status = Status.PROCESSING) -> Run:
        """Record a run with its pending steps, durable when it returns, and wake the runners. `status` may be REJECTED."""
        ...

    def claim(self, worker: str) -> Run | None:
        """Take the oldest unclaimed `processing` or `canceling` run, atomically; None when there is none."""
        ...

    def event(self, run: int, event: Event, result: Result | None = None) -> Status:
        """Turn the run's status; the new status. Raises Conflict (with `run`, `run_status`) when `turn` refuses.

        Reaching a final status sets `completed_on`, settles unfinished steps `canceled`, revokes the run's credentials (before the status can be
        seen), stores `result`, and wakes who waits. Exactly one of two racing events wins.
        """
        ...

    def begin(self, run: int) -> None:
        """Stamp `started_on` (once)."""
        ...

    def step(self, run: int, name: str, status: StepStatus, replica: int | None = None) -> None:
        """Move a step's row (a new replica's row is added); stamps follow. Raises Conflict on a move that StepStatus does not have."""
        ...

    def log(self, run: int, lines: Sequence[tuple[str, str, str]]) -> None:
        """Append (time, severity, message) entries in one transaction and wake followers."""
        ...

    def get(self, job: int, id: str) -> Run | None:
        """A job's top-level or child run by id."""
        ...

    def by_key(self, run: int) -> Run | None:
        """The run by its number."""
        ...

    def newest(self, job: int, limit: int | None) -> Sequence[Run]:
        """Top-level runs of a job, newest first, without their plans when `limit` is None."""
        ...

    def steps(self, run: int) -> Sequence[StepRow]:
        """Rows by ordinal, then replica (the step's own row first)."""
        ...

    def lines(self, run: int, after: int = 0) -> Sequence[LogLine]:
        """Log entries with `seq > after`, in order."""
        ...

    def wait(self, run: int, until: Callable[[Status], bool], seconds: float | None) -> Status:
        """Block until the status satisfies `until` or the time is over (None: no limit); the status then. Woken by the change, holding no
        database connection meanwhile."""
        ...

    def follow(self, run: int, after: int, seconds: float) -> Sequence[LogLine]:
        """Log entries after `after`, waiting up to `seconds` for one to come or for the run to end."""
        ...

    def beat(self, worker: str, seconds: float) -> None:
        """Renew a worker's lease for `seconds` from now."""
        ...

    def retire(self, worker: str) -> None:
        """End a worker's lease at once."""
        ...

    def lost(self) -> Sequence[Run]:
        """Claimed runs in `processing` or `canceling` whose worker's lease ran out or was ended."""
        ...

    def wake(self, seconds: float) -> bool:
        """Block a runner until something may be claimed or canceled (True) or the time is over (False)."""
        ...

    def canceling(self, worker: str) -> Sequence[int]:
        """The worker's runs whose cancel is pending."""
        ...

    def failures(self, job: int) -> int:
        """How many scheduled runs in a row ended failed, newest first; canceled ones are passed over (decisions 27)."""
        ...

    def discard(self, job: int) -> None:
        """Cancel what runs and forget every run of a job that is being removed."""
        ...
