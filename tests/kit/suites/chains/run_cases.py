"""Cases for the suites of the ports of runs: fresh ports, orders, and runs in any status."""

from __future__ import annotations

from typing import Any

from chains.plan.model import Plan
from chains.runs.ports import Runs
from chains.runs.records import Order, Run
from chains.runs.states import Event, Status
from tests.kit.suites.chains import JOB, chain
from tests.kit.suites.kernel import StillClock


class RunCases:
    """Base of the suites of the ports of runs.

    A subclass gives `run_store()`, a fresh book on `self.clock` in which job 1 is alice's `nightly`
    (`Jobby`), and which calls `self.revoked.append(run)` to end a run's credentials.
    """

    clock: StillClock
    revoked: list[int]

    def run_store(self) -> Runs:
        """A fresh book."""
        raise AssertionError("a subclass gives the book")

    def order(self, number: int = 1, plan: Plan | None = None, **fields: str) -> Order:
        """An order to run job 1."""
        given: dict[str, Any] = {"trigger": "api", "source": "curl", "by": "bob", **fields}
        return Order(JOB, f"20261121-074416-{number:08x}", plan=plan, input="in-1", **given)

    def at(self, run_store: Runs, status: Status) -> Run:
        """A run with the given status."""
        way = {
            Status.PROCESSING: (),
            Status.WAITING: (Event.HOLD,),
            Status.CANCELING: (Event.CANCEL,),
            Status.SUCCESS: (Event.SUCCEED,),
            Status.FAILED: (Event.FAIL,),
            Status.CANCELED: (Event.CANCEL, Event.TORN_DOWN),
            Status.REJECTED: (),
        }[status]
        number = 100 + len(run_store.reader.newest(JOB, None))
        first = status if status is Status.REJECTED else Status.PROCESSING
        run = run_store.queue.submit(self.order(number, chain("a", "b")), first)
        for event in way:
            run_store.states.event(run.key, event)
        found = run_store.reader.by_key(run.key)
        assert found is not None
        return found
