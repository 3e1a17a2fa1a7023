"""RunBook: the port through which runs are recorded, claimed, changed, logged and waited for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Protocol

from chains.language.ast import Phase
from chains.runs.holds import Held, Parked
from chains.runs.records import (
    Ended,
    Entry,
    LogLine,
    Move,
    Order,
    Past,
    Result,
    Run,
    StepRow,
    Worker,
    unheard,
)
from chains.runs.states import Event, Status

__all__ = [
    "Ended",
    "Entry",
    "LogLine",
    "Move",
    "Order",
    "Past",
    "Result",
    "Run",
    "RunBook",
    "StepRow",
    "Worker",
    "unheard",
]


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

    def submit_all(self, orders: Sequence[Order]) -> None:
        """Record several `processing` runs as `submit` does, all or none. Raises Conflict as that does."""
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
        transaction; wake followers. Nobody else changes the run until that transaction has ended.

        Raises Conflict on a move that `states.MOVES` does not have, and on any once the run has ended.
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

    def parkings(self, owner: str | None) -> Sequence[Parked]:
        """The spaces that hold files of runs that have not ended, of one owner's jobs or (None) of all's."""
        ...

    def get(self, job: int, id: str) -> Run | None:
        """A job's top-level run by id, or a child run below one."""
        ...

    def nested(self, job: int, id: str) -> Run | None:
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

    def past(self, job: int, before: int | None, most: int) -> Sequence[Past]:
        """At most so many top-level runs of a job, newest first,
        from below the key `before` on (None: from the newest).
        """
        ...

    def version(self, job: int) -> str | None:
        """What names the history of a job as it is now:
        it changes with every run that comes, begins or ends. None while runs go on.
        """
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

    def follow(
        self, run: int, after: int, seconds: float, over: Callable[[], bool] = lambda: False
    ) -> Sequence[LogLine]:
        """Log entries after `after`, waiting up to `seconds` for one to come; none when the run ended, the
        time is over, or `over` says so, which is asked at each wake-up.
        """
        ...

    def enlist(self, worker: str, home: str, seconds: float) -> None:
        """Enter a runner under a new name, with a lease;
        earlier runners of the same `home` are ended at once.
        """
        ...

    def beat(self, worker: str, seconds: float, trouble: str | None = None) -> bool:
        """Renew a runner's lease for `seconds` from now, and tell what is wrong with its engine; False when
        the lease was ended meanwhile.
        """
        ...

    def retire(self, worker: str) -> None:
        """End a runner's lease at once."""
        ...

    def alive(self, worker: str) -> bool:
        """Whether the runner's lease holds."""
        ...

    def workers(self) -> Sequence[Worker]:
        """The runners whose leases hold, by name."""
        ...

    def lost(self) -> Sequence[Run]:
        """Claimed runs in `processing` or `canceling` whose runner's lease ran out or was ended."""
        ...

    def unfinished(self) -> Sequence[Run]:
        """Every top-level run that has not ended, oldest first."""
        ...

    def over(self, runs: Collection[int]) -> Sequence[int]:
        """Those of the runs that have ended or are not in the book any more; one statement."""
        ...

    def wake(self, seen: int, seconds: float) -> int:
        """Block a runner until something may be claimed, canceled or cleared up after a wait; a number to
        pass as `seen` the next time.

        Start with 0, which returns at once. What happens after a call returns makes the next one return at
        once.
        """
        ...

    def canceling(self, worker: str) -> Sequence[int]:
        """The runner's runs whose cancel is pending."""
        ...

    def oldest(self) -> str | None:
        """When the first of all top-level runs ended whose log and output are still kept;
        None: no such run.
        """
        ...

    def spent(self, inputs: Collection[str]) -> Collection[str]:
        """Those of the inputs with which a run was submitted that has ended."""
        ...

    def expire(self, before: str, most: int) -> int:
        """Let go of the logs and outputs of runs that ended before a stamp, the oldest first, `most` runs at
        a time; of how many it was. All else of them stays.
        """
        ...

    def failures(self, job: int) -> int:
        """How many scheduled runs in a row ended failed, newest first;
        canceled ones are passed over (decisions 27).
        """
        ...

    def discard(self, job: int) -> None:
        """Forget every run of a job that is being removed;
        those that run are canceled first, and forgotten then.
        """
        ...
