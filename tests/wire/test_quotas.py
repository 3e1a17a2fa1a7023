"""Quotas as their owner meets them: one refusal, whichever way things come, and a place that tells them."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from handlers.identity.identify import credentials_of
from handlers.identity.token_uses import TokenUses
from handlers.processes.git_access import GitAccess
from handlers.processes.web import identify_by, tree_and_pages
from handlers.trees import ROOT
from tests.kit.client import Answer
from tests.kit.service import Application
from vfs.access import Grant
from vfs.ports.quotas import QuotaName

PICTURE = b"\x89PNG\r\n\x1a\n"
DOC, SPACE, JOB = "/v1/vis/docs/birds", "/v1/code/spaces/notes", "/v1/code/jobs/letter"
BIG = b"x" * 3000


class Site:
    """Requests to one application."""

    def __init__(self, service: Application) -> None:
        self.service = service
        self.quotas = service.world.service.quotas

    def ask(
        self, method: str, path: str, body: bytes = b"", media: str = "text/plain", user: str = "alice"
    ) -> Answer:
        headers = [("Authorization", f"Bearer {self.service.user(user)}"), ("Content-Type", media)]
        return self.service.call(method, path, headers, body)

    def json(self, method: str, path: str) -> Any:
        headers = [("Authorization", f"Bearer {self.service.user('alice')}"), ("Accept", "application/json")]
        return json.loads(self.service.call(method, path, headers, b"").body)

    def use(self, name: QuotaName = QuotaName.STORAGE) -> int:
        return self.quotas.one("alice", name).use

    def fill(self, room: int) -> None:
        """Leave this number of bytes to alice."""
        self.quotas.set("alice", {QuotaName.STORAGE: self.use() + room})


@pytest.fixture
def site(service: Application) -> Site:
    """alice has a document and a space, which bob may write, and a job."""
    site = Site(service)
    service.arrange("image", ["alice/count", "ECHO=one"], [])
    for method, path, body in (
        ("PUT", DOC, b""),
        ("PUT", SPACE, b""),
        ("PUT", JOB, b""),
        ("POST", f"{DOC}/content", b"# Birds"),
        ("POST", f"{SPACE}/content/a", b"12345"),
        ("POST", f"{JOB}/config/chains", b"!count"),
    ):
        assert site.ask(method, path, body).status < 300
    service.user("bob")
    for kind, name in (("doc", "birds"), ("space", "notes")):
        service.world.grants.give(service.item(kind, f"alice/{name}").id, Grant("@bob", "rwd", "@bob~rwd"))
    return site


def test_bytes_beyond_the_quota_are_refused_whichever_way_they_come(site: Site) -> None:
    site.fill(2000)
    used = site.use()
    theirs = "/v1/users/alice"
    for method, path, body, media, user in (
        ("POST", f"{DOC}/content", BIG, "text/plain", "alice"),
        ("PUT", f"{DOC}/summary", BIG[:1000] + b"y", "text/plain", "alice"),
        ("POST", f"{DOC}/assets/a.png", PICTURE + BIG, "image/png", "alice"),
        ("PUT", f"{SPACE}/content/b", BIG, "text/plain", "alice"),
        ("POST", f"{theirs}/vis/docs/birds/content", BIG, "text/plain", "bob"),
        ("PUT", f"{theirs}/code/spaces/notes/content/b", BIG, "text/plain", "bob"),
        ("PUT", f"{DOC}/threads/late", BIG, "text/plain", "alice"),
    ):
        if path.endswith("summary"):
            assert site.ask(method, path, body, media, user).status < 300
            site.ask("DELETE", path)
            assert site.use() > used, "former contents count"
            assert site.ask("DELETE", f"{path}?history").status < 300
            continue
        answer = site.ask(method, path, body, media, user)
        problem = json.loads(answer.body)
        assert (answer.status, problem["status"], answer.headers.get("retry-after")) == (413, 413, None), path
        assert site.use() == used, path
    full = json.loads(site.ask("POST", f"{DOC}/content", BIG).body)
    assert (full["title"], full["quota"]) == ("too large", "storage")
    assert "its quota of storage is full" in full["detail"]
    assert site.ask("GET", f"{DOC}/content").body == b"# Birds"
    assert site.ask("GET", f"{SPACE}/content/b").status == 404


def test_runs_at_once_are_bounded_and_waiting_helps(site: Site) -> None:
    site.quotas.set("alice", {QuotaName.RUNS: 1})
    first = site.ask("POST", f"{JOB}/data", b"{}", "application/json")
    assert first.status == 202
    answer = site.ask("POST", f"{JOB}/data", b"{}", "application/json")
    problem = json.loads(answer.body)
    assert (answer.status, answer.headers["retry-after"], problem["quota"]) == (429, "10", "runs")
    assert len(site.json("GET", f"{JOB}/runs")) == 1
    assert site.ask("POST", f"{first.headers['location']}/hold", b"decline").status < 300
    assert site.ask("POST", f"{JOB}/data", b"{}", "application/json").status == 202


def test_what_runs_leave_counts_until_their_job_has_ended(site: Site) -> None:
    used = site.use()
    site.ask("POST", f"{JOB}/config/chains", b"count")
    assert site.ask("POST", f"{JOB}/data", b"{}", "application/json").status < 300
    assert site.use() > used + 64
    kept = site.use()
    site.ask("DELETE", JOB)
    assert site.use() >= kept, "the trash counts"
    site.ask("DELETE", "/v1/trash")
    assert site.use() < kept


def test_a_run_whose_result_has_no_room_fails_and_keeps_nothing(site: Site) -> None:
    site.service.arrange("image", ["alice/large", f"WRITE=all={'x' * 3000}"], [])
    site.ask("POST", f"{JOB}/config/chains", b"large")
    site.fill(2000)
    answer = site.ask("POST", f"{JOB}/data", b"{}", "application/json")
    assert answer.status == 422
    assert "The result cannot be kept" in json.loads(answer.body)["detail"]
    site.fill(9000)
    assert site.ask("POST", f"{JOB}/data", b"{}", "application/json").body == b"x" * 3000


def test_the_owner_sees_limits_and_use(site: Site) -> None:
    site.quotas.set("alice", {QuotaName.STORAGE: 100_000})
    rows = {row["quota"]: row for row in site.json("GET", "/v1/admin/quota/overview")}
    assert list(rows) == list(QuotaName)
    assert rows["storage"] == {"quota": "storage", "use": site.use(), "limit": 100_000, "own": True}
    assert rows["repos"] == {"quota": "repos", "use": 1, "limit": 500, "own": False}
    assert rows["push"]["use"] is None
    assert site.json("GET", "/v1/admin/quota/repos") == rows["repos"]
    assert site.ask("GET", "/v1/admin/quota/storage").body == f"{site.use()} of 100000\n".encode()
    table = site.ask("GET", "/v1/admin/quota/overview").body.split()
    assert (table[:4], table[5]) == ([b"quota", b"use", b"limit", b"storage"], b"97.7K")
    assert site.ask("OPTIONS", "/v1/admin/quota/storage").headers["allow"] == "GET, HEAD, OPTIONS"
    assert site.ask("POST", "/v1/admin/quota/storage", b"1").status == 405


def test_a_push_is_bounded_by_what_the_repos_owner_has_left(site: Site, service: Application) -> None:
    service.user("bob")
    repo = service.item("repo", "alice/count").id
    service.world.grants.give(repo, Grant("@bob", "rw", "@bob~rw"))
    site.quotas.set("alice", {QuotaName.PUSH: 5000, QuotaName.BUILDS: 3})
    site.fill(700)
    tree, _, _ = tree_and_pages(ROOT)
    uses = TokenUses(service.world.people.tokens, service.world.clock, session=service.world.session)
    access = GitAccess(tree, service.world, identify_by(service.world, uses, credentials_of(tree)))
    bob = basic("bob", service.user("bob"))
    assert access.admit("alice", "count", "write", bob) == (repo, "bob", 5000, 10_000, 700, 3)
    assert access.admit("alice", "count", "read", bob).by == "bob"
    site.ask("POST", "/v1/code/repos/count/config/type", b"code")
    assert access.admit("alice", "count", "write", bob).builds is None
    uses.close()


def basic(user: str, token: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{token}".encode()).decode()
