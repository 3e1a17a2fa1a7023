"""Calls that stay open end within seconds of the right, the token or the session that they rest on."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from tests.kit.client import Answer
from tests.kit.gunicorn import PASSWORD, Client, Service, prepare
from tests.kit.postgres import Postgres

USERS = ("ann", "bob", "eve", "kim", "lea", "max", "pia", "tom")
PLOTS = "/v1/users/ann/vis/plots"
NEWS = "files/plot.svg"
# Five by decisions 12c, and what a busy machine takes.
SOON = 9.0


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def database(request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of a database; the empty one is the default."""
    if request.param == "sqlite":
        yield ""
        return
    postgres = Postgres()
    try:
        yield postgres.fresh()
    finally:
        postgres.stop()


class Stream:
    """The news of a picture, followed on a connection of its own."""

    def __init__(self, port: int, plot: str, headers: dict[str, str]) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        sent = {"Accept": "text/event-stream", **headers}
        self._connection.request("GET", f"{PLOTS}/{plot}/{NEWS}", headers=sent)
        self._answer = self._connection.getresponse()
        assert self._answer.status == 200, self._answer.read()
        said = b""
        while b"data:" not in said:
            said += self._answer.read1(4096)

    def wait_for_end(self) -> float:
        """The seconds until it ended."""
        began = time.monotonic()
        while self._answer.read1(4096):
            pass
        return time.monotonic() - began

    def close(self) -> None:
        self._answer.close()
        self._connection.close()


class Site:
    """A service of two web processes with plots of ann, which all others may read, and who follows them."""

    def __init__(self, service: Service, tokens: dict[str, str], held: ExitStack) -> None:
        self.service, self.tokens, self._held = service, tokens, held
        for plot in ("kept", "removed", "renamed"):
            self.act("ann", "PUT", f"{PLOTS}/{plot}")
            self.act("ann", "POST", f"{PLOTS}/{plot}/data", "a,b\nx,1\n")
            for name in USERS[1:]:
                self.act("ann", "PUT", f"{PLOTS}/{plot}/shared/@{name}~r")

    def client(self, name: str | None) -> Client:
        return self._held.enter_context(closing(self.service.client(self.tokens.get(name or ""))))

    def act(self, name: str, method: str, path: str, body: str = "") -> None:
        answer = self.client(name).call(method, path, body.encode(), "text/plain")
        assert answer.status < 300, (method, path, answer)

    def sign_in(self, path: str, name: str, **more: object) -> Answer:
        sent = json.dumps({"username": name, "password": PASSWORD, **more}).encode()
        return self.client(None).call("POST", path, sent, "application/json")

    def follow(self, plot: str, headers: dict[str, str]) -> Stream:
        return self._held.enter_context(closing(Stream(self.service.port, plot, headers)))

    def follow_as(self, name: str, plot: str = "kept") -> Stream:
        return self.follow(plot, {"Authorization": f"Bearer {self.tokens[name]}"})


def test_they_end_soon_whatever_ends_their_right(tmp_path: Path, database: str) -> None:
    tokens = prepare(tmp_path / "data", database, USERS)
    service = Service(tmp_path / "data", database)
    service.start()
    with ExitStack() as held:
        held.callback(service.kill)
        site = Site(service, tokens, held)
        cookie = {"Cookie": site.sign_in("/v1/auth", "tom").headers["set-cookie"].partition(";")[0]}
        unshared, revoked, stays = (site.follow_as(name) for name in ("bob", "eve", "kim"))
        removed, renamed = site.follow_as("max", "removed"), site.follow_as("pia", "renamed")
        made = site.sign_in("/v1/token", "lea", token_name="brief", expires_in=4)
        lapsed = site.follow("kept", {"Authorization": f"Bearer {json.loads(made.body)['token']}"})
        signed_out = site.follow("kept", cookie)
        site.act("ann", "DELETE", f"{PLOTS}/kept/shared/@bob~r")
        site.act("eve", "DELETE", "/v1/admin/tokens/first")
        site.act("ann", "DELETE", f"{PLOTS}/removed")
        site.act("ann", "PATCH", f"{PLOTS}/renamed", "other")
        page = {**cookie, "Origin": f"http://127.0.0.1:{service.port}"}
        assert site.client(None).call("POST", "/v1/logout", b"", **page).status == 200
        ended = (unshared, revoked, removed, renamed, signed_out, lapsed)
        assert max(took := [stream.wait_for_end() for stream in ended]) < SOON, took
        site.act("ann", "DELETE", f"{PLOTS}/kept/shared/@kim~r")
        assert stays.wait_for_end() < SOON
