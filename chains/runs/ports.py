"""The ports of runs, one for each consumer, and `Runs`, which holds them.

All methods may be called from any thread and any process; each is its own transaction unless the caller
opened one. Methods that take a run's key raise NotFound when there is no such run.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from chains.language.ast import Phase
from chains.runs.records import (
    Entry,
    HoldSpace,
    JobFacts,
    KeptInput,
    LogLine,
    LogNews,
    Move,
    Order,
    Past,
    Reasons,
    Result,
    Run,
    RunHold,
    RunMark,
    StepRow,
    Worker,
)
from chains.runs.states import Event, Status

Rank = Callable[[str], tuple[int, int] | None]
"""The place of an account among those that wait to be taken, the lowest first; None: it may have none now."""


def alike(account: str) -> tuple[int, int]:
    """One rank for all: what is oldest is first."""
    return 0, 0


class RunQueue(Protocol):
    """Hands submitted runs to runners."""

    def submit(self, order: Order, status: Status = Status.PROCESSING) -> Run:
        """Record a run with its pending steps and child runs, durable when it returns, and wake the runners.

        `status` may be REJECTED. Raises Conflict when the job has a run of that id.
        """
        ...

    def submit_all(self, orders: Sequence[Order]) -> None:
        """Record several `processing` runs as `submit` does, all or none. Raises Conflict as that does."""
        ...

    def take(self, worker: str, rank: Rank = alike) -> Run | None:
        """Take a waiting `processing` or `canceling` run, atomically; None when there is none.

        It is the oldest of an account (who triggered it) of the lowest rank; of such accounts the one whose
        run is oldest. A run that is `processing` is stamped as started, once. However many runs an account
        has waiting, it costs no more than one.
        """
        ...

    def canceling(self, worker: str) -> Sequence[int]:
        """The runner's runs whose cancel is pending."""
        ...

    def await_work(self, seen: int, seconds: float) -> int:
        """Block a runner until something may be taken, canceled or cleared up after a hold.

        The answer is the `seen` of the next call; with 0, the first, it returns at once. It also returns at
        once for what happened between two calls.
        """
        ...


class RunStates(Protocol):
    """Changes recorded runs: every change of a status is a compare-and-set over `chains.runs.states.turn`.

    An adapter is given a callable that hears of each end of a run, inside its transaction (RunEnd).
    """

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
        """Move steps, append to the log in one transaction, and wake followers.

        A move of a new replica adds its row, pending or running. Nobody else changes the run until the
        transaction has ended. Raises Conflict on a move that `states.MOVES` does not have, and on any once
        the run has ended.
        """
        ...

    def add_behind(self, run: int, reasons: Reasons) -> None:
        """Note people as behind a run; who is noted already keeps the reason."""
        ...

    def hold(
        self, run: int, step: str, phase: Phase, space: int, moves: Sequence[Move], lines: Sequence[Entry]
    ) -> Status:
        """The event HOLD, with the hold that the run waits at; without it when the run was canceling.

        The items `space` and `frozen` of its holds are removed when the run ends, however it ends.
        """
        ...

    def settle(self, run: int, event: Event, by: str, frozen: int | None) -> Status:
        """The event CONTINUE or DECLINE, with who answered the hold; of two at once one is a Conflict."""
        ...


class RunReader(Protocol):
    """Reads runs, their steps, holds and logs."""

    def get(self, job: int, id: str) -> Run | None:
        """A job's top-level run by id, or a child run below one."""
        ...

    def get_child(self, job: int, id: str) -> Run | None:
        """A child run by id, as which a job ran inside another's run."""
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

    def facts_of(self, jobs: Sequence[int]) -> Mapping[int, JobFacts]:
        """The facts of those of many jobs that had a run, by job; one statement for 500 jobs."""
        ...

    def newest_of(self, jobs: Sequence[int], most: int) -> Mapping[int, Sequence[RunMark]]:
        """The newest runs of many jobs, `most` of each, newest first; one statement for 500 jobs."""
        ...

    def history(self, job: int, before: int | None, most: int) -> Sequence[Past]:
        """At most so many top-level runs of a job, newest first, with keys below `before` (None: all)."""
        ...

    def version(self, job: int) -> str | None:
        """A name for the present history of a job; None while runs go on.

        It changes with every run that comes, begins or ends.
        """
        ...

    def kept_input(self, run: int) -> KeptInput | None:
        """The input of a run, while it is kept; None when it was not, or when it is past its retention."""
        ...

    def steps(self, run: int) -> Sequence[StepRow]:
        """Rows by ordinal, then replica (the step's own row first)."""
        ...

    def lines(self, run: int, after: int = 0) -> Sequence[LogLine]:
        """Log entries with `seq > after`, in order."""
        ...

    def holds(self, run: int) -> Sequence[RunHold]:
        """The holds that a run came to, in order."""
        ...

    def failures(self, job: int) -> int:
        """The number of scheduled runs in a row that ended failed, from the newest (decisions 27).

        Canceled ones are passed over.
        """
        ...


