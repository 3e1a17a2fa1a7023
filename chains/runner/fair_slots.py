"""A fair share of the step slots: turns between accounts, then between the runs of an account."""

from __future__ import annotations

import logging
import threading
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass

# An account that is forgotten counts as one that had no turn yet, and is the next of those that have as
# little going: no account can gain from that by more than one turn.
REMEMBERED = 1_000


class AccountTurns:
    """Counts what each account has going, and knows when it had its last turn; for one thread at a time."""

    def __init__(self) -> None:
        self.total = 0
        self._going: Counter[str] = Counter()
        self._last: OrderedDict[str, int] = OrderedDict()
        self._turns = 0

    def begin(self, account: str) -> None:
        """Note that something of an account begins: its turn is had."""
        self.total += 1
        self._going[account] += 1
        self._turns += 1
        self._last[account] = self._turns
        self._last.move_to_end(account)
        if len(self._last) > REMEMBERED:
            self._last.popitem(last=False)

    def end(self, account: str) -> None:
        """Note that something of an account has ended."""
        self.total -= 1
        self._going[account] -= 1
        if not self._going[account]:
            del self._going[account]

    def going(self, account: str) -> int:
        """The number of things that an account has going."""
        return self._going[account]

    def rank(self, account: str) -> tuple[int, int]:
        """The place of an account among those that wait: the lowest is next."""
        return self._going[account], self._last.get(account, 0)


_log = logging.getLogger(__name__)

Act = Callable[[], object]


class FairSlots:
    """Does what runs hand in, `slots` things at once in the threads of `pool`.

    The next is always of the account that has the least going, of its runs of the one whose turn it is; what
    one run handed in keeps its order. An account that has nothing going may use the `spare` slots too, so it
    waits for what others do only when those are taken. The pool needs a thread for each slot.
    """

    def __init__(self, pool: Executor, slots: int, spare: int = 0) -> None:
        self._pool = pool
        self._slots = slots
        self._spare = spare
        self._lock = threading.Lock()
        self._turns = AccountTurns()
        self._waiting: dict[str, OrderedDict[int, deque[Act]]] = {}

    def of(self, account: str, run: int) -> RunSlots:
        """The slots as a run of an account has them."""
        return RunSlots(self, account, run)

    def resize(self, there: int, spare: int) -> int:
        """Have `there` slots in all from now on, up to `spare` of them spare; the number of the others.

        Steps in slots that are no more go on.
        """
        with self._lock:
            self._spare = min(spare, max(there - 1, 0))
            self._slots = max(there, 1) - self._spare
            self._fill()
            return self._slots

    def add(self, account: str, run: int, act: Act) -> None:
        """Have something done for a run of an account when it is its turn."""
        with self._lock:
            self._waiting.setdefault(account, OrderedDict()).setdefault(run, deque()).append(act)
            self._fill()

    def _fill(self) -> None:
        while (account := self._next()) is not None:
            self._turns.begin(account)
            self._pool.submit(self._work, account, self._take(account))

    def _next(self) -> str | None:
        """The account whose turn it is; None when nobody waits who may begin."""
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
            _log.exception("what a run handed in broke off")
        with self._lock:
            self._turns.end(account)
            self._fill()


@dataclass(frozen=True, slots=True)
class RunSlots:
    """The slots as one run hands in to them."""

    fair: FairSlots
    account: str
    run: int

    def submit(self, act: Act) -> None:
        """Have something done soon."""
        self.fair.add(self.account, self.run, act)
