"""Rows that requests make, each kind bounded for its maker; and listings of many at the cost of few."""

from __future__ import annotations

import base64
import json
import logging
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import pytest

from tests.kit.client import Answer
from tests.kit.service import Application
from vfs.access import Role
from vfs.ports.groups import GroupKind, TieKind
from vfs.ports.quotas import MADE, QuotaName

DOC, OTHER = "/v1/vis/docs/birds", "/v1/users/bob/vis/docs/bees"
CROWS = "/v1/admin/groups/crows/roles/members"


class Request(NamedTuple):
    """A request that makes one more, by its number, and the one that takes it away."""

    method: str
    path: str
    undo: str
    body: str = ""


MAKING: Mapping[QuotaName, Request] = {
    QuotaName.GROUPS: Request("PUT", "/v1/admin/groups/g{n}", "/v1/admin/groups/g{n}"),
    QuotaName.MEMBERS: Request("PUT", f"{CROWS}/u{{n}}", f"{CROWS}/I-u{{n}}"),
    QuotaName.INVITES: Request("PUT", f"{CROWS}/u{{n}}", f"{CROWS}/I-u{{n}}"),
    QuotaName.SHARES: Request("PUT", f"{DOC}/shared/@u{{n}}~r", f"{DOC}/shared/@u{{n}}~r"),
    QuotaName.TIES: Request("PUT", "/v1/admin/social/following/u{n}", "/v1/admin/social/following/u{n}"),
    QuotaName.TOKENS: Request("POST", "/v1/token", "/v1/admin/tokens/t{n}", '{{"token_name": "t{n}"}}'),
    QuotaName.KEYS: Request("PUT", "/v1/admin/keys/k{n}", "/v1/admin/keys/k{n}"),
    QuotaName.TAGS: Request("PUT", f"{OTHER}/tags/+t{{n}}", f"{OTHER}/tags/+t{{n}}"),
    QuotaName.VARIABLES: Request("PUT", f"{DOC}/vars/v{{n}}", f"{DOC}/vars/v{{n}}"),
    QuotaName.COMMENTS: Request(
        "PUT", f"{OTHER}/threads/c{{n}}", f"{OTHER}/threads/@alice~c{{n}}", "Hello {n}"
    ),
}


class Site:
    """Requests of alice's, who may see bob's document."""

    def __init__(self, service: Application) -> None:
        self.service = service
        self.quotas = service.world.service.quotas

    def ask(
        self, method: str, path: str, body: str = "", *, user: str = "alice", by_password: bool = False
    ) -> Answer:
        secret = f"Bearer {self.service.user(user)}"
        if by_password:
            pair = base64.b64encode(f"{user}:{self.service.password(user)}".encode()).decode()
            secret = f"Basic {pair}"
        media = "application/json" if body.startswith("{") else "text/plain"
        headers = [("Authorization", secret), ("Content-Type", media), ("Accept", "application/json")]
        return self.service.call(method, path, headers, body.encode())

    def make(self, name: QuotaName, n: int) -> Answer:
        """Make one more of a kind."""
        one = MAKING[name]
        return self.ask(
            one.method, one.path.format(n=n), one.body.format(n=n), by_password=name is QuotaName.TOKENS
        )

    def use(self, name: QuotaName, user: str = "alice") -> int:
        return self.quotas.one(user, name).use


@pytest.fixture
def site(service: Application) -> Site:
    site = Site(service)
    for name in ("alice", "bob", "u0", "u1", "u2"):
        service.user(name, "public")
    for user, path in (("alice", DOC), ("alice", "/v1/admin/groups/crows"), ("bob", "/v1/vis/docs/bees")):
        assert site.ask("PUT", path, user=user).status == 201
    assert site.ask("PUT", "/v1/vis/docs/bees/shared/public~r", user="bob").status == 201
    return site


def test_there_is_a_request_of_every_kind() -> None:
    assert set(MAKING) == set(MADE) - {QuotaName.SESSIONS}


@pytest.mark.parametrize("name", MAKING)
def test_one_more_than_may_be_is_429_with_the_name_of_the_quota(site: Site, name: QuotaName) -> None:
    theirs = [quota.use for quota in site.quotas.of("bob")]
    site.quotas.set("alice", {name: site.use(name) + 1})
    assert site.make(name, 0).status in (200, 201)
    answer = site.make(name, 1)
    problem = json.loads(answer.body)
    assert (answer.status, problem["type"].rpartition("#")[2], problem["quota"]) == (429, "quota", name)
    assert "retry-after" not in answer.headers
    assert f"reached its quota of {site.quotas.one('alice', name).limit} " in problem["detail"]
    assert "first" in problem["detail"]
    assert site.make(name, 0).status in (200, 409)
    assert site.ask("DELETE", MAKING[name].undo.format(n=0)).status == 200
    assert site.make(name, 1).status in (200, 201)
    assert [quota.use for quota in site.quotas.of("bob")] == theirs


