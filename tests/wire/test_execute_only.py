"""A user who may only execute a job learns nothing of its log, whatever became of its run."""

from __future__ import annotations

import json

import pytest

from tests.kit.client import Answer
from tests.kit.service import Application

JOB = "/v1/users/alice/code/jobs/payments"
SECRETS = ("app_prod", "STRIPE_KEY", "charge", "sha256", "podman", "/")
MEMBERS = {
    "type",
    "title",
    "status",
    "detail",
    "instance",
    "request_id",
    "message",
    "error",
    "run",
    "run_status",
}


@pytest.fixture
def site(service: Application) -> Application:
    """alice's job, whose step fails with a word that is not for all; bob has `x`, carol `rx`."""
    service.arrange("image", ["alice/charge", "ECHO=wrong password of app_prod", "EXIT=3"], [])
    for path, body in (
        ("", b""),
        ("/config/chains", b"charge"),
        ("/config/env/STRIPE_KEY", b"sk_live_123"),
    ):
        assert ask(service, "alice", "POST" if path else "PUT", f"{JOB}{path}", body).status < 300
    for user, letters in (("bob", "x"), ("carol", "rx")):
        service.user(user)
        service.arrange("share", ["job", "alice/payments", f"@{user}", letters], [])
    return service


def ask(
    service: Application, who: str, method: str, path: str, body: bytes = b"", media: str = "text/plain"
) -> Answer:
    headers = [("Authorization", f"Bearer {service.user(who)}"), ("Content-Type", media)]
    return service.call(method, path, headers, body)


def test_the_answer_to_a_failed_run_is_bare_for_x_and_whole_for_r(site: Application) -> None:
    bare = ask(site, "bob", "POST", f"{JOB}/data", b"{}", "application/json")
    problem = json.loads(bare.body)
    assert (bare.status, problem["run_status"], set(problem)) == (422, "failed", MEMBERS)
    said = problem["detail"].replace(problem["run"], "")
    assert not [word for word in SECRETS if word in said]
    assert "read access (r)" in said
    whole = json.loads(ask(site, "carol", "POST", f"{JOB}/data", b"{}", "application/json").body)
    assert whole["step"] == "charge"
    assert any("app_prod" in line for line in whole["log"])


def test_the_run_itself_stays_closed_to_x(site: Application) -> None:
    run = ask(site, "bob", "POST", f"{JOB}/data", b"{}", "application/json").headers["location"]
    for rest in ("", "/log", "/steps", "/stats", "/output", "/holds"):
        answer = ask(site, "bob", "GET", f"{run}{rest}")
        assert answer.status in (403, 404)
        assert not [word for word in SECRETS[:-1] if word in answer.body.decode()]
    assert ask(site, "bob", "GET", f"{JOB}/runs").status == 403


def test_a_rejection_names_to_x_nothing_of_the_chain(site: Application) -> None:
    site.user("dora")
    assert ask(site, "alice", "POST", f"{JOB}/config/chains", b"@dora/vault").status < 300
    bare = json.loads(ask(site, "bob", "POST", f"{JOB}/data", b"{}", "application/json").body)
    assert (bare["status"], bare["run_status"]) == (403, "rejected")
    assert "vault" not in json.dumps(bare) and "dora" not in json.dumps(bare)
    whole = ask(site, "carol", "POST", f"{JOB}/data", b"{}", "application/json")
    assert b"vault" in whole.body


def test_one_request_id_for_several_triggers_is_no_conflict(site: Application) -> None:
    ids = set()
    for _ in range(3):
        headers = [
            ("Authorization", f"Bearer {site.user('alice')}"),
            ("Content-Type", "application/json"),
            ("X-Request-ID", "deadbeef-1"),
            ("Prefer", "respond-async"),
        ]
        answer = site.call("POST", f"{JOB}/data", headers, b"{}")
        assert answer.status == 202
        ids.add(json.loads(answer.body)["run"])
    assert len(ids) == 3
    assert sum(id.endswith("-deadbeef") for id in ids) >= 1
