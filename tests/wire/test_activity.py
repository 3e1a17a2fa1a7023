"""The days of an organisation: dense, of today's end, and of what counts by the five rules."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.kit.service import Application

HERE = "/v1/orgs/village/profile/stats/activity"
JOBS = "/v1/users/alice/code/jobs"
ZERO = {"total": 0, "trigger": {"api": 0, "schedule": 0, "email": 0}, "status": {"success": 0, "failed": 0}}


class Village:
    """An organisation with a group in which alice and bob are, and jobs of alice's that run one image."""

    def __init__(self, service: Application) -> None:
        self.service = service
        for name, *traits in (("village", "organisation"), ("alice", "public"), ("bob",), ("carol",)):
            service.user(name, *traits)
        self.ask("village", "PUT", "/v1/admin/orgs/village")
        for group in ("birders", "ringers"):
            self.ask("village", "PUT", f"/v1/admin/orgs/village/groups/{group}")
            for name in ("alice", "bob"):
                self.ask("village", "PUT", f"/v1/admin/orgs/village/groups/{group}/roles/members/{name}")
                self.ask(name, "POST", f"/v1/admin/invites/+village~{group}/accept", b"yes")
        service.arrange("image", ["alice/count"], [])

    def ask(self, who: str, method: str, path: str, body: bytes = b"", accept: str = "*/*") -> Any:
        headers = [("Authorization", f"Bearer {self.service.user(who)}"), ("Accept", accept)]
        if body:
            headers.append(("Content-Type", "application/json" if body.startswith(b"{") else "text/plain"))
        return self.service.call(method, path, headers, body)

    def job(self, name: str, *targets: str, chain: bytes = b"count") -> None:
        self.ask("alice", "PUT", f"{JOBS}/{name}")
        self.ask("alice", "POST", f"{JOBS}/{name}/config/chains", chain)
        for target in targets:
            assert self.ask("alice", "PUT", f"{JOBS}/{name}/shared/{target}").status == 201

    def trigger(self, name: str) -> int:
        status: int = self.ask("alice", "POST", f"{JOBS}/{name}/data", b"{}").status
        return status

    def days(self, who: str = "bob") -> list[dict[str, Any]]:
        answer = self.ask(who, "GET", HERE, accept="application/json")
        assert answer.status == 200
        days: list[dict[str, Any]] = json.loads(answer.body)
        return days


@pytest.fixture
def village(service: Application) -> Village:
    return Village(service)


def test_the_series_is_dense_and_ends_today(village: Village) -> None:
    days = village.days()
    today = datetime.now(UTC).date()
    assert [day["day"] for day in days] == [
        (today - timedelta(days=back)).isoformat() for back in range(370, -1, -1)
    ]
    assert days[0] == {
        "day": days[0]["day"], "views": 0, "vdes_created": 0, "mails_sent": 0, "social": 0, "jobs": ZERO,
    }  # fmt: skip
    assert [day["jobs"] for day in days] == [ZERO] * 371


def test_the_table_has_a_head_and_a_line_a_day(village: Village) -> None:
    lines = village.ask("bob", "GET", HERE).body.decode().splitlines()
    assert lines[0].split()[0] == "day"
    assert len(lines) == 372
    assert {len(line.split()) for line in lines} == {11}


def test_runs_of_readable_jobs_count_once(village: Village) -> None:
    village.job("counted", "+village~birders~r", "+village~ringers~rx")
    village.job("broken", "+village~birders~r", chain=b"none")
    assert (village.trigger("counted"), village.trigger("broken")) == (204, 422)
    jobs = village.days()[-1]["jobs"]
    assert jobs["total"] == 2
    assert jobs["trigger"] == {"api": 2, "schedule": 0, "email": 0}
    assert jobs["status"] == {"success": 1, "failed": 1}


def test_what_is_not_shared_readable_with_a_group_there_does_not_count(village: Village) -> None:
    village.ask("alice", "PUT", "/v1/admin/groups/friends")
    village.ask("alice", "PUT", "/v1/admin/groups/friends/roles/members/bob")
    village.ask("bob", "POST", "/v1/admin/invites/@alice~friends/accept", b"yes")
    for name, target in (
        ("open", "public~r"), ("direct", "@bob~r"), ("befriended", "@alice~friends~r"),
        ("blind", "+village~birders~x"),
    ):  # fmt: skip
        village.job(name, target)
        assert village.trigger(name) == 204
    village.job("own")
    assert village.trigger("own") == 204
    assert village.days()[-1]["jobs"] == ZERO


def test_a_user_in_no_group_reads_zeros(village: Village) -> None:
    village.job("counted", "+village~birders~r")
    village.trigger("counted")
    village.ask("village", "PUT", "/v1/admin/orgs/village/roles/members/carol")
    assert village.ask("carol", "GET", HERE).status == 404
    village.ask("carol", "POST", "/v1/admin/invites/+village/accept", b"yes")
    assert [day["jobs"] for day in village.days("carol")] == [ZERO] * 371
