"""A fair share of the step slots for every run: one fan-out over thousands of files keeps nobody waiting."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass

_log = logging.getLogger(__name__)

Act = Callable[[], object]


class FairSlots:
    """Does what runs hand in, `slots` things at once in the threads of `pool`.

    Every run has its turn; what one run handed in keeps its order.
    """

    def __init__(self, pool: Executor, slots: int) -> None:
        self._pool = pool
        self._slots = slots
        self._busy = 0
        self._lock = threading.Lock()
        self._waiting: OrderedDict[int, deque[Act]] = OrderedDict()

    def of(self, run: int) -> RunSlots:
        """The share of a run."""
        return RunSlots(self, run)

    def add(self, run: int, act: Act) -> None:
        """Have something done for a run when it is its turn."""
        with self._lock:
            self._waiting.setdefault(run, deque()).append(act)
            if self._busy == self._slots:
                return
            self._busy += 1
        self._pool.submit(self._work)

    def _work(self) -> None:
        while (act := self._next()) is not None:
            try:
                act()
            except Exception:
                _log.exception("what a run handed in broke off")

    def _next(self) -> Act | None:
        with self._lock:
            if not self._waiting:
                self._busy -= 1
                return None
            run, acts = self._waiting.popitem(last=False)
            act = acts.popleft()
            if acts:
                self._waiting[run] = acts
            return act


@dataclass(frozen=True, slots=True)
class RunSlots:
    """The slots as one run hands in to them."""

    fair: FairSlots
    run: int

    def submit(self, act: Act) -> None:
        """Have something done soon."""
        self.fair.add(self.run, act)
