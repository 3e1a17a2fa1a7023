"""The stored states of runs tell of ends, on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from chains.runs.ports import Runs
from chains.runs.records import RunEnd
from chains.runs.states import Event, Status
from storage.runs.runs import stored_runs
from storage.tree.shortnames import Shortnames
from tests.kit.suites.chains.ends import RunEndsSuite
from tests.storage.runs.test_runs import InDatabase


class TestEndsInADatabase(InDatabase, RunEndsSuite):
    def telling(self, hear: Callable[[RunEnd], object]) -> Runs:
        fresh = Shortnames(self.database).fresh
        return stored_runs(self.database, self.change_signal, self.clock, fresh, self.revoked.append, hear)

    def test_the_end_and_its_report_happen_together(self) -> None:
        def hear(end: RunEnd) -> None:
            raise ZeroDivisionError

        run_store = self.telling(hear)
        run = run_store.queue.submit(self.order())
        with pytest.raises(ZeroDivisionError):
            run_store.states.event(run.key, Event.FAIL)
        found = run_store.reader.by_key(run.key)
        assert found is not None
        assert found.status is Status.PROCESSING
