"""What a step does with the credential of its run (interface, Authentication 9; decisions 29)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from chains.runs.states import Status
from tests.kit.client import Answer
from tests.kit.service import Application

JOBS, REPOS = "/v1/code/jobs", "/v1/code/repos"
TEXT, DATA = "text/plain", "application/json"


class Site:
    """alice's job with a claim, and a caller of the service."""

    def __init__(self, service: Application, claim: str) -> None:
        self.service = service
        service.arrange("image", ["alice/slow", "SLEEP=20"], [])
        self.token = service.user("alice")
        self.ask("PUT", f"{JOBS}/nightly")
        self.ask("POST", f"{JOBS}/nightly/config/chains", b"slow")
        self.ask("POST", f"{JOBS}/nightly/config/env/API_KEY", b"a very secret word")
        self.ask("POST", f"{JOBS}/nightly/config/access", claim.encode())

    def ask(self, method: str, path: str, body: bytes = b"", media: str = TEXT, token: str = "") -> Answer:
        headers = [("Authorization", f"Bearer {token or self.token}"), ("Prefer", "respond-async")]
        return self.service.call(method, path, [*headers, ("Content-Type", media)], body)

    def found(self, path: str, token: str) -> Any:
        """What is read as JSON."""
        sent = [("Authorization", f"Bearer {token}"), ("Accept", "application/json")]
        return json.loads(self.service.call("GET", path, sent, b"").body)

    @contextmanager
    def run(self) -> Iterator[str]:
        """The credential that a step was given which runs meanwhile and is canceled then."""
        answer = self.ask("POST", f"{JOBS}/nightly/data", b"{}", DATA)
        runs, job = self.service.world.code.runs, self.service.item("job", "alice/nightly").id
        run = runs.reader.get(job, json.loads(answer.body)["run"])
        assert run is not None
        while "slow" not in self.service.engine.given:
            runs.waits.follow(run.key, 0, 0.01)
        yield self.service.engine.given["slow"]["SVC_TOKEN"]
        self.ask("POST", f"{answer.headers['location']}/status", b"canceled")
        assert runs.waits.wait(run.key, lambda status: status.ended, 10).ended


def test_a_step_reads_with_its_credential(service: Application) -> None:
    site = Site(service, "repo_ro")
    with site.run() as token:
        assert site.ask("GET", "/v1/whoami", token=token).body == b"alice"
        assert site.ask("GET", f"{REPOS}/slow/status", token=token).body == b"ready"
        assert site.ask("POST", f"{REPOS}/slow/summary", b"mine", token=token).status == 403
        assert site.ask("GET", f"{JOBS}/nightly/config/chains", token=token).status == 404
        assert site.ask("POST", f"{JOBS}/nightly/data", b"{}", DATA, token).status == 404
    assert site.ask("GET", "/v1/whoami", token=token).status == 401


# Nothing of this is for a run, whatever its claim (reliability 2.6).
FORBIDDEN = [
    ("GET", "/v1/admin/tokens", b""),
    ("DELETE", "/v1/admin/tokens/transcript", b""),
    ("GET", "/v1/admin/tokens/transcript/info", b""),
    ("POST", f"{JOBS}/nightly/config/access", b"global"),
    ("DELETE", f"{JOBS}/nightly/config/access", b""),
    ("POST", f"{JOBS}/nightly/config/env/API_KEY", b"another"),
    ("POST", f"{JOBS}/nightly/config/spaces", b"a => /u/alice/s/b"),
    ("POST", f"{JOBS}/nightly/config/chains", b"slow"),
    ("POST", f"{JOBS}/nightly/config/schedule", b"* * * * *"),
    ("POST", f"{JOBS}/nightly/config/enabled", b"no"),
    *(
        ("POST", f"{JOBS}/nightly/{leaf}", b"by a run")
        for leaf in ("name", "summary", "description", "status")
    ),
    ("POST", "/v1/admin/profile/public", b"yes"),
    ("POST", "/v1/admin/profile/password", b"another password"),
]


