"""The books of runs tell of ends: in dictionaries, on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from chains.runs.book import Ended, RunBook
from chains.runs.states import Event, Status
from chains.testing.ends import EndsSuite
from storage.memory.runs import MemoryRuns
from storage.runs.book import Runs
from storage.tree.shortnames import Shortnames, draw
from tests.storage.runs.test_book import InDatabase, InMemory


class TestEndsInMemory(InMemory, EndsSuite):
    def telling(self, hear: Callable[[Ended], object]) -> RunBook:
        return MemoryRuns(
            self.clock, lambda job: ("alice", "n", "J"), lambda: draw(5), self.revoked.append, hear
        )


class TestEndsInADatabase(InDatabase, EndsSuite):
    def telling(self, hear: Callable[[Ended], object]) -> RunBook:
        fresh = Shortnames(self.database).fresh
        return Runs(self.database, self.bell, self.clock, fresh, self.revoked.append, hear)

    def test_what_is_told_and_the_end_happen_together(self) -> None:
        def hear(end: Ended) -> None:
            raise ZeroDivisionError

        book = self.telling(hear)
        run = book.submit(self.order())
        with pytest.raises(ZeroDivisionError):
            book.event(run.key, Event.FAIL)
        found = book.by_key(run.key)
        assert found is not None
        assert found.status is Status.PROCESSING
