"""What each letter of a share opens at a job and its runs, cell by cell (reliability matrix 2.5)."""

from __future__ import annotations

import pytest

from tests.kit.service import Application
from tests.wire.letters import BY_ROLE, INVITED, LETTERS, ROLES, SHARED, Row, Town

JOB = "/v1/users/alice/code/jobs/count"
RUN = f"{JOB}/runs/$RUN"
TEXT, DATA = "text/plain", "application/json"

MATRIX: list[Row] = [
    ("GET", JOB, "", b"", "401 404 + + + + + + + 401 + +"),
    ("GET", f"{JOB}/shortname", "", b"", "401 404 + + + + + + + 401 + +"),
    ("GET", f"{JOB}/url", "", b"", "401 404 + + + + + + + 401 + +"),
    ("GET", f"{JOB}/name", "", b"", "401 404 + + + + + + + 401 + +"),
    ("GET", f"{JOB}/summary", "", b"", "401 404 + 403 403 403 + 403 + 401 + 401"),
    ("GET", f"{JOB}/config", "", b"", "401 404 + 403 403 403 + 403 + 401 401 401"),
    ("GET", f"{JOB}/config/chains", "", b"", "401 404 + 403 403 403 + 403 + 401 401 401"),
    ("GET", f"{JOB}/config/access", "", b"", "401 404 + 403 403 403 + 403 + 401 401 401"),
    ("GET", f"{JOB}/config/env", "", b"", "401 404 + 403 403 403 + 403 + 401 401 401"),
    ("GET", f"{JOB}/config/options/input", "", b"", "401 404 + 403 403 403 + 403 + 401 401 401"),
    ("GET", f"{JOB}/log", "", b"", "401 404 + 403 403 403 + 403 + 401 401 401"),
    ("GET", f"{JOB}/stats/runs", "", b"", "401 404 + 403 403 403 + 403 + 401 401 401"),
    ("GET", f"{JOB}/runs", "", b"", "401 404 + 403 403 403 + 403 + 401 401 401"),
    ("GET", RUN, "", b"", "401 404 + 403 403 403 + 403 + 401 401 401"),
    ("GET", f"{RUN}/status", "", b"", "401 404 + 403 403 403 + 403 + 401 401 401"),
    ("GET", f"{RUN}/log", "", b"", "401 404 + 403 403 403 + 403 + 401 401 401"),
    ("GET", f"{RUN}/output", "", b"", "401 404 + 403 403 403 + 403 + 401 401 401"),
    ("GET", f"{RUN}/stats", "", b"", "401 404 + 403 403 403 + 403 + 401 401 401"),
    ("GET", f"{RUN}/steps", "", b"", "401 404 + 403 403 403 + 403 + 401 401 401"),
    ("GET", f"{RUN}/description", "", b"", "401 404 + 403 403 403 + 403 + 401 401 401"),
    ("POST", f"{JOB}/data", DATA, b"{}", "401 404 403 + 403 403 403 + + 401 401 401"),
    ("POST", f"{JOB}/data", TEXT, b"no", "401 404 403 415 403 403 403 415 415 401 401 401"),
    ("POST", f"{RUN}/status", TEXT, b"canceled", "401 404 403 409 403 403 403 403 409 401 401 401"),
    ("POST", f"{RUN}/hold", TEXT, b"continue", "401 404 403 409 403 403 403 403 409 401 401 401"),
    ("POST", f"{RUN}/description", TEXT, b"*seen*", "401 404 403 403 + 403 403 403 + 401 401 401"),
    ("DELETE", f"{RUN}/description", "", b"", "401 404 403 403 + 403 403 403 + 401 401 401"),
    ("POST", f"{JOB}/config/enabled", TEXT, b"yes", "401 404 403 403 + 403 403 403 + 401 401 401"),
    ("POST", f"{JOB}/config/options/comments", TEXT, b"yes", "401 404 403 403 + 403 403 403 + 401 401 401"),
    ("POST", f"{JOB}/config/schedule", TEXT, b"0 4 * * *", "401 404 403 403 + 403 403 403 + 401 401 401"),
    ("POST", f"{JOB}/config/chains", TEXT, b"silent", "401 404 403 403 + 403 403 403 + 401 401 401"),
    ("POST", f"{JOB}/summary", TEXT, b"counts", "401 404 403 403 + 403 403 403 + 401 401 401"),
    ("POST", f"{JOB}/config/env/KEY", TEXT, b"word", "401 404 403 403 403 403 403 403 + 401 401 401"),
    ("DELETE", f"{JOB}/config/env/KEY", "", b"", "401 404 403 403 403 403 403 403 + 401 401 401"),
    (
        "POST",
        f"{JOB}/config/spaces",
        TEXT,
        b"a => /u/a/s/b",
        "401 404 403 403 403 403 403 403 + 401 401 401",
    ),
    ("DELETE", f"{JOB}/config/spaces", "", b"", "401 404 403 403 403 403 403 403 + 401 401 401"),
    ("POST", f"{JOB}/config/access", TEXT, b"everything", "401 404 403 403 403 403 403 403 400 401 401 401"),
    ("DELETE", f"{JOB}/config/access", "", b"", "401 404 403 403 403 403 403 403 + 401 401 401"),
    ("POST", f"{JOB}/notifications", TEXT, b"ignore", "401 404 + + + + + + + 401 401 401"),
    ("GET", f"{JOB}/access", "", b"", "404 404 404 404 404 404 404 404 + 401 404 404"),
    ("PATCH", JOB, TEXT, b"count", "401 404 403 403 403 403 403 403 + 401 401 401"),
    ("PUT", JOB, "", b"", "401 404 409 409 409 409 409 409 409 401 409 409"),
    ("DELETE", f"{JOB}/url", "", b"", "401 404 405 405 405 405 405 405 405 401 405 405"),
    ("GET", f"{JOB}/data", "", b"", "401 404 405 405 405 405 405 405 405 401 401 401"),
]


