"""The stored runs keep the promises of their ports, on SQLite and on PostgreSQL."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from chains.runs.ports import Runs
from chains.runs.records import Order
from storage.database.database import Database
from storage.runs.builds import TURNS as BUILD_TURNS
from storage.runs.queue import TURNS
from storage.runs.reader import GOING, LAST, NEWEST
from storage.runs.reader import PAST as PAGE
from storage.runs.retention import OLDEST, PAST
from storage.runs.rows import OPEN, WHOLE
from storage.runs.runs import stored_runs
from storage.signals.change_signals import change_signal_of
from storage.tree.shortnames import Shortnames
from tests.kit.suites.chains import chain
from tests.kit.suites.chains.hold_spaces import HoldSpacesSuite
from tests.kit.suites.chains.leases import LeasesSuite
from tests.kit.suites.chains.queue import RunQueueSuite
from tests.kit.suites.chains.reader import RunReaderSuite
from tests.kit.suites.chains.retention import RunRetentionSuite
from tests.kit.suites.chains.states import RunStatesSuite
from tests.kit.suites.chains.waits import RunWaitsSuite
from tests.kit.suites.kernel import StillClock

NAMES = re.compile(":[a-z]+")


class InDatabase:
    """Gives a book over a database that holds the job."""

    @pytest.fixture(autouse=True)
    def keep(self, migrated_url: str, tmp_path: Path) -> Iterator[None]:
        self.clock, self.revoked = StillClock(), list[int]()
        self.database = Database(migrated_url)
        self.database.run(
            "INSERT INTO item (id, kind, owner, name, shortname, created_on, last_modified)"
            " VALUES (1, 'job', 'alice', 'nightly', 'Jobby', '', '')"
        )
        self.change_signal = change_signal_of(self.database, migrated_url, tmp_path / "signals")
        yield
        self.change_signal.close()
        self.database.close()

    def run_store(self) -> Runs:
        return stored_runs(
            self.database,
            self.change_signal,
            self.clock,
            Shortnames(self.database).fresh,
            self.revoked.append,
        )


class TestQueue(InDatabase, RunQueueSuite):
    pass


class TestStates(InDatabase, RunStatesSuite):
    pass


class TestReader(InDatabase, RunReaderSuite):
    pass


class TestWaits(InDatabase, RunWaitsSuite):
    pass


class TestLeases(InDatabase, LeasesSuite):
    pass


class TestRetention(InDatabase, RunRetentionSuite):
    pass


class TestHoldSpaces(InDatabase, HoldSpacesSuite):
    pass


class TestDetails(InDatabase):
    def test_a_plan_of_another_release_is_not_used(self) -> None:
        run_store = self.run_store()
        run = run_store.queue.submit(
            Order(1, "20261121-074416-00000001", "api", "curl", "bob", chain("a"), None)
        )
        self.database.run("UPDATE run SET plan = ?", '{"steps": [{"new": 1}]}')
        taken = run_store.queue.take("w")
        assert taken is not None
        assert (taken.key, taken.plan) == (run.key, None)

    def test_a_job_that_is_gone_has_no_name_any_more(self) -> None:
        run_store = self.run_store()
        run = run_store.queue.submit(Order(9, "20261121-074416-00000001", "api", "curl", "bob", None, None))
        assert (run.origin_owner, run.origin, run.origin_shortname) == ("", "", "")

    @pytest.mark.parametrize(
        "statement,index",
        [
            (TURNS.firsts, "run_queue"),
            (BUILD_TURNS.firsts, "build_queue"),
            (f"{WHOLE} WHERE {OPEN} ORDER BY r.key", "run_open"),
            (OLDEST, "run_kept"),
            (PAGE, "run_job"),
            (LAST, "run_job"),
            (GOING, "run_going"),
            (PAST.replace(":before", "'3'"), "run_kept"),
            (NEWEST, "run_job"),
        ],
    )
    def test_frequent_queries_use_an_index(self, statement: str, index: str) -> None:
        with self.database.atomic():
            if self.database.dialect == "postgresql":
                self.database.run("SET LOCAL enable_seqscan = off")
            how = "EXPLAIN" if self.database.dialect == "postgresql" else "EXPLAIN QUERY PLAN"
            plan = str(self.database.rows(f"{how} {NAMES.sub('3', statement)}"))
        assert index in plan