def test_signing_in_ends_the_oldest_session_and_is_never_refused(site: Site) -> None:
    site.quotas.set("alice", {QuotaName.SESSIONS: 2, QuotaName.TOKENS: 0})
    values = []
    for _ in range(4):
        answer = site.ask("POST", "/v1/auth", by_password=True)
        assert answer.status in (200, 201)
        values.append(json.loads(answer.body)["token"])
    headers = [[("Authorization", f"Bearer {value}")] for value in values]
    assert [site.service.call("GET", "/v1/whoami", one, b"").status for one in headers] == [
        401,
        401,
        200,
        200,
    ]
    assert site.ask("GET", "/v1/whoami").status == 200


def test_every_quota_is_shown_to_its_owner(site: Site) -> None:
    rows = json.loads(site.ask("GET", "/v1/admin/quota/overview").body)
    assert [row["quota"] for row in rows] == list(QuotaName)
    for row in rows:
        assert json.loads(site.ask("GET", f"/v1/admin/quota/{row['quota']}").body) == row
    assert {row["quota"]: row["use"] for row in rows if row["quota"] in MADE} == {
        name: site.use(name) for name in MADE
    }


@pytest.fixture
def cost(site: Site, caplog: pytest.LogCaptureFixture) -> Callable[[str, str], tuple[int, int]]:
    """The entries of a listing, and the statements that it takes."""

    def count(path: str, user: str) -> tuple[int, int]:
        site.service.user(user)
        caplog.clear()
        with caplog.at_level(logging.DEBUG, logger="peewee"):
            answer = site.ask("GET", path, user=user)
        assert answer.status == 200, answer.body
        statements = [record for record in caplog.records if record.name == "peewee"]
        return len(json.loads(answer.body)), len(statements)

    return count


def found(site: Site, numbers: range) -> None:
    """Groups of alice's, each with bob as a member, u0 invited, and each third open to everybody."""
    people, leaves = site.service.world.people, site.service.world.leaves
    for n in numbers:
        group = people.groups.create(GroupKind.USER_GROUP, "alice", f"g{n}", "alice")
        people.members.put(group.ref, "bob", Role.MEMBERS, pending=False, by="alice")
        people.members.put(group.ref, "u0", Role.MEMBERS, pending=True, by="alice")
        people.ties.put(TieKind.CONNECTION, "u1" if n == numbers[0] else f"x{n}", "u0", pending=True)
        if n % 3 == 0:
            people.groups.change(group.ref, public=True)
            for option in ("show_profile", "show_description", "show_members"):
                leaves.put(group.item.id, f"options/{option}", "yes", "alice")


@pytest.mark.parametrize(
    ("path", "user"),
    [
        ("/v1/users/alice/groups", "alice"),
        ("/v1/users/alice/groups", "bob"),
        ("/v1/users/alice/groups", "u0"),
        ("/v1/users/alice/groups", "u2"),
        ("/v1/admin/invites", "u0"),
        ("/v1/admin/invites", "bob"),
        ("/v1/groups", "bob"),
        ("/v1/admin/groups", "alice"),
        ("/v1/admin/social/connections", "u1"),
    ],
)
def test_many_entries_cost_as_many_statements_as_few(
    site: Site, cost: Callable[[str, str], tuple[int, int]], path: str, user: str
) -> None:
    found(site, range(3))
    cost(path, user)  # the first request of a user makes its token
    few = cost(path, user)
    found(site, range(3, 60))
    many = cost(path, user)
    assert many[1] == few[1] <= 6
    assert many[0] >= few[0]
    if (path, user) in (("/v1/users/alice/groups", "bob"), ("/v1/admin/invites", "u0")):
        assert many[0] >= few[0] + 57


def test_names_of_groups_are_short_where_they_mean_one(site: Site) -> None:
    people = site.service.world.people
    for owner in ("bob", "u0", "u1"):
        ref = people.groups.create(GroupKind.USER_GROUP, owner, "flock", owner).ref
        people.members.put(ref, "u2", Role.MEMBERS, pending=False, by=owner)
        if owner != "u1":
            people.members.put(ref, "alice", Role.MEMBERS, pending=False, by=owner)
    ref = people.groups.create(GroupKind.USER_GROUP, "u1", "herd", "u1").ref
    for name in ("alice", "u2"):
        people.members.put(ref, name, Role.MEMBERS, pending=False, by="u1")
    names: list[Any] = [row["name"] for row in json.loads(site.ask("GET", "/v1/users/u2/groups").body)]
    assert names == ["@bob~flock", "@u0~flock", "herd"]
