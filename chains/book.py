"""RunBook: the port through which runs are recorded, claimed, changed, logged and waited for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from chains.held import Held
from chains.plan import Plan
from chains.run import Event, Status, StepStatus
from chains.steps import Phase
from vfs.world import Ref


@dataclass(frozen=True, slots=True)
class Order:
    """What a trigger hands in: which job, by whom, how, with what.

    `job` is the job's item id, `id` the run id. `input` is a folder name under the runs folder (None: no
    input), `claim` the job's config/access and `spaces` its mounts, both as they are at the trigger; `author`
    wrote its chain last. Environment is not here: the runner asks for the sealed values when it starts the
    run.
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

    `origin_owner`, `origin` (`/u/<owner>/j/<job>`) and `origin_shortname` name the job as it is called now.
    A child run stands in the run `parent`, as its step `parent_step`, and below the top-level run `top`; it
    has no plan, steps and log but those of `top`. Stamps are text; `output` and `output_name` are set when
    the run has a result.
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
class Move:
    """A step, or one replica of it, came to `status` at `time` (a stamp); `pending` adds a replica."""

    step: str
    status: StepStatus
    time: str
    replica: int | None = None


Entry = tuple[str, str, str]
"""What is appended to a run's log: (time, severity, message)."""


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


@dataclass(frozen=True, slots=True)
class Ended:
    """A top-level run that has come to its end, as the book tells it to whoever has to know."""

    key: int
    job: int
    id: str
    trigger: str
    status: Status


def unheard(_: Ended) -> None:
    """Nobody has to know."""


class RunBook(Protocol):
    """Keeps runs. Every change of a run's status goes through `event`, a compare-and-set over
    `chains.run.turn`.

    All methods may be called from any thread and any process; each is its own transaction unless the caller
    opened one. Methods that take a run's key raise NotFound when the run is not in the book. An adapter is
    given a callable that hears of each end of a run by `event`, inside its transaction (Ended).
    """

    def submit(self, order: Order, status: Status = Status.PROCESSING) -> Run:
        """Record a run with its pending steps and child runs, durable when it returns, and wake the runners.

        `status` may be REJECTED. Raises Conflict when the job has a run of that id.
        """
        ...

    def claim(self, worker: str) -> Run | None:
        """Take the oldest unclaimed `processing` or `canceling` run, atomically; None when there is none.

        A run that is `processing` is stamped as started, once.
        """
        ...

    def event(
        self,
        run: int,
        event: Event,
        result: Result | None = None,
        moves: Sequence[Move] = (),
        lines: Sequence[Entry] = (),
    ) -> Status:
        """Turn the run's status; the new status. Raises Conflict (with `run_status`) when `turn` refuses.

        `moves` and `lines` are recorded with it or not at all. Reaching a final status sets `completed_on`,
        settles unfinished steps `canceled` and keeps `result` (of a success alone). A run that leaves
        `processing` and `canceling` loses its credentials before the status can be seen, and its worker. Who
        waits is woken. Of two racing events exactly one wins.
        """
        ...

    def record(self, run: int, moves: Sequence[Move] = (), lines: Sequence[Entry] = ()) -> None:
        """Move steps (a new replica's row is added, pending or running) and append to the log, in one
        transaction; wake followers.

        Raises Conflict on a move that `chains.run.MOVES` does not have, and on any once the run has ended.
        """
        ...

    def park(
        self, run: int, step: str, phase: Phase, space: int, moves: Sequence[Move], lines: Sequence[Entry]
    ) -> Status:
        """The event HOLD, with the hold that the run waits at; without it when the run was canceling.

        The items `space` and `frozen` of its holds are removed when the run ends, however it ends.
        """
        ...

    def settle(self, run: int, event: Event, by: str, frozen: int | None) -> Status:
        """The event CONTINUE or DECLINE, with who answered the hold; of two at once one is a Conflict."""
        ...

    def holds(self, run: int) -> Sequence[Held]:
        """The holds that a run came to, in order."""
        ...

    def parked(self, space: int) -> Run | None:
        """The run whose files an item holds; None when it holds no run's."""
        ...

    def get(self, job: int, id: str) -> Run | None:
        """A job's top-level run by id, or a child run below one."""
        ...

    def children(self, run: int) -> Sequence[Run]:
        """All child runs below a top-level run, outer ones first. Their statuses follow their steps."""
        ...

    def by_key(self, run: int) -> Run | None:
        """The run by its number."""
        ...

    def newest(self, job: int, limit: int | None) -> Sequence[Run]:
        """Top-level runs of a job, newest first, without their plans; all of them when `limit` is None."""
        ...

    def steps(self, run: int) -> Sequence[StepRow]:
        """Rows by ordinal, then replica (the step's own row first)."""
        ...

    def lines(self, run: int, after: int = 0) -> Sequence[LogLine]:
        """Log entries with `seq > after`, in order."""
        ...

    def wait(self, run: int, until: Callable[[Status], bool], seconds: float | None) -> Status:
        """Block until the status satisfies `until` or the time is over (None: no limit); the status then.

        Woken by the change; no database connection is held meanwhile.
        """
        ...

    def follow(self, run: int, after: int, seconds: float) -> Sequence[LogLine]:
        """Log entries after `after`, waiting up to `seconds` for one to come; none when the run ended or the
        time is over.
        """
        ...

    def enlist(self, worker: str, home: str, seconds: float) -> None:
        """Enter a runner under a new name, with a lease; earlier runners of the same `home` are ended at
        once.
        """
        ...

    def beat(self, worker: str, seconds: float) -> bool:
        """Renew a runner's lease for `seconds` from now; False when it was ended meanwhile."""
        ...

    def retire(self, worker: str) -> None:
        """End a runner's lease at once."""
        ...

    def alive(self, worker: str) -> bool:
        """Whether the runner's lease holds."""
        ...

    def lost(self) -> Sequence[Run]:
        """Claimed runs in `processing` or `canceling` whose runner's lease ran out or was ended."""
        ...

    def unfinished(self) -> Sequence[Run]:
        """Every top-level run that has not ended, oldest first."""
        ...

    def wake(self, seen: int, seconds: float) -> int:
        """Block a runner until something may be claimed or canceled; a number to pass as `seen` the next
        time.

        Start with 0, which returns at once. What happens after a call returns makes the next one return at
        once.
        """
        ...

    def canceling(self, worker: str) -> Sequence[int]:
        """The runner's runs whose cancel is pending."""
        ...

    def failures(self, job: int) -> int:
        """How many scheduled runs in a row ended failed, newest first; canceled ones are passed over
        (decisions 27).
        """
        ...

    def discard(self, job: int) -> None:
        """Forget every run of a job that is being removed; those that run are canceled first, and forgotten
        then.
        """
        ...
