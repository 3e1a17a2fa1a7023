"""Rows r and t: requests sent by wrk, each to another file, against a bare Falcon hello on stock gunicorn.

Rows r are on SQLite, rows t on PostgreSQL; both sync each commit.
"""

from __future__ import annotations

import http.client
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from tests.bench.fanout import memory
from tests.bench.figures import Figure, in_turn
from tests.bench.requests import wrk
from tests.bench.requests.live_world import DOC, GROUPS, MANY, SOME, live_world
from tests.bench.requests.wrk import BenchRequest, drive
from tests.kit.command import Service
from tests.kit.postgres import Postgres
from tests.kit.processes import free_port, processor_seconds, running, tree

CONNECTIONS = 8
BURST, BIG = 16, 5 << 20
SECONDS = 2
RATIOS = {
    "1": ("gets of few", f"GET of the description of {SOME} documents", 1.3),
    "2": ("contents", f"GET of the content of {SOME} documents", 1.3),
    "3": ("data", f"GET of the data of {SOME} plots", 1.3),
    "4": ("unchanged", f"304, description of {MANY:,} documents", 1.3),
    "5": ("unknown", f"401, {MANY:,} different tokens", 1.0),
    "6": ("none", f"404, {MANY:,} different names", 1.0),
    "7": ("options", f"OPTIONS of the description of {MANY:,} documents", 1.3),
    "8": ("listings", f"listing of the folders of {SOME} documents", 3.0),
    "9": ("writes to few", f"POST to the description of {SOME} documents, synced", 2.0),
    "10": ("writes", f"POST to the description of {MANY:,} documents, synced", 2.0),
    "18": ("gets of shared", f"GET of the description of {MANY:,} documents, shared", 1.3),
    "19": ("pages", f"page of {SOME} documents", None),
}
"""What is asked, what that is, and the ratio that is aimed at."""
REFUSED = ("unknown", "none", "absent", "empty")
ALONE = ("r11", "r12", "r13", "r14", "r15", "r16", "r17", "t11", "t12")
ROWS = (*(f"r{number}" for number in RATIOS), *(f"t{number}" for number in RATIOS), *ALONE)


def measure(rows: set[str], rounds: int, scratch: Path, requests: int) -> Iterator[Figure]:
    """The requested rows; r15 takes this number of requests."""
    if not rows & set(ROWS):
        return
    if not wrk.is_there():
        yield from (Figure(row, "requests sent by wrk", skipped=wrk.MISSING) for row in ROWS if row in rows)
        return
    if any(row in ROWS and row.startswith("r") for row in rows):
        with live_world(scratch / "answers", "") as (service, samples):
            yield from _ratios("r", rows, service, samples, rounds, scratch)
            yield from _under_load("r", rows, service, samples, rounds)
            yield from _alone(rows, service, samples, rounds, scratch)
            if "r15" in rows:
                yield _lasting(service, samples, requests)
    if any(row in ROWS and row.startswith("t") for row in rows):
        postgres = Postgres(durable=True)
        try:
            with live_world(scratch / "answers-postgres", postgres.fresh()) as (service, samples):
                yield from _ratios("t", rows, service, samples, rounds, scratch)
                yield from _under_load("t", rows, service, samples, rounds)
        finally:
            postgres.stop()


def _ratios(
    letter: str,
    rows: set[str],
    service: Service,
    samples: dict[str, BenchRequest],
    rounds: int,
    scratch: Path,
) -> Iterator[Figure]:
    """Processor time of each answer against that of hello."""
    numbers = [number for number in RATIOS if f"{letter}{number}" in rows]
    if not numbers:
        return
    port = free_port()
    with running("tests.bench.hello", str(port), port=port, log=scratch / "hello.log") as floor:
        asking: list[Callable[[], float]] = [partial(_cpu, floor, port, BenchRequest("GET", "/hello"))]
        for number in numbers:
            name = RATIOS[number][0]
            asking.append(partial(_cpu, service.pid, service.port, samples[name], refused=name in REFUSED))
        bare, *ours = in_turn(rounds, *asking)
    for number, mine in zip(numbers, ours, strict=True):
        _, what, aim = RATIOS[number]
        yield Figure(f"{letter}{number}", what, mine, bare, "us", aim, is_aim=True)


def _cpu(pid: int, port: int, request: BenchRequest, *, refused: bool = False) -> float:
    """Processor time of the server for one answer, in microseconds."""
    before = processor_seconds(pid)
    seen = drive(port, request, CONNECTIONS, SECONDS, refused=refused)
    return (processor_seconds(pid) - before) / seen.answers * 1e6


