"""Clients of a load: each asks for one thing after another, as people and programs do, until it is over."""

from __future__ import annotations

import http.client
import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from tests.load.tally import BROKEN, REFUSED, Tally

TEXT, JSON = "text/plain", "application/json"
PLOT, JOB = "/v1/vis/plots/load", "/v1/code/jobs/load"
PAUSE = 0.1
PATIENCE = 60.0


class LoadRequest(NamedTuple):
    """A request, and the kind that it is counted for."""

    kind: str
    method: str
    path: str
    body: bytes = b""
    media: str = TEXT


@dataclass
class LoadClient:
    """A client of one user, with a connection that is kept alive."""

    port: int
    user: str
    token: str
    tally: Tally
    dice: random.Random
    _connection: http.client.HTTPConnection | None = None
    _run: str = ""

    def work(self, over: threading.Event) -> None:
        """Ask until it is over."""
        while not over.wait(self.dice.uniform(0, PAUSE)):
            self.dice.choice(ACTS)(self)
        self._close()

    def read(self) -> None:
        """Read a file."""
        self.ask(
            LoadRequest(
                "read", "GET", f"/v1/users/{self.user}/vis/plots/load/{self.dice.choice(('data', 'name'))}"
            )
        )

    def list(self) -> None:
        """List things."""
        self.ask(
            LoadRequest("listing", "GET", self.dice.choice(("/v1/vis/plots", "/v1/code/jobs", f"{JOB}/runs")))
        )

    def look(self) -> None:
        """Look at a page."""
        self.ask(LoadRequest("page", "GET", f"/u/{self.user}/p/load"))

    def write(self) -> None:
        """Write the data of the plot."""
        rows = b"".join(b"%d,%d\n" % (row, self.dice.randrange(100)) for row in range(12))
        self.ask(LoadRequest("write", "POST", f"{PLOT}/data", b"month,birds\n" + rows))

    def render(self) -> None:
        """Have the plot drawn as it is by then."""
        self.ask(LoadRequest("render", "GET", f"{PLOT}/files/plot.svg"))

    def trigger(self) -> None:
        """Trigger a job, and wait for its answer."""
        self.ask(LoadRequest("trigger", "POST", f"{JOB}/data", b'{"birds": 7}', JSON))

    def follow(self) -> None:
        """Read the log of the latest run to its end, as it is written."""
        if self._run:
            self.ask(LoadRequest("follow", "GET", f"{self._run}/log?follow=1"))

    def reconnect(self) -> None:
        """Ask over a new connection."""
        self._close()
        self.ask(LoadRequest("connect", "GET", "/v1/whoami"))

    def ask(self, request: LoadRequest) -> None:
        """Count one request with its answer, or why there was none."""
        began = time.perf_counter()
        try:
            answer = self._send(request)
        except ConnectionRefusedError as why:
            self.tally.note_trouble(REFUSED, why)
            self._close()
        except (OSError, http.client.HTTPException) as why:
            self.tally.note_trouble(f"{BROKEN}: {request.kind}", why)
            self._close()
        else:
            self.tally.note(request.kind, answer.status, time.perf_counter() - began)
            if request.kind == "trigger":
                self._run = answer.headers.get("Location", self._run)

    def _send(self, request: LoadRequest) -> http.client.HTTPResponse:
        """The answer, read to its end. Raises OSError and HTTPException."""
        if self._connection is None:
            self._connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
            self._connection.connect()
        head = {"Authorization": f"Bearer {self.token}", "Accept": "*/*"}
        head |= {"Content-Type": request.media} if request.body else {}
        self._connection.request(request.method, request.path, request.body or None, head)
        answer = self._connection.getresponse()
        answer.read()
        if answer.will_close:
            self._close()
        return answer

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


Act = Callable[[LoadClient], None]
SHARES: dict[Act, int] = {
    LoadClient.read: 8, LoadClient.list: 4, LoadClient.write: 3, LoadClient.look: 2, LoadClient.reconnect: 2,
    LoadClient.render: 1, LoadClient.trigger: 1, LoadClient.follow: 1,
}  # fmt: skip
ACTS = [act for act, share in SHARES.items() for _ in range(share)]
