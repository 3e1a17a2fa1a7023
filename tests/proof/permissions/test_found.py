"""What the comparison with the oracle has found once, each by itself."""

from __future__ import annotations

from typing import Any

import pytest

from tests.proof.permissions.compare import Comparison
from tests.proof.permissions.matrix import METHODS
from tests.proof.permissions.oracle_service import opened
from vfs.ports.groups import TieKind

DOC = "/v1/users/ann/vis/docs/it"
JOB = "/v1/users/ann/code/jobs/it"
JSON = ("Content-Type", "application/json")


def world() -> dict[str, Any]:
    """ann's document and job, which bob reads; credentials of runs of bob's."""
    people = {name: {"public": True, "locked": False, "organisation": False} for name in ("ann", "bob")}
    made = {"kind": "jobs", "shares": {"@bob": "r"}, "confides": None, "runs": {}, "entries": []}
    items = [{**made, "kind": kind, "owner": "ann", "name": "it"} for kind in ("docs", "jobs")]
    credentials = {name: {"user": name, "claim": None, "state": "live"} for name in people}
    for claim in ("vis_ro", "vis_rw"):
        run = {"runs": {"20260101-120000-0000aaaa": "bob"}, "entries": ["runs/20260101-120000-0000aaaa"]}
        items.append({**made, "owner": "bob", "name": f"of-{claim}", "shares": {}, **run})
        credentials[claim] = {"user": "bob", "claim": claim, "state": "live"}
    return {"users": people, "connected": [], "groups": {}, "items": items, "credentials": credentials}


def allowed(asked: Comparison, who: str, path: str) -> str:
    return asked.send(who, "OPTIONS", path, []).headers["allow"]


@pytest.mark.parametrize(("who", "offered"), [("bob", True), ("vis_rw", True), ("vis_ro", False)])
def test_copies_are_offered_as_far_as_a_claim_covers_writing(who: str, offered: bool) -> None:
    with opened(None) as oracle_service, oracle_service.world(world()) as asked:
        assert ("PATCH" in allowed(asked, who, DOC)) is offered
        refused = asked.send(who, "PATCH", DOC, [JSON]).status
        assert refused == (400 if offered else 403)


def test_nothing_is_offered_under_anothers_name() -> None:
    with opened(None) as oracle_service, oracle_service.world(world()) as asked:
        assert "PUT" in allowed(asked, "bob", f"{DOC}/threads/mine")
        assert "PUT" in allowed(asked, "bob", f"{DOC}/threads/@bob~mine")
        assert asked.send("bob", "OPTIONS", f"{DOC}/threads/@ann~mine", []).status == 404
        assert asked.send("bob", "PUT", f"{DOC}/threads/@ann~mine", []).status == 403


@pytest.mark.parametrize("key", ["extract", "plan", "nothing"])
def test_keys_that_nobody_has_are_no_more_public_than_others(key: str) -> None:
    with opened(None) as oracle_service, oracle_service.world(world()) as asked:
        assert asked.send(None, "GET", f"{JOB}/config/{key}", []).status == 401
        assert asked.send("bob", "GET", f"{JOB}/config/{key}", []).status == 404


@pytest.mark.parametrize("who", ["app", "vis_rw"])
def test_what_a_narrowed_credential_may_not_open_is_absent_to_it(who: str) -> None:
    said = world()
    said["credentials"]["app"] = {"user": "bob", "claim": "vis", "state": "live"}
    with opened(None) as oracle_service, oracle_service.world(said) as asked:
        people = oracle_service.live_world.world.people
        people.applications.add("@bob~birds", "bob", name="Birds")
        people.keys.add("bob", "laptop")
        oracle_service.live_world.world.social.hooks.add("bob", "chat", "sealed")
        people.addresses.add("bob", "bob@birds.example")
        people.ties.put(TieKind.CONNECTION, "bob", "ann")
        people.ties.put(TieKind.FOLLOWING, "bob", "ann")
        people.ties.put(TieKind.CONNECTION, "ann", "bob", pending=True)
        notice = next(name for name, user in said["notices"].items() if user == "bob")
        for folder, present, rest in (
            ("applications", "birds", ""),
            ("applications", "birds", "/scopes"),
            ("tokens", "bob", "/info"),
            ("keys", "laptop", "/key"),
            ("hooks", "chat", "/log"),
            ("invites", "@ann", "/accept"),
            ("notifications", notice, ""),
            ("profile/emails", "bob@birds.example", "/status"),
            ("social/connections", "ann", ""),
            ("social/following", "ann", ""),
        ):
            absent = f"{present[:-1]}{'0' if present[-1] == '9' else '9'}"
            for method in ("OPTIONS", *METHODS):
                paths = (f"/v1/admin/{folder}/{name}{rest}" for name in (present, absent))
                one, two = (asked.send(who, method, path, []) for path in paths)
                assert one.status == two.status in (403, 404, 405), (method, folder, rest)
