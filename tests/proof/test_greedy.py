"""Greedy accounts beside an ordinary one: its times stay those of a quiet service."""

from __future__ import annotations

import http.client
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from statistics import median

import pytest

from tests.kit.counting.amount import Counted, points
from tests.kit.git import Work
from tests.kit.server import RUNNER, Server, program, web

pytestmark = [pytest.mark.soak, pytest.mark.timeout(900)]

STEP_SECONDS = 1.5
ROUNDS = 5
BRANCHES = 10
# What a shared machine with two processors may cost beside the waiting that is measured here.
TIMES, SLACK = 4.0, 1.0


class Guest:
    """An account that works by HTTP, on separate connections."""

    def __init__(self, server: Server, name: str) -> None:
        self.name = name
        self._server = server
        self._token = server.add(name)

    def ask(self, method: str, path: str, body: bytes | str = b"", **heads: str) -> tuple[int, bytes]:
        """Status and body of an answer."""
        with (
            closing(self.connect()) as connection,
            self.send(connection, method, path, body, **heads) as answer,
        ):
            return answer.status, answer.read()

    def connect(self) -> http.client.HTTPConnection:
        """A separate connection."""
        return http.client.HTTPConnection(self._server.origin.removeprefix("http://"), timeout=120)

    def send(
        self, connection: http.client.HTTPConnection, method: str, path: str, body: bytes | str, **heads: str
    ) -> http.client.HTTPResponse:
        """The head of an answer."""
        head = {"Authorization": f"Bearer {self._token}", "Content-Type": "text/plain", **heads}
        connection.request(method, f"/v1/{path}", body, head)
        return connection.getresponse()

    def want(self, method: str, path: str, body: bytes | str = b"", **heads: str) -> bytes:
        """The body of a good answer."""
        status, said = self.ask(method, path, body, **heads)
        assert status < 300, (method, path, said)
        return said

    def trigger(self, job: str, **heads: str) -> int:
        """Trigger a job of this account; the status."""
        heads["Content-Type"] = "application/json"
        return self.ask("POST", f"code/jobs/{job}/data", "{}", **heads)[0]

    def job(self, name: str, script: str, scratch: Path) -> None:
        """A job of one step, which does what the script says."""
        self.want("PUT", f"code/repos/{name}")
        self._server.push(self.name, name, {"Dockerfile": f"FROM scratch\n{script}\n"}, scratch / name)
        self.want("PUT", f"code/jobs/{name}")
        self.want("POST", f"code/jobs/{name}/config/chains", name)