class RunWaits(Protocol):
    """Waits for changes of runs; no database connection is held meanwhile."""

    def wait(self, run: int, until: Callable[[Status], bool], seconds: float | None) -> Status:
        """Block until the status satisfies `until` or the time is over (None: no limit); the status then."""
        ...

    def follow(
        self, run: int, after: int, seconds: float, over: Callable[[], bool] = lambda: False,
        log: int | None = None,
    ) -> LogNews:  # fmt: skip
        """Log entries after `after`, waiting up to `seconds` for one to come or the run to end.

        `log` is the run whose log it is (None: the same). There are none when the run ended, the time is
        over, or `over`, asked at each wake-up, says so. Nothing is looked up again when the time is over.
        """
        ...


class Leases(Protocol):
    """Keeps the leases of runners, and finds the runs of those that are gone."""

    def enlist(self, worker: str, home: str, seconds: float) -> None:
        """Enter a runner with a lease under a new name; end earlier runners of the same `home`."""
        ...

    def heartbeat(self, worker: str, seconds: float, trouble: str | None = None) -> bool:
        """Renew a runner's lease for `seconds` from now; False when the lease was ended meanwhile.

        `trouble` is what is wrong with its engine.
        """
        ...

    def retire(self, worker: str) -> None:
        """End a runner's lease at once."""
        ...

    def is_alive(self, worker: str) -> bool:
        """Whether the runner's lease holds."""
        ...

    def workers(self) -> Sequence[Worker]:
        """The runners whose leases hold, by name."""
        ...

    def lost_runs(self) -> Sequence[Run]:
        """Taken runs in `processing` or `canceling` whose runner's lease ran out or was ended."""
        ...


class RunRetention(Protocol):
    """Knows what of runs is still needed, and lets go of the rest."""

    def open_runs(self) -> Sequence[Run]:
        """Every top-level run that has not ended, oldest first."""
        ...

    def ended_runs(self, runs: Collection[int]) -> Sequence[int]:
        """Find the runs among these that have ended or are not recorded any more; one statement."""
        ...

    def spent_inputs(self, inputs: Collection[str]) -> Collection[str]:
        """Find the inputs among these whose run has ended."""
        ...

    def held_files(self) -> Sequence[str]:
        """The manifests of the inputs and outputs of all runs that have not ended."""
        ...

    def oldest(self) -> str | None:
        """The end of the first of all top-level runs whose log and output are kept; None: no such run."""
        ...

    def expire(self, before: str, most: int) -> int:
        """Let go of the logs and outputs of at most so many runs that ended before a stamp; the number.

        The oldest go first. All else of them stays.
        """
        ...

    def discard(self, job: int) -> None:
        """Forget every run of a job that is being removed.

        Those that run are canceled first, and forgotten then.
        """
        ...


class HoldSpaces(Protocol):
    """Finds the spaces that hold files of waiting runs."""

    def run_of(self, space: int) -> Run | None:
        """The run whose files an item holds; None when it holds no run's."""
        ...

    def open_spaces(self, owner: str | None) -> Sequence[HoldSpace]:
        """The spaces of runs that have not ended, of one owner's jobs or (None) of all's."""
        ...


@dataclass(frozen=True, slots=True)
class Runs:
    """The ports of runs together."""

    queue: RunQueue
    states: RunStates
    reader: RunReader
    waits: RunWaits
    leases: Leases
    retention: RunRetention
    hold_spaces: HoldSpaces
