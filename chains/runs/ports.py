"""The ports of runs, one for each consumer, and `Runs`, which contains them.

All methods may be called from any thread and any process. Each is its own transaction unless the caller has
opened one. Methods that take a run's key raise NotFound if there is no such run.
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
"""A function that returns the rank of a waiting account: the lowest is first. None: it gets no work now."""


def alike(account: str) -> tuple[int, int]:
    """Return the same rank for all accounts, so that the oldest run is first."""
    return 0, 0


class RunQueue(Protocol):
    """The queue from which runners take submitted runs."""

    def submit(self, order: Order, status: Status = Status.PROCESSING) -> Run:
        """Record a run with its pending steps and child runs, durably, and wake the runners.

        `status` may be REJECTED. Steps of an order's `base` have succeeded with the outputs of that run,
        which stay as long as the new run needs them. Raises Conflict if the job already has a run with that
        id, Gone if the outputs were removed.
        """

    def submit_all(self, orders: Sequence[Order]) -> None:
        """Record several `processing` runs as `submit` does, all or none. Raises Conflict as it does."""

    def lock(self, job: int) -> None:
        """Block other transactions that call this for the job until this transaction has ended."""

    def take(self, worker: str, rank: Rank = alike) -> Run | None:
        """Take a waiting `processing` or `canceling` run, atomically. Return None if there is none.

        Choose the account (that triggered the run) with the lowest rank, then its oldest run; among accounts
        of equal rank the one with the oldest run. A run that is `alone` is not chosen while an earlier run of
        its job has not ended, unless it is `canceling`. A `processing` run gets its start stamp, once. The
        cost does not depend on how many runs an account has waiting.
        """

    def canceling(self, worker: str) -> Sequence[int]:
        """Return the runner's runs with a pending cancel."""

    def await_work(self, seen: int, seconds: float) -> int:
        """Block a runner until something may be taken, canceled or cleaned up after a hold.

        Return the `seen` for the next call. Return at once with 0, as in the first call, and if something
        happened between two calls.
        """


class RunStates(Protocol):
    """Changes of recorded runs. Every status change is a compare-and-set by `chains.runs.states.turn`.

    An adapter gets a callable that is notified of each run's end, inside its transaction (RunEnd).
    """

    def event(
        self,
        run: int,
        event: Event,
        result: Result | None = None,
        moves: Sequence[Move] = (),
        lines: Sequence[Entry] = (),
    ) -> Status:
        """Turn the run's status and return the new one. Raises Conflict (with `run_status`) if not allowed.

        `moves` and `lines` are recorded in the same transaction. A final status sets `completed_on`, sets
        unfinished steps to `canceled` and stores `result` (only of a success). A run that leaves `processing`
        and `canceling` loses its worker; its credentials are removed before the new status is visible.
        Waiting callers are woken. Of two concurrent events exactly one wins.
        """

    def record(self, run: int, moves: Sequence[Move] = (), lines: Sequence[Entry] = ()) -> None:
        """Move steps and append to the log in one transaction, and wake followers.

        A move of a new replica adds its row, pending or running. The run is locked until the transaction has
        ended. Raises Conflict on a move that `states.MOVES` does not contain, and on any move once the run
        has ended.
        """

    def add_behind(self, run: int, reasons: Reasons) -> None:
        """Add people who are behind a run. People who are already there keep their reason."""

    def hold(
        self, run: int, step: str, phase: Phase, space: int, moves: Sequence[Move], lines: Sequence[Entry]
    ) -> Status:
        """Apply the event HOLD and record the hold. If the run was canceling, record no hold.

        The items `space` and `frozen` of its holds are removed when the run ends, with any status.
        """

    def settle(self, run: int, event: Event, by: str, frozen: int | None) -> Status:
        """Apply CONTINUE or DECLINE and record who answered. The second of two answers raises Conflict."""


