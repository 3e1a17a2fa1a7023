"""The books of runs keep the promises of the port: in dictionaries, on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from chains.book import RunBook
from chains.testing.books import RunBookSuite
from chains.testing.claims import ClaimSuite, WakeSuite
from storage.bell import Bell, PipeBell
from storage.database import Database
from storage.listen import PostgresBell
from storage.memory.runs import MemoryRuns
from storage.runs import Runs
from storage.shortnames import Shortnames, draw
from vfs.testing import StillClock


class InMemory:
    """Gives a book in dictionaries."""

    @pytest.fixture(autouse=True)
    def keep(self) -> None:
        self.clock, self.revoked = StillClock(), list[int]()

    def book(self) -> RunBook:
        return MemoryRuns(
            self.clock, lambda job: ("alice", "nightly", "Jobby"), lambda: draw(5), self.revoked.append
        )


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
        self.bell = bell_of(self.database, migrated_url, tmp_path)
        yield
        self.bell.close()
        self.database.close()

    def book(self) -> RunBook:
        return Runs(
            self.database, self.bell, self.clock, Shortnames(self.database).fresh, self.revoked.append
        )


def bell_of(database: Database, url: str, folder: Path) -> Bell:
    if database.dialect == "sqlite":
        return PipeBell(folder / "bells", database.after_commit)
    return PostgresBell(url, lambda channel, topic: database.rows("SELECT pg_notify(?, ?)", channel, topic))


class TestRunsInMemory(InMemory, RunBookSuite):
    pass


class TestClaimsInMemory(InMemory, ClaimSuite):
    pass


class TestWakingInMemory(InMemory, WakeSuite):
    pass


class TestRunsInADatabase(InDatabase, RunBookSuite):
    pass


class TestClaimsInADatabase(InDatabase, ClaimSuite):
    pass


class TestWakingInADatabase(InDatabase, WakeSuite):
    pass
