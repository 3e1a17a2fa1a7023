"""Rows y: what a service answers beside crowds of slow clients, against what it answers when it is quiet.

The crowds are those of one process that holds their connections and neither sends nor takes anything more.
"""

from __future__ import annotations

import contextlib
import os
import resource
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

from handlers.processes.world import build
from handlers.settings.sources import load
from tests.bench.figures import Figure
from tests.bench.requests import wrk
from tests.bench.requests.live_world import FILE, live_world
from tests.bench.requests.wrk import BenchRequest, drive
from tests.kit.command import Service

HEADS, BODIES, READERS, FOLLOWERS, GITS = 800, 800, 200, 500, 300
BIG = 10 << 20
SPACE, JOB = "/v1/code/spaces/slow", "/v1/code/jobs/waits"
SECONDS, TIMES, TRIGGERS, GONE = 2, 3, 40, 60.0
# Until what fits into the buffers of those who take nothing is there.
SETTLED = 2.0
FILES = 8192
HEALTH = BenchRequest("GET", "/healthz")


class Crowd(NamedTuple):
    """So many clients that are alike, and what each of them sends."""

    row: str
    what: str
    number: int
    sent: str


def crowds(token: str, run: str) -> tuple[Crowd, ...]:
    """The crowds; `run` is the path of one that goes on."""
    known = f"Host: c\r\nAuthorization: Bearer {token}\r\n"
    text = f"{known}Content-Type: text/plain\r\nContent-Length: 500\r\n\r\nhalf"
    git = "Host: c\r\nContent-Length: 500\r\n\r\n0032want"
    return (
        Crowd("y1", "half-sent heads", HEADS, f"GET {FILE} HTTP/1.1\r\nHost: c"),
        Crowd("y2", "half-sent bodies", BODIES, f"POST {FILE} HTTP/1.1\r\n{text}"),
        Crowd(
            "y3",
            "readers of 10 MB who take nothing",
            READERS,
            f"GET {SPACE}/content/big HTTP/1.1\r\n{known}\r\n",
        ),
        Crowd("y4", "followers", FOLLOWERS, f"GET {run}/log?follow=1 HTTP/1.1\r\n{known}\r\n"),
        Crowd(
            "y5",
            "half-sent git requests",
            GITS,
            f"POST /git/alice/count.git/git-upload-pack HTTP/1.1\r\n{git}",
        ),
    )


ITEMS = "20000"
ROWS = ("y1", "y2", "y3", "y4", "y5", "y6", "y7", "y8", "y9")


def measure(rows: set[str], scratch: Path) -> Iterator[Figure]:
    """The rows that are asked for."""
    if not rows & set(ROWS):
        return
    if not wrk.is_there():
        yield from (Figure(row, "beside slow clients", skipped=wrk.MISSING) for row in ROWS if row in rows)
        return
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(FILES, before[1]), before[1]))
    try:
        with live_world(scratch / "crowds", "", CONNECTIONS_ADDRESS="4096", QUOTA_ITEMS=ITEMS) as (
            service,
            samples,
        ):
            yield from _beside(rows, service, samples["file"], samples["shared"])
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def _beside(rows: set[str], service: Service, mine: BenchRequest, others: BenchRequest) -> Iterator[Figure]:
    token = mine.headers[0][1].removeprefix("Bearer ")
    all_of_them = crowds(token, _settle(service, token))
    quiet, trigger = _p99(service, others), _trigger_time(service, token)
    for crowd in all_of_them:
        if crowd.row in rows:
            with contextlib.ExitStack() as stack:
                _come(service, stack, crowd)
                what = f"99 in 100 GETs of a small file beside {crowd.number} {crowd.what} : when quiet"
                yield Figure(crowd.row, what, _p99(service, others), quiet, bound=3)
    if rows & {"y6", "y7", "y8", "y9"}:
        sockets = _sockets(service)
        with contextlib.ExitStack() as stack:
            for crowd in all_of_them:
                _come(service, stack, crowd)
            what = "99 in 100 GETs of a small file beside all of them : when quiet"
            yield Figure("y6", what, _p99(service, others), quiet, bound=3)
            yield Figure("y7", "99 in 100 of /healthz beside all of them", _p99(service, HEALTH), bound=50)
            what = "a trigger beside all of them : when quiet"
            yield Figure("y8", what, _trigger_time(service, token), trigger, bound=2)
        what = "until nothing of them is left, once they have gone"
        yield Figure("y9", what, _wait(lambda: _sockets(service) <= sockets), unit="s", bound=GONE)


def _settle(service: Service, token: str) -> str:
    """Make what the crowds ask for; the path of a run that waits for a runner."""
    made = build(load({"CURLEW_QUOTA_ITEMS": ITEMS}, data=str(service.folder)))
    repo = made.world.items.create("repo", "alice", "count")
    number = made.world.code.builds.queue(repo.id, ("latest",), "refs/heads/main", "c0ffee", "alice")
    made.world.code.builds.take("nobody")
    made.world.code.builds.finish(number, "image")
    made.close()
    service.want("PUT", SPACE, token)
    service.want("PUT", f"{SPACE}/content/big", token, bytes(BIG), "application/octet-stream")
    service.want("PUT", JOB, token)
    service.want("POST", f"{JOB}/config/chains", token, b"count")
    _trigger(service, token)
    (run, *_) = service.data(f"{JOB}/runs", token)
    return str(run["uri"])


def _come(service: Service, stack: contextlib.ExitStack, crowd: Crowd) -> None:
    for _ in range(crowd.number):
        wire = stack.enter_context(socket.create_connection(("127.0.0.1", service.port), 60))
        wire.sendall(crowd.sent.encode())
    time.sleep(SETTLED)


def _p99(service: Service, request: BenchRequest) -> float:
    """The time within which 99 in 100 answers come over one connection, in milliseconds."""
    return median(drive(service.port, request, 1, SECONDS).p99 / 1000 for _ in range(TIMES))


def _trigger(service: Service, token: str) -> None:
    service.want("POST", f"{JOB}/data", token, b"{}", "application/json", Prefer="respond-async")


def _trigger_time(service: Service, token: str) -> float:
    """The median time of a trigger that nobody waits for, in milliseconds."""
    times = []
    for _ in range(TRIGGERS):
        began = time.perf_counter()
        _trigger(service, token)
        times.append((time.perf_counter() - began) * 1000)
    return median(times)


def _sockets(service: Service) -> int:
    """The sockets that the processes of the service have open."""
    children = Path(f"/proc/{service.pid}/task/{service.pid}/children").read_text().split()
    open_files = [file for pid in (str(service.pid), *children) for file in Path(f"/proc/{pid}/fd").iterdir()]
    found = 0
    for file in open_files:
        with contextlib.suppress(FileNotFoundError):
            found += os.readlink(file).startswith("socket:")
    return found


def _wait(is_so: Callable[[], bool]) -> float:
    """Seconds until something is so, or a little longer than GONE."""
    began = time.monotonic()
    while not is_so() and time.monotonic() - began <= GONE:
        time.sleep(0.05)
    return time.monotonic() - began