class RunReader(Protocol):
    """Queries of runs, their steps, holds and logs."""

    def get(self, job: int, id: str) -> Run | None:
        """Return a job's top-level run by id, or a child run below one."""

    def get_child(self, job: int, id: str) -> Run | None:
        """Return a child run by id: a run of the job inside a run of another job."""

    def children(self, run: int) -> Sequence[Run]:
        """Return all child runs of a top-level run, outer ones first. Their statuses follow their steps."""

    def by_key(self, run: int) -> Run | None:
        """Return a run by its key."""

    def newest(self, job: int, limit: int | None) -> Sequence[Run]:
        """Return a job's top-level runs, newest first, without plans; all if `limit` is None."""

    def going(self, job: int) -> Sequence[Run]:
        """Return the top-level runs of a job that have not ended, oldest first, without plans."""

    def ahead(self, run: Run) -> int:
        """Return how many runs of the same account are before a run that no runner has taken."""

    def facts_of(self, jobs: Sequence[int]) -> Mapping[int, JobFacts]:
        """Return the facts of the jobs that had a run, by job; one statement for 500 jobs."""

    def newest_of(self, jobs: Sequence[int], most: int) -> Mapping[int, Sequence[RunMark]]:
        """Return the newest runs of the jobs, `most` of each, newest first; one statement for 500 jobs."""

    def history(self, job: int, before: int | None, most: int) -> Sequence[Past]:
        """Return at most `most` top-level runs of a job, newest first, with keys below `before` (or any)."""

    def version(self, job: int) -> str | None:
        """Return a version string of a job's history, or None while it has unfinished runs.

        It changes whenever a run is added, begins or ends.
        """

    def kept_input(self, run: int) -> KeptInput | None:
        """Return the kept input of a run; None if it was not kept or is past its retention."""

    def steps(self, run: int) -> Sequence[StepRow]:
        """Return rows by ordinal, then replica (the step's own row first)."""

    def lines(self, run: int, after: int = 0) -> Sequence[LogLine]:
        """Return log entries with `seq > after`, in order."""

    def holds(self, run: int) -> Sequence[RunHold]:
        """Return the holds of a run, in order."""

    def durations(self, job: int, most: int) -> Sequence[float]:
        """Return the durations in seconds of a job's newest successful runs, at most `most` of them."""

    def failures(self, job: int) -> int:
        """Return how many of the newest scheduled runs failed in a row (decisions 27).

        Canceled runs are skipped.
        """


class RunWaits(Protocol):
    """Functions that wait for changes of runs. They hold no database connection."""

    def wait(self, run: int, until: Callable[[Status], bool], seconds: float | None) -> Status:
        """Block until `until(status)` is true or the time is over (None: no limit). Return the status."""

    def follow(
        self, run: int, after: int, seconds: float, over: Callable[[], bool] = lambda: False,
        log: int | None = None,
    ) -> LogNews:  # fmt: skip
        """Return the log entries after `after`. Wait up to `seconds` for an entry or the run's end.

        `log` is the run whose log is read (None: the same run). There are no entries if the run ended, the
        time is over, or `over`, called at each wake-up, returns true. After a timeout nothing is read again.
        """


class Leases(Protocol):
    """The leases of runners, and the runs of runners that are gone."""

    def enlist(self, worker: str, home: str, seconds: float) -> None:
        """Add a runner with a lease under a new name. End earlier runners of the same `home`."""

    def heartbeat(self, worker: str, seconds: float, trouble: str | None = None) -> bool:
        """Renew a runner's lease for `seconds` from now. Return False if the lease was ended meanwhile.

        `trouble` describes a fault of its engine.
        """

    def retire(self, worker: str) -> None:
        """End a runner's lease at once."""

    def is_alive(self, worker: str) -> bool:
        """Return whether the runner's lease is valid."""

    def workers(self) -> Sequence[Worker]:
        """Return the runners with valid leases, by name."""

    def lost_runs(self) -> Sequence[Run]:
        """Return taken `processing` or `canceling` runs whose runner's lease has expired or was ended."""


class RunRetention(Protocol):
    """Queries for the data of runs that is still needed, and removal of the rest."""

    def open_runs(self) -> Sequence[Run]:
        """Return all top-level runs that have not ended, oldest first."""

    def ended_runs(self, runs: Collection[int]) -> Sequence[int]:
        """Return the runs among these that have ended or are no longer recorded; one statement."""

    def spent_inputs(self, inputs: Collection[str]) -> Collection[str]:
        """Return the inputs among these whose run has ended."""

    def held_files(self) -> Sequence[str]:
        """Return the manifests of inputs of runs that have not ended, and of the outputs of their steps.

        Outputs of runs that ended without success are held until their logs expire.
        """

    def oldest(self) -> str | None:
        """Return the earliest end of a top-level run whose log and output are kept; None if there is none."""

    def expire(self, before: str, most: int) -> int:
        """Remove logs and outputs of at most `most` runs that ended before a stamp. Return their number."""

    def stop(self, job: int) -> None:
        """Cancel the unfinished runs of a job that is being deleted."""

    def discard(self, job: int) -> None:
        """Delete every run of a job that is being removed.

        Unfinished runs are canceled first and deleted afterwards.
        """


class HoldSpaces(Protocol):
    """Queries for the spaces that contain the files of waiting runs."""

    def run_of(self, space: int) -> Run | None:
        """Return the run whose files the item `space` contains, or None."""

    def open_spaces(self, owner: str | None) -> Sequence[HoldSpace]:
        """Return the spaces of runs that have not ended, of one owner's jobs or (None) of all jobs."""


@dataclass(frozen=True, slots=True)
class Runs:
    """All ports of runs."""

    queue: RunQueue
    states: RunStates
    reader: RunReader
    waits: RunWaits
    leases: Leases
    retention: RunRetention
    hold_spaces: HoldSpaces
