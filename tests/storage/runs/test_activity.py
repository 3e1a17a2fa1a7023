"""Runs are counted as they are recorded and end, at once too, and those of before the count as well."""

from __future__ import annotations

from datetime import date
from importlib import import_module
from typing import Any

import pytest

from chains.runs.activity import COUNTERS, Day
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


OLD_TABLE = "CREATE TABLE activity (job BIGINT NOT NULL, month TEXT NOT NULL, counts {} NOT NULL)"
BYTES = {"sqlite": "BLOB", "postgresql": "BYTEA"}


class TestCounting(InDatabase):
    @pytest.fixture(autouse=True)
    def share(self, keep: None) -> None:
        for name in ("alice", "bob"):
            self.database.run(JOIN, GROUP, name, "members", False, "")
        self.database.run(SHARE)
        self.activity = StoredActivity(self.database)

    def days(self) -> list[Day]:
        return list(self.activity.days("village", "bob", date(2025, 1, 1), date(2026, 1, 31)))

    def run(self, run_store: Runs, number: int, *events: Event, trigger: str = "api", **more: Any) -> int:
        run = run_store.queue.submit(Order(JOB, f"run-{number}", trigger, "curl", "bob", None, None), **more)
        for event in events:
            run_store.states.event(run.key, event)
        return run.key

    def some_of_each(self, run_store: Runs) -> None:
        self.run(run_store, 1, Event.SUCCEED)
        self.run(run_store, 2, Event.HOLD, Event.CONTINUE, Event.FAIL, trigger="schedule")
        self.run(run_store, 3, Event.CANCEL, Event.CANCEL, Event.TORN_DOWN, trigger="email")
        self.run(run_store, 4, Event.HOLD)
        self.run(run_store, 5, status=Status.REJECTED)

    def test_runs_count_when_they_are_recorded_and_when_they_end(self) -> None:
        self.some_of_each(self.run_store())
        assert self.days() == [Day(TODAY, api=3, schedule=1, email=1, success=1, failed=1)]

    def test_a_run_counts_on_the_day_it_was_recorded(self) -> None:
        run_store = self.run_store()
        key = self.run(run_store, 1)
        self.clock.forward(2 * 24 * 60 * 60)
        run_store.states.event(key, Event.SUCCEED)
        assert self.days() == [Day(TODAY, api=1, success=1)]

    def test_runs_inside_runs_do_not_count(self) -> None:
        run_store = self.run_store()
        key = self.run(run_store, 1)
        self.database.run("UPDATE run SET parent = 0, top = 0 WHERE key = ?", key)
        run_store.states.event(key, Event.FAIL)
        assert self.days() == [Day(TODAY, api=1)]

    def test_the_runs_of_a_removed_job_are_forgotten(self) -> None:
        run_store = self.run_store()
        key = self.run(run_store, 1)
        self.run(run_store, 2, Event.SUCCEED)
        run_store.retention.discard(JOB)
        assert self.days() == []
        run_store.states.event(key, Event.TORN_DOWN)
        assert self.days() == []

    def test_what_comes_at_once_is_added_up(self) -> None:
        created_on = f"{TODAY}T03:04:05.678Z"

        def begin() -> None:
            with self.database.atomic():
                self.activity.count_start([JOB], "api", created_on)

        assert at_once(*[begin] * 8) == [None] * 8
        assert self.days() == [Day(TODAY, api=8)]

    def test_the_migration_keeps_what_was_counted(self) -> None:
        months = {
            "2025-12": ((31, "api", 3), (31, "failed", 2)),
            "2026-01": ((1, "email", 5), (2, "success", 1)),
        }
        self.database.run("DROP TABLE job_day")
        self.database.run(OLD_TABLE.format(BYTES[self.database.dialect]))
        for month, counts in months.items():
            number = sum(
                runs << (32 * (5 * (day - 1) + COUNTERS.index(counter))) for day, counter, runs in counts
            )
            row = {"month": month, "counts": number.to_bytes(620, "little"), "job": JOB}
            self.database.run("INSERT INTO activity VALUES (:job, :month, :counts)", **row)
        with self.database.atomic():
            import_module("storage.migrations.0066_job_days").up(None, self.database._pool)
        assert self.days() == [
            Day("2025-12-31", api=3, failed=2),
            Day("2026-01-01", email=5),
            Day("2026-01-02", success=1),
        ]

    def test_a_refused_run_does_not_count(self) -> None:
        self.database.run("CREATE UNIQUE INDEX only_one ON run (caller)")
        self.run(self.run_store(), 1)
        with pytest.raises(Conflict):
            self.run(self.run_store(), 2)
        assert self.days() == [Day(TODAY, api=1)]
