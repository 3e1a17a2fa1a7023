"""Fair sharing of the step slots: turns between accounts, then between the runs of an account."""

from __future__ import annotations

import logging
import threading
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass

# A forgotten account counts as one that had no turn yet. It is next among the accounts with the same number
# of running items, so it gains at most one turn.
REMEMBERED = 1_000


class AccountTurns:
    """Counts the running items of each account and orders accounts by their last turn. Not thread-safe."""

    def __init__(self) -> None:
        self.total = 0
        self._going: Counter[str] = Counter()
        self._last: OrderedDict[str, int] = OrderedDict()
        self._turns = 0

    def begin(self, account: str) -> None:
        """Record that an item of an account begins. This uses up the account's turn."""
        self.total += 1
        self._going[account] += 1
        self._turns += 1
        self._last[account] = self._turns
        self._last.move_to_end(account)
        if len(self._last) > REMEMBERED:
            self._last.popitem(last=False)

    def end(self, account: str) -> None:
        """Record that an item of an account has ended."""
        self.total -= 1
        self._going[account] -= 1
        if not self._going[account]:
            del self._going[account]

    def going(self, account: str) -> int:
        """Return the number of running items of an account."""
        return self._going[account]

    def rank(self, account: str) -> tuple[int, int]:
        """Return the rank of an account among those that wait. The lowest rank is next."""
        return self._going[account], self._last.get(account, 0)


_log = logging.getLogger(__name__)

Act = Callable[[], object]


class FairSlots:
    """Runs the functions that runs submit, `slots` at a time in the threads of `pool`.

    The next function is taken from the account with the fewest running ones, and among its runs from the one
    whose turn it is. Functions of one run keep their order. An account with nothing running may use the
    `spare` slots too, so it waits only when those are taken. The pool needs a thread for each slot.
    """

    def __init__(self, pool: Executor, slots: int, spare: int = 0) -> None:
        self._pool = pool
        self._slots = slots
        self._spare = spare
        self._lock = threading.Lock()
        self._turns = AccountTurns()
        self._waiting: dict[str, OrderedDict[int, deque[Act]]] = {}

    def of(self, account: str, run: int) -> RunSlots:
        """Return the slots for one run of an account."""
        return RunSlots(self, account, run)

    def resize(self, there: int, spare: int) -> int:
        """Set the number of slots to `there`, at most `spare` of them spare. Return the number of the others.

        Steps in slots that no longer exist continue.
        """
        with self._lock:
            self._spare = min(spare, max(there - 1, 0))
            self._slots = max(there, 1) - self._spare
            self._fill()
            return self._slots

    def add(self, account: str, run: int, act: Act) -> None:
        """Run a function for a run of an account when it is its turn."""
        with self._lock:
            self._waiting.setdefault(account, OrderedDict()).setdefault(run, deque()).append(act)
            self._fill()

    def _fill(self) -> None:
        while (account := self._next()) is not None:
            self._turns.begin(account)
            self._pool.submit(self._work, account, self._take(account))

    def _next(self) -> str | None:
        """Return the account whose turn it is, or None if no waiting account may begin."""
        total, may = self._turns.total, list(self._waiting)
        if total >= self._slots:
            may = [account for account in may if not self._turns.going(account)]
        return min(may, key=self._turns.rank, default=None) if total < self._slots + self._spare else None

    def _take(self, account: str) -> Act:
        runs = self._waiting[account]
        run, acts = runs.popitem(last=False)
        act = acts.popleft()
        if acts:
            runs[run] = acts
        elif not runs:
            del self._waiting[account]
        return act

    def _work(self, account: str, act: Act) -> None:
        try:
            act()
        except Exception:
            _log.exception("a function of a run failed unexpectedly")
        with self._lock:
            self._turns.end(account)
            self._fill()


@dataclass(frozen=True, slots=True)
class RunSlots:
    """The slots as one run uses them."""

    fair: FairSlots
    account: str
    run: int

    def submit(self, act: Act) -> None:
        """Run a function when it is the run's turn."""
        self.fair.add(self.account, self.run, act)