class JobTown(Town):
    """alice's job `count`, with a run that ended."""

    def __init__(self, service: Application, *public: str) -> None:
        super().__init__(service)
        service.arrange("image", ["alice/silent", "ECHO=nothing"], [])
        self.ask("owner", "PUT", JOB)
        self.ask("owner", "POST", f"{JOB}/config/chains", TEXT, b"silent")
        run = self.ask("owner", "POST", f"{JOB}/data", DATA, b"{}").headers["location"]
        self.matrix = [(method, path.replace(RUN, run), *rest) for method, path, *rest in MATRIX]
        self.share("job", "alice/count", public)


@pytest.mark.parametrize("public, callers", SHARED)
def test_what_each_letter_opens(service: Application, public: list[str], callers: tuple[str, ...]) -> None:
    town = JobTown(service, *public)
    assert town.disagreements(town.matrix, *callers) == ""


def test_what_each_letter_opens_by_each_role(service: Application) -> None:
    town = JobTown(service)
    town.share_by_group("job", "alice/count")
    assert town.disagreements(town.matrix, *BY_ROLE, *INVITED) == ""
    offered = {who: "DELETE" in town.ask(who, "OPTIONS", JOB).headers["allow"] for who in BY_ROLE}
    assert {who for who in offered if offered[who]} == {"superusers-d", "admins-d", "founders-d"}


@pytest.mark.parametrize("sharer", ["members pending", "founders pending"])
def test_a_group_that_the_owner_is_not_in_opens_nothing(service: Application, sharer: str) -> None:
    town = JobTown(service)
    town.share_by_group("job", "alice/count", sharer=sharer)
    asked = [town.ask(f"{role}-{letter}", "GET", JOB).status for role in ROLES for letter in LETTERS]
    assert asked == [404] * len(BY_ROLE)


@pytest.mark.parametrize("who", ["d", "owner"])
def test_a_job_is_removed_by_who_may(service: Application, who: str) -> None:
    town = JobTown(service)
    callers = ("r", "x", "w", who)
    allowed = [town.ask(caller, "OPTIONS", JOB).headers["allow"] for caller in callers]
    assert ["DELETE" in allow for allow in allowed] == [False, False, False, True]
    assert [town.ask(caller, "DELETE", JOB).status for caller in callers] == [403, 403, 403, 200]


def test_through_the_public_share_runs_are_stopped_by_who_triggered_them(service: Application) -> None:
    town = JobTown(service, "x")
    service.arrange("image", ["alice/slow", "SLEEP=20"], [])
    town.ask("owner", "POST", f"{JOB}/config/chains", TEXT, b"slow")
    runs = {}
    for who in ("owner", "public-x"):
        answer = town.ask(who, "POST", f"{JOB}/data", DATA, b"{}", Prefer="respond-async")
        runs[who] = f"{answer.headers['location']}/status"
    assert town.ask("public-x", "POST", runs["owner"], TEXT, b"canceled").status == 403
    assert town.ask("public-x", "POST", runs["public-x"], TEXT, b"canceled").status == 202
    assert town.ask("x", "POST", runs["owner"], TEXT, b"canceled").status == 202
