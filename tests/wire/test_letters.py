"""What each letter of a share opens at a job and its runs, cell by cell (reliability matrix 2.5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.wire.service import Application

JOB = "/v1/users/alice/code/jobs/count"
RUN = f"{JOB}/runs/$RUN"
SIGNED_IN = ("stranger", "r", "x", "w", "d", "public-r", "public-x", "owner")
CALLERS = ("anonymous", *SIGNED_IN, "dead", "anyone-r", "anyone-x")
TEXT, DATA = "text/plain", "application/json"

REFUSED = {"401", "403", "404", "405"}

# Method, path, media type, body; then what each of CALLERS is answered, `+` being any success.
MATRIX: list[tuple[str, str, str, bytes, str]] = [
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
    ("PATCH", JOB, TEXT, b"count", "401 404 403 403 403 403 403 403 + 401 401 401"),
    ("PUT", JOB, "", b"", "401 404 409 409 409 409 409 409 409 401 409 409"),
    ("DELETE", f"{JOB}/url", "", b"", "401 404 405 405 405 405 405 405 405 401 405 405"),
    ("GET", f"{JOB}/data", "", b"", "401 404 405 405 405 405 405 405 405 401 401 401"),
    ("DELETE", JOB, "", b"", "401 404 403 403 403 + 403 403 + 401 401 401"),
]


class Town:
    """alice's job `count` with a run that ended, shared with one user for each letter, or with the public."""

    def __init__(self, service: Application, *public: str) -> None:
        self.service = service
        service.arrange("user", ["alice", "public"], [])
        service.arrange("image", ["alice/silent", "ECHO=nothing"], [])
        self.ask("owner", "PUT", JOB)
        self.ask("owner", "POST", f"{JOB}/config/chains", TEXT, b"silent")
        run = self.ask("owner", "POST", f"{JOB}/data", DATA, b"{}")
        self.run = run.headers["location"].rpartition("/")[2]
        for letter in "rxwd":
            service.user(f"user-{letter}")
            service.arrange("share", ["job", "alice/count", f"@user-{letter}", letter], [])
        for letters in public:
            service.arrange("share", ["job", "alice/count", "public", letters], [])

    def ask(self, who: str, method: str, path: str, media: str = "", body: bytes = b"") -> Any:
        headers = [("Content-Type", media)] if media else []
        if who != "anonymous" and not who.startswith("anyone"):
            headers.append(("Authorization", f"Bearer {self.token(who)}"))
        return self.service.call(method, path.replace("$RUN", getattr(self, "run", "")), headers, body)

    def token(self, who: str) -> str:
        if who == "dead":
            alive = self.service.user("alice")
            return alive[:-1] + ("1" if alive.endswith("0") else "0")
        names = {"owner": "alice", "stranger": "bob", "public-r": "bob", "public-x": "bob"}
        return self.service.user(names.get(who, f"user-{who}"))

    def disagreements(self, *callers: str) -> str:
        """The cells of these callers in which the service answers otherwise, a line each."""
        cells = [
            (*asked, who, expected)
            for *asked, row in MATRIX
            for who, expected in zip(CALLERS, row.split(), strict=True)
            if who in callers
        ]
        return "\n".join(found for cell in cells for found in self.wrong(*cell))

    def wrong(
        self, method: str, path: str, media: str, body: bytes, who: str, expected: str
    ) -> Iterator[str]:
        offered = method in self.ask(who, "OPTIONS", path).headers.get("allow", "").split(", ")
        if offered != (expected not in REFUSED and method != "PUT"):
            yield f"OPTIONS {path} as {who}: {method} is offered or kept back wrongly"
        if (method, path, expected) == ("DELETE", JOB, "+"):
            return
        status = self.ask(who, method, path, media, body).status
        if status != int(expected) if expected != "+" else status >= 300:
            yield f"{method} {path} as {who}: {status}, expected {expected}"


PRIVATE = ("anonymous", "stranger", "r", "x", "w", "d", "dead", "owner")


@pytest.mark.parametrize(
    "public, callers",
    [
        ([], PRIVATE),
        (["r"], ("anyone-r", "public-r", "dead")),
        (["x"], ("anyone-x", "public-x")),
    ],
)
def test_what_each_letter_opens(service: Application, public: list[str], callers: tuple[str, ...]) -> None:
    assert Town(service, *public).disagreements(*callers) == ""


@pytest.mark.parametrize("who", ["d", "owner"])
def test_a_job_is_removed_by_who_may(service: Application, who: str) -> None:
    assert Town(service).ask(who, "DELETE", JOB).status == 200


def test_through_the_public_share_runs_are_stopped_by_who_triggered_them(service: Application) -> None:
    town = Town(service, "x")
    service.arrange("image", ["alice/slow", "SLEEP=20"], [])
    town.ask("owner", "POST", f"{JOB}/config/chains", TEXT, b"slow")
    runs = {}
    for who in ("owner", "public-x"):
        headers = [
            ("Authorization", f"Bearer {town.token(who)}"),
            ("Content-Type", DATA),
            ("Prefer", "respond-async"),
        ]
        runs[who] = service.call("POST", f"{JOB}/data", headers, b"{}").headers["location"]
    assert town.ask("public-x", "POST", f"{runs['owner']}/status", TEXT, b"canceled").status == 403
    assert town.ask("public-x", "POST", f"{runs['public-x']}/status", TEXT, b"canceled").status == 202
    assert town.ask("x", "POST", f"{runs['owner']}/status", TEXT, b"canceled").status == 202
