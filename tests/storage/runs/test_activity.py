"""Runs are counted as they are recorded and end, at once too."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from chains.runs.activity import COUNTERS, DAYS, Day, days_of, pack_month, unit, unpack_month
from chains.runs.ports import Runs
from chains.runs.records import Order
from chains.runs.states import Event, Status
from storage.runs.activity import StoredActivity
from tests.kit.suites.chains import JOB, at_once
from tests.kit.world import JOIN
from tests.storage.runs.test_runs import InDatabase
from vfs.errors import Conflict

TODAY = "2026-01-02"
GROUP = "+village~birders"
SHARE = """
INSERT INTO share (item, target, letters, name, kind, owner, created_on)
VALUES (1, '+village~birders', 'rx', '+village~birders~rx', 'job', 'alice', '')"""


class TestCounting(InDatabase):
    @pytest.fixture(autouse=True)
    def share(self, keep: None) -> None:
        for name in ("alice", "bob"):
            self.database.run(JOIN, GROUP, name, "members", False, "")
        self.database.run(SHARE)
        self.activity = StoredActivity(self.database)

    def days(self) -> list[Day]:
        return list(self.activity.days("village", "bob", date(2025, 1, 1), date(2026, 1, 31)))

    def run(self, book: Runs, number: int, *events: Event, trigger: str = "api", **more: Any) -> int:
        run = book.queue.submit(Order(JOB, f"run-{number}", trigger, "curl", "bob", None, None), **more)
        for event in events:
            book.states.event(run.key, event)
        return run.key

    def some_of_each(self, book: Runs) -> None:
        self.run(book, 1, Event.SUCCEED)
        self.run(book, 2, Event.HOLD, Event.CONTINUE, Event.FAIL, trigger="schedule")
        self.run(book, 3, Event.CANCEL, Event.CANCEL, Event.TORN_DOWN, trigger="email")
        self.run(book, 4, Event.HOLD)
        self.run(book, 5, status=Status.REJECTED)

    def test_runs_count_when_they_are_recorded_and_when_they_end(self) -> None:
        self.some_of_each(self.book())
        assert self.days() == [Day(TODAY, api=3, schedule=1, email=1, success=1, failed=1)]

    def test_a_run_counts_on_the_day_it_was_recorded(self) -> None:
        book = self.book()
        key = self.run(book, 1)
        self.clock.forward(2 * 24 * 60 * 60)
        book.states.event(key, Event.SUCCEED)
        assert self.days() == [Day(TODAY, api=1, success=1)]

    def test_runs_inside_runs_do_not_count(self) -> None:
        book = self.book()
        key = self.run(book, 1)
        self.database.run("UPDATE run SET parent = 0, top = 0 WHERE key = ?", key)
        book.states.event(key, Event.FAIL)
        assert self.days() == [Day(TODAY, api=1)]

    def test_the_runs_of_a_removed_job_are_forgotten(self) -> None:
        book = self.book()
        key = self.run(book, 1)
        self.run(book, 2, Event.SUCCEED)
        book.retention.discard(JOB)
        assert self.days() == []
        book.states.event(key, Event.TORN_DOWN)
        assert self.days() == []

    def test_what_comes_at_once_is_added_up(self) -> None:
        created_on = f"{TODAY}T03:04:05.678Z"

        def begin() -> None:
            with self.database.atomic():
                self.activity.count_start([JOB], "api", created_on)

        assert at_once(*[begin] * 8) == [None] * 8
        assert self.days() == [Day(TODAY, api=8)]

    def test_a_refused_run_does_not_count(self) -> None:
        self.database.run("CREATE UNIQUE INDEX only_one ON run (caller)")
        self.run(self.book(), 1)
        with pytest.raises(Conflict):
            self.run(self.book(), 2)
        assert self.days() == [Day(TODAY, api=1)]


@given(some.dictionaries(some.integers(1, DAYS), some.tuples(*[some.integers(0, 4)] * len(COUNTERS))))
def test_counts_of_a_month_add_up_and_are_told(days: dict[int, tuple[int, ...]]) -> None:
    number = 0
    for day, counts in days.items():
        for counter, times in zip(COUNTERS, counts, strict=True):
            for _ in range(times):
                number = unpack_month(pack_month(number)) + unit(counter, f"2026-10-{day:02}T12:00:00.000Z")
    wanted = [Day(f"2026-10-{day:02}", *counts) for day, counts in sorted(days.items()) if any(counts)]
    assert list(days_of("2026-10", number)) == wanted
    assert [day.total for day in days_of("2026-10", number + number)] == [2 * day.total for day in wanted]