def test_the_widest_claim_does_what_its_owner_may(service: Application) -> None:
    site = Site(service, "global")
    with site.run() as token:
        assert site.ask("PUT", f"{REPOS}/made", token=token).status == 201
        assert site.ask("POST", f"{REPOS}/made/summary", b"by a run", token=token).status == 200
        assert site.ask("PUT", f"{REPOS}/made/threads/start", b"by a run", token=token).status == 201
        assert site.ask("PUT", f"{REPOS}/made/tags/fav", token=token).status == 201
        refused = [
            (site.ask(method, path, body, token=token).status, method, path)
            for method, path, body in FORBIDDEN
        ]
        assert [row for row in refused if row[0] != 403] == []
        minted = site.ask("POST", "/v1/token", b"{}", DATA, token)
        assert minted.status in (401, 403)
    assert site.ask("GET", f"{REPOS}/made", token=token).status == 401
    assert site.ask("GET", "/v1/admin/tokens").body.count(b"run-") == 0


@pytest.mark.parametrize("stored", [False, True])
def test_no_credential_is_made_for_a_job_with_a_stored_one(service: Application, stored: bool) -> None:
    site = Site(service, "repo_ro")
    if stored:
        site.ask("POST", f"{JOBS}/nightly/config/env/svc_token", b"a token of its own")
    with site.run() as token:
        assert (token == "a token of its own") is stored
        (run,) = service.world.code.runs.reader.newest(service.item("job", "alice/nightly").id, 1)
        assert (service.world.people.tokens.by_name("alice", f"run-{run.id}-{run.key}") is None) is stored


def test_a_run_stops_no_run_and_answers_no_hold(service: Application) -> None:
    site = Site(service, "global")
    site.ask("PUT", f"{JOBS}/held")
    site.ask("POST", f"{JOBS}/held/config/chains", b"!slow")
    waits = site.ask("POST", f"{JOBS}/held/data", b"{}", DATA).headers["location"]
    run = service.world.code.runs.reader.get(service.item("job", "alice/held").id, waits.rpartition("/")[2])
    assert run is not None
    service.world.code.runs.waits.wait(run.key, lambda status: status is Status.WAITING, 10)
    parked = f"/v1/code/spaces/held-{run.id}-slow-before"
    with site.run() as token:
        assert site.ask("GET", f"{waits}/status", token=token).body == b"waiting"
        for leaf, body in (("hold", b"continue"), ("status", b"canceled"), ("description", b"by a run")):
            assert site.ask("POST", f"{waits}/{leaf}", body, token=token).status == 403
        assert site.ask("PUT", f"{parked}/content/file", b"by a run", token=token).status == 403
        for leaf in ("content", "changes"):
            assert site.ask("GET", f"{parked}/{leaf}", token=token).status == 403
            assert site.ask("GET", f"{parked}/{leaf}").status == 200
        assert site.ask("POST", f"{parked}/summary", b"by a run", token=token).status == 403
    assert site.ask("GET", f"{waits}/status").body == b"waiting"


@pytest.mark.parametrize("claim", ["repo_rw", "vis_rw", "space_ro"])
def test_a_claim_is_the_most_that_its_credential_may(service: Application, claim: str) -> None:
    site = Site(service, claim)
    with site.run() as token:
        written = site.ask("POST", f"{REPOS}/slow/summary", b"by a run", token=token).status
        assert written == (200 if claim == "repo_rw" else 404)
        for said in ("threads/start", "tags/fav", "notifications"):
            method, body = ("POST", b"info") if said == "notifications" else ("PUT", b"")
            done = site.ask(method, f"{REPOS}/slow/{said}", body, token=token).status
            assert done in ((200, 201) if claim == "repo_rw" else (404,))
        deleted = site.ask("DELETE", f"{REPOS}/slow", token=token).status
        assert deleted == (403 if claim == "repo_rw" else 404)
        assert site.ask("DELETE", f"{JOBS}/nightly", token=token).status == 404


def test_a_claim_tells_of_its_kinds_alone(service: Application) -> None:
    site = Site(service, "repo_ro")
    assert site.ask("PUT", "/v1/vis/plots/secret").status == 201
    assert site.ask("POST", "/v1/vis/plots/secret/name", b"Heron salaries").status == 200
    assert site.ask("POST", f"{REPOS}/slow/summary", b"Heron counts").status == 200
    with site.run() as token:
        hidden = (
            "/v1/vis/plots/secret",
            "/v1/vis/plots/secret/name",
            "/v1/users/bob/profile",
            f"{JOBS}/nightly/name",
        )
        for path in hidden:
            assert site.ask("GET", path, token=token).status == 404, path
        found = site.found("/v1/search?q=heron", token)
        assert "slow" in str(found) and "secret" not in str(found) and "salaries" not in str(found)
        assert [row["name"] for row in site.found("/v1/users", token)] == ["alice"]
        for path in ("/v1/vis/plots", JOBS):
            assert site.found(path, token) == []
