"""Applications, approvals and connections keep their promises on both databases."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from storage.database.database import Database
from storage.people.applications import StoredApplications
from storage.people.connections import StoredConnections
from tests.kit.world import StoredGround
from vfs.access import Via
from vfs.errors import Conflict, NotFound
from vfs.ports.applications import Approval
from vfs.ports.people import Account

FIELDS = {
    "name": "Birds",
    "description": "counts birds",
    "redirects": ("https://birds.example/a", "http://localhost/b"),
    "scopes": ("read", "vis"),
}
ENDS = "2026-12-21T00:00:00.000Z"


@pytest.fixture
def applications(stored: StoredGround) -> StoredApplications:
    return StoredApplications(stored.database, stored.clock)


@pytest.fixture
def connections(stored: StoredGround) -> StoredConnections:
    return StoredConnections(stored.database, stored.clock)


def approval(client: str = "birds", expires_on: str = "2026-11-21T07:45:16.123Z") -> Approval:
    return Approval(client, "alice", 7, "http://localhost:1/b", "c" * 43, "read", expires_on, ENDS)


def connect(
    stored: StoredGround, connections: StoredConnections, code: str = "code", client: str = "birds"
) -> int:
    connections.approve(code, approval(client))
    token = stored.tokens.mint("alice", f"{client}-{code}", f"a-{code}", via=Via.APPLICATION)
    assert connections.connect(code, token.id, f"r-{code}")
    return token.id


@pytest.fixture(autouse=True)
def _alice(stored: StoredGround) -> None:
    stored.users.add("alice", "x", Account.REGULAR, None, public=False)


def test_the_published_command_line_is_registered(applications: StoredApplications) -> None:
    found = applications.find("novem-cli")
    assert found is not None and found.owner is None
    assert found.redirects == (
        "http://localhost/callback",
        "http://127.0.0.1/callback",
        "urn:ietf:wg:oauth:2.0:oob",
    )
    assert found.scopes[0] == "all"
    assert [one.client for one in applications.of(None)] == ["novem-cli"]


def test_an_application_is_kept_changed_and_removed(applications: StoredApplications) -> None:
    made = applications.add("@alice~birds", "alice", **FIELDS)
    assert (made.owner, made.name, made.redirects, made.scopes) == (
        "alice", "Birds", FIELDS["redirects"], FIELDS["scopes"],
    )  # fmt: skip
    with pytest.raises(Conflict):
        applications.add("@alice~birds", "alice", **FIELDS)
    applications.change("@alice~birds", name="Gulls", redirects=())
    found = applications.find("@alice~birds")
    assert found is not None and (found.name, found.redirects) == ("Gulls", ())
    assert [one.client for one in applications.of("alice")] == ["@alice~birds"]
    assert applications.remove("@alice~birds")
    assert not applications.remove("@alice~birds")
    with pytest.raises(NotFound):
        applications.change("@alice~birds", name="x")
    with pytest.raises(TypeError):
        applications.change("novem-cli", owner="alice")


def test_an_application_is_locked_with_its_owner(
    stored: StoredGround, applications: StoredApplications
) -> None:
    applications.add("@alice~birds", "alice", **FIELDS)
    stored.users.change("alice", locked=True)
    found = applications.find("@alice~birds")
    assert found is not None and found.locked


def test_a_code_is_exchanged_once(
    stored: StoredGround, applications: StoredApplications, connections: StoredConnections
) -> None:
    applications.add("birds", None, **FIELDS)
    assert connections.approval("code") is None
    token = connect(stored, connections)
    assert not connections.connect("code", token, "other")
    found = connections.approval("code")
    assert found is not None and (found.user, found.token, found.ends_on) == ("alice", token, ENDS)
    assert connections.by_refresh("other") is None
    by = connections.by_refresh("r-code")
    assert by is not None and (by.token, by.client, by.user, by.approver, by.renewed) == (
        token, "birds", "alice", 7, False,
    )  # fmt: skip
    assert connections.by_token(token) == by
    assert connections.by_token(0) is None


def test_a_connection_is_renewed_by_one_alone(
    stored: StoredGround, applications: StoredApplications, connections: StoredConnections
) -> None:
    applications.add("birds", None, **FIELDS)
    token = connect(stored, connections)
    with ThreadPoolExecutor(4) as pool:
        won = list(pool.map(lambda number: connections.renew("r-code", f"r{number}", f"a{number}"), range(4)))
    assert sum(won) == 1
    assert stored.tokens.by_digest("a-code") is None
    present = stored.tokens.by_digest(f"a{won.index(True)}")
    assert present is not None and present.id == token
    old = connections.by_refresh("r-code")
    assert old is not None and old.renewed


def test_what_is_removed_ends_its_own_connections_alone(
    stored: StoredGround, applications: StoredApplications, connections: StoredConnections
) -> None:
    applications.add("birds", None, **FIELDS)
    mine, others = connect(stored, connections), connect(stored, connections, "two", "novem-cli")
    assert applications.remove("birds")
    ended, alive = stored.tokens.at(mine), stored.tokens.at(others)
    assert ended is not None and ended.revoked_on is not None
    assert alive is not None and alive.revoked_on is None
    assert connections.by_refresh("r-code") is None
    assert connections.by_refresh("r-two") is not None


def test_what_is_long_past_is_forgotten(
    stored: StoredGround, database: Database, connections: StoredConnections
) -> None:
    connect(stored, connections, client="novem-cli")
    stored.clock.forward(400 * 24 * 3600)
    connections.approve("new", approval("novem-cli", "2028-12-23T08:00:00.000Z"))
    assert connections.approval("code") is None
    assert connections.by_refresh("r-code") is None
    counts = [
        database.value(f"SELECT count(*) FROM {table}") for table in ("approval", "connection", "refresh")
    ]
    assert counts == [1, 0, 0]