def _under_load(
    letter: str, rows: set[str], service: Service, samples: dict[str, BenchRequest], rounds: int
) -> Iterator[Figure]:
    """Figures of many at once."""
    rate = lambda connections: drive(service.port, samples["gets of few"], connections, SECONDS).rate  # noqa: E731
    if f"{letter}11" in rows:
        many, few = in_turn(3 * rounds, partial(rate, 64), partial(rate, 8))
        what = "GETs in a second over 64 connections : over 8"
        yield Figure(f"{letter}11", what, many, few, "/s", 0.9, at_least=True)
    if f"{letter}12" in rows:
        quiet = lambda: drive(service.port, samples["shared"], 8, SECONDS).p50 / 1000  # noqa: E731
        beside, alone = in_turn(rounds, partial(_median_beside_writers, service, samples), quiet)
        what = "median GET of a description while 8 writers write : when quiet"
        yield Figure(f"{letter}12", what, beside, alone, bound=2, is_aim=True)


def _alone(
    rows: set[str], service: Service, samples: dict[str, BenchRequest], rounds: int, scratch: Path
) -> Iterator[Figure]:
    """Figures that need no hello."""

    def cost(name: str) -> Callable[[], float]:
        return partial(_cpu, service.pid, service.port, samples[name], refused=name in REFUSED)

    if "r13" in rows:
        with _autoindex(scratch, MANY) as (pid, port):
            ours, nginx = in_turn(rounds, cost("many"), partial(_cpu, pid, port, BenchRequest("GET", "/")))
        what = f"list of {MANY:,} own items : nginx's autoindex of as many files, processor time"
        yield Figure("r13", what, ours, nginx, "us", 1.5, is_aim=True)
    if "r14" in rows:
        yield _burst(service, samples)
    if "r16" in rows:
        wide, narrow = in_turn(rounds, cost("wide"), cost("narrow"))
        what = f"GET of a small file, shared with {GROUPS} groups of the caller : with one, processor time"
        yield Figure("r16", what, wide, narrow, "us", 1.5)
    if "r17" in rows:
        full, empty = in_turn(rounds, cost("absent"), cost("empty"))
        what = f"404 with advice in a folder of {MANY:,} own items : in an empty one, processor time"
        yield Figure("r17", what, full, empty, "us", 1.2)


def _median_beside_writers(service: Service, samples: dict[str, BenchRequest]) -> float:
    """How long a GET took, in milliseconds, beside writers."""
    seconds = 3 * SECONDS
    writers = threading.Thread(target=drive, args=(service.port, samples["write"], 8, seconds + 1))
    writers.start()
    seen = drive(service.port, samples["shared"], 8, seconds)
    writers.join()
    return seen.p50 / 1000


@contextmanager
def _autoindex(scratch: Path, files: int) -> Iterator[tuple[int, int]]:
    """The process and port of an nginx that lists a folder of this number of files."""
    folder, port = scratch / "listed", free_port()
    folder.mkdir()
    scratch.chmod(0o755)
    for number in range(files):
        (folder / f"document-{number}").touch()
    settings = scratch / "nginx.conf"
    settings.write_text(
        f"daemon off; pid {scratch}/nginx.pid; error_log stderr; worker_processes 1;\n"
        f"user {Path.home().owner()}; events {{}}\n"
        f"http {{ access_log off; server {{ listen 127.0.0.1:{port}; root {folder}; autoindex on; }} }}\n"
    )
    program = shutil.which("nginx")
    if program is None:
        raise SystemExit("there is no nginx to compare with: apt-get install nginx-light")
    nginx = subprocess.Popen([program, "-c", str(settings)])
    try:
        while len(tree(nginx.pid)) == 1:
            threading.Event().wait(0.05)
        yield nginx.pid, port
    finally:
        nginx.terminate()
        nginx.wait()


def _worker(service: Service) -> int:
    """The process that answers."""
    return tree(service.pid)[-1]


def _burst(service: Service, samples: dict[str, BenchRequest]) -> Figure:
    drive(service.port, samples["file"], 8, SECONDS)
    before = memory(_worker(service), "VmRSS")
    head = dict([*samples["file"].headers, ("Content-Type", "image/png")])

    def send(number: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=120)
        body = b"\x89PNG\r\n\x1a\n" + bytes(BIG - 8)
        connection.request("PUT", f"{DOC}/assets/picture-{number}.png", body, head)
        connection.getresponse().read()
        connection.close()

    threads = [threading.Thread(target=send, args=(number,)) for number in range(BURST)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    drive(service.port, samples["file"], 8, SECONDS)
    after = memory(_worker(service), "VmRSS")
    what = f"memory of the worker after {BURST} bodies of {BIG >> 20} MiB at once : before"
    return Figure("r14", what, after / 1e6, before / 1e6, "MB", 1.3)


def _lasting(service: Service, samples: dict[str, BenchRequest], requests: int) -> Figure:
    drive(service.port, samples["file"], 8, 5 * SECONDS)
    before, answers = memory(_worker(service), "VmRSS"), 0
    while answers < requests:
        answers += drive(service.port, samples["file"], 8, 30).answers
    after = memory(_worker(service), "VmRSS")
    return Figure(
        "r15",
        f"memory of the worker after {requests:,} requests : before",
        after / 1e6,
        before / 1e6,
        "MB",
        1.1,
    )
