"""Applications, approvals and connections keep the promises of their ports; what is past leaves no rows."""

from __future__ import annotations

from storage.database.database import Database
from tests.kit.suites.kernel import add_user
from tests.kit.suites.kernel.applications import (
    PUBLISHED,
    YEAR,
    ApplicationsSuite,
    ConnectionsSuite,
    approval,
    connect,
)
from tests.kit.world import StoredWorld


class TestApplications(ApplicationsSuite):
    pass


class TestConnections(ConnectionsSuite):
    pass


def test_what_is_long_past_leaves_no_rows(stored: StoredWorld, database: Database) -> None:
    add_user(stored, "alice")
    connect(stored, client=PUBLISHED)
    stored.clock.forward(YEAR)
    stored.connections.approve("new", approval(PUBLISHED, "2027-12-23T08:00:00.000Z"))
    tables = ("approval", "connection", "refresh")
    assert [database.value(f"SELECT count(*) FROM {table}") for table in tables] == [1, 0, 0]