class Greed:
    """What greedy accounts do until it is over, each thing in a thread; `counted` tells how often."""

    def __init__(self, server: Server, mallory: Guest, scratch: Path) -> None:
        self._server, self._mallory, self._scratch = server, mallory, scratch
        self._over = threading.Event()
        self._open: list[http.client.HTTPConnection | http.client.HTTPResponse] = []
        heads = {"Content-Type": "application/json", "Prefer": "respond-async"}
        run = json.loads(
            mallory.want("POST", "code/jobs/long/data", "{}", **heads, Accept="application/json")
        )
        self._long = f"code/jobs/long/runs/{run['run']}"
        self._waiting = ThreadPoolExecutor(64)
        self.counted: dict[str, int] = {}
        self.refused: dict[str, set[int]] = {}

    @contextmanager
    def going(self) -> Iterator[None]:
        """Greed for the block."""
        acts = {
            "queued runs": self._queue,
            "waiting triggers": self._wait,
            "followers": self._follow,
            "notices": self._notify,
            "bytes": self._fill,
        }
        self._queue()
        threads = [threading.Thread(target=self._repeat, args=(name, act)) for name, act in acts.items()]
        threads.append(threading.Thread(target=self._push))
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self._over.set()
            for thread in threads:
                thread.join()
            for one in self._open:
                one.close()
            self._mallory.want("POST", f"{self._long}/status", "canceled")
            self._waiting.shutdown(wait=False, cancel_futures=True)

    def _repeat(self, name: str, act: Callable[[], int]) -> None:
        while not self._over.is_set():
            with suppress(OSError, http.client.HTTPException):
                status = act()
                self.counted[name] = self.counted.get(name, 0) + (status < 300)
                if status >= 400:
                    self.refused.setdefault(name, set()).add(status)
            self._over.wait(0.01)

    def _queue(self) -> int:
        return self._mallory.trigger("slow", Prefer="respond-async")

    def _wait(self) -> int:
        self._waiting.submit(self._repeat_once)
        return 202

    def _repeat_once(self) -> None:
        with suppress(OSError, http.client.HTTPException):
            status = self._mallory.trigger("slow")
            self.refused.setdefault("triggers", set()).update({status} - {204})

    def _follow(self) -> int:
        connection = self._mallory.connect()
        self._open.append(connection)
        answer = self._mallory.send(connection, "GET", f"{self._long}/log?follow=1", b"")
        self._open.append(answer)
        return answer.status

    def _notify(self) -> int:
        path = "code/jobs/slow/shared/@bob~r"
        self._mallory.ask("PUT", path)
        return self._mallory.ask("DELETE", path)[0]

    def _fill(self) -> int:
        path = f"code/spaces/heap/content/{time.monotonic_ns()}"
        return self._mallory.ask("PUT", path, os.urandom(1 << 20))[0]

    def _push(self) -> None:
        """Push very many branches at once."""
        work = Work(self._scratch / "branches")
        work.commit({"Dockerfile": "FROM scratch\n"})
        for number in range(BRANCHES):
            work.git("branch", f"b{number}")
        token = self._server.tokens["eve"]
        address = f"http://eve:{token}@{self._server.origin.removeprefix('http://')}"
        done = work.run("push", f"{address}/git/eve/wide.git", "refs/heads/b*:refs/heads/b*")
        said = done.stderr.decode()
        assert done.returncode == 0, said
        self.counted["branches"] = said.count("building @")


def measure(bob: Guest, rounds: int) -> dict[str, float]:
    """Median seconds of what an ordinary account does."""

    def run() -> None:
        assert bob.trigger("quick") == 200

    acts: dict[str, Callable[[], object]] = {
        "run": run,
        "write": lambda: bob.want("POST", "code/jobs/quick/description", "Counted at dusk"),
        "read": lambda: bob.want("GET", "code/jobs/quick/description"),
        "list": lambda: json.loads(bob.want("GET", "code/jobs", Accept="application/json")),
    }
    seconds: dict[str, list[float]] = {name: [] for name in acts}
    for _ in range(rounds):
        for name, act in acts.items():
            began = time.perf_counter()
            act()
            seconds[name].append(time.perf_counter() - began)
    return {name: median(taken) for name, taken in seconds.items()}


def test_an_ordinary_account_keeps_its_times_beside_greedy_ones(
    tmp_path: Path, record_property: Counted, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "data"
    with web(data, CURLEW_GRACEFUL_TIMEOUT="1") as server, program(["-P", str(RUNNER), str(data)]):
        bob, mallory = Guest(server, "bob"), Guest(server, "mallory")
        bob.job("quick", "ENV WRITE=x=1", tmp_path)
        mallory.job("slow", f"ENV SLEEP={STEP_SECONDS}", tmp_path)
        mallory.job("long", "ENV SLEEP=600", tmp_path)
        mallory.want("PUT", "code/spaces/heap")
        Guest(server, "eve").want("PUT", "code/repos/wide")
        measure(bob, 1)
        quiet = measure(bob, ROUNDS)
        greed = Greed(server, mallory, tmp_path)
        with greed.going():
            time.sleep(1)
            busy = measure(bob, points(ROUNDS))
    with capsys.disabled():
        for name, seconds in busy.items():
            sys.stdout.write(
                f"\n{name}: {quiet[name] * 1000:.1f} ms quiet, {seconds * 1000:.1f} ms beside greed"
            )
        sys.stdout.write(f"\ngreed: {greed.counted}, refused: {greed.refused}\n")
    for name, count in greed.counted.items():
        record_property(name, count)
    assert all(busy[name] <= quiet[name] * TIMES + SLACK for name in quiet), (quiet, busy)
    assert greed.refused["followers"] == greed.refused["triggers"] == {429}
    assert greed.counted["queued runs"] > 10
