"""What each letter of a share writes at a job and its runs."""

from __future__ import annotations

from tests.kit.service import Application
from tests.wire.letters import PRIVATE, Row, Town

JOB = "/v1/users/alice/code/jobs/count"
RUN = f"{JOB}/runs/$RUN"
TEXT, DATA = "text/plain", "application/json"

MATRIX: list[Row] = [
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
    ("PATCH", JOB, TEXT, b"count", "401 404 403 403 403 403 403 403 + 401 401 401"),
    ("PUT", JOB, "", b"", "401 404 409 409 409 409 409 409 409 401 409 409"),
    ("DELETE", f"{JOB}/url", "", b"", "401 404 405 405 405 405 405 405 405 401 405 405"),
]


class JobTown(Town):
    """alice's job `count`, with a run that ended."""

    def __init__(self, service: Application) -> None:
        super().__init__(service)
        service.arrange("image", ["alice/silent", "ECHO=nothing"], [])
        self.ask("owner", "PUT", JOB)
        self.ask("owner", "POST", f"{JOB}/config/chains", TEXT, b"silent")
        run = self.ask("owner", "POST", f"{JOB}/data", DATA, b"{}").headers["location"]
        self.matrix = [(method, path.replace(RUN, run), *rest) for method, path, *rest in MATRIX]
        self.share("job", "alice/count")


def test_what_each_letter_writes(service: Application) -> None:
    town = JobTown(service)
    assert town.disagreements(town.matrix, *PRIVATE) == ""


def test_through_the_public_share_runs_are_stopped_by_who_triggered_them(service: Application) -> None:
    town = JobTown(service)
    service.arrange("share", ["job", "alice/count", "public", "x"], [])
    service.arrange("image", ["alice/slow", "SLEEP=20"], [])
    town.ask("owner", "POST", f"{JOB}/config/chains", TEXT, b"slow")
    runs = {}
    for who in ("owner", "public-x"):
        answer = town.ask(who, "POST", f"{JOB}/data", DATA, b"{}", Prefer="respond-async")
        runs[who] = f"{answer.headers['location']}/status"
    assert town.ask("public-x", "POST", runs["owner"], TEXT, b"canceled").status == 403
    assert town.ask("public-x", "POST", runs["public-x"], TEXT, b"canceled").status == 202
    assert town.ask("x", "POST", runs["owner"], TEXT, b"canceled").status == 202
