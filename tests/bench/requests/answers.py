"""Rows r and t: requests sent by wrk, against a bare Falcon application on stock gunicorn gthread.

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
from tests.bench.requests.house import DOC, FEW, GROUPS, MANY, house
from tests.bench.requests.wrk import Asked, drive
from tests.kit.command import Service
from tests.kit.postgres import Postgres
from tests.kit.processes import free_port, processor_seconds, running, tree

CONNECTIONS = (1, 8, 64)
BURST, BIG = 16, 5 << 20
SECONDS = 2
THREADS = 256
RATIOS = {
    "1": ("GET of a small file", 0.55),
    "2": ("GET of a small file, shared", 0.60),
    "3": ("304", 0.35),
    "4": ("401", 0.35),
    "5": ("404", 0.50),
    "6": ("OPTIONS", 0.60),
    "7": (f"listing of {FEW}", 1.5),
    "8": ("POST, synced", 1.2),
}
WRITE = "8"
REFUSALS = ("4", "5")
ALONE = ("r9", "r10", "r11", "r12", "r13", "r14", "r15", "r16", "t9", "t10")
ROWS = (*(f"r{number}" for number in RATIOS), *(f"t{number}" for number in RATIOS), *ALONE)


def measure(rows: set[str], rounds: int, scratch: Path, requests: int) -> Iterator[Figure]:
    """The rows that are asked for; r13 takes so many requests."""
    if not rows & set(ROWS):
        return
    if not wrk.is_there():
        yield from (Figure(row, "requests sent by wrk", skipped=wrk.MISSING) for row in ROWS if row in rows)
        return
    if rows & {row for row in ROWS if row.startswith("r")} - {"r14", "r15", "r16"}:
        with house(scratch / "answers", "") as (service, asked):
            yield from _ratios("r", rows, service, asked, rounds, scratch)
            yield from _under_load("r", rows, service, asked, rounds)
            yield from _alone(rows, service, asked, rounds, scratch)
            if "r13" in rows:
                yield _lasting(service, asked, requests)
    if rows & {"r14", "r15", "r16"}:
        with house(scratch / "answers-anew", "") as (service, asked):
            yield from _anew(rows, service, asked, rounds, scratch)
    if rows & {row for row in ROWS if row.startswith("t")}:
        postgres = Postgres(durable=True)
        try:
            with house(scratch / "answers-postgres", postgres.fresh()) as (service, asked):
                yield from _ratios("t", rows, service, asked, rounds, scratch)
                yield from _under_load("t", rows, service, asked, rounds)
        finally:
            postgres.stop()


def _ratios(
    letter: str, rows: set[str], service: Service, asked: dict[str, Asked], rounds: int, scratch: Path
) -> Iterator[Figure]:
    """Processor time of each answer against that of hello, over few and many connections.

    A writer alone shares its sync with nobody, and has no bound.
    """
    numbers = [number for number in RATIOS if f"{letter}{number}" in rows]
    if not numbers:
        return
    port = free_port()
    hello = Asked("GET", "/hello")
    with running("tests.bench.hello", str(port), str(THREADS), port=port, log=scratch / "hello.log") as floor:
        for connections in CONNECTIONS:
            asking: list[Callable[[], float]] = [partial(_cpu, floor, port, hello, connections)]
            for number in numbers:
                mine = partial(_cpu, service.pid, service.port, asked[number], connections)
                asking.append(partial(mine, refused=number in REFUSALS))
            bare, *ours = in_turn(rounds, *asking)
            for number, mine_took in zip(numbers, ours, strict=True):
                what, bound = RATIOS[number]
                yield Figure(
                    f"{letter}{number}",
                    f"{what} : a bare Falcon hello, {connections} connections, processor time",
                    mine_took,
                    bare,
                    "us",
                    None if number == WRITE and connections == 1 else bound,
                )


def _cpu(pid: int, port: int, asked: Asked, connections: int, *, refused: bool = False) -> float:
    """Processor time of the server for one answer, in microseconds."""
    before = processor_seconds(pid)
    seen = drive(port, asked, connections, SECONDS, refused=refused)
    return (processor_seconds(pid) - before) / seen.answers * 1e6


def _under_load(
    letter: str, rows: set[str], service: Service, asked: dict[str, Asked], rounds: int
) -> Iterator[Figure]:
    """Figures of many at once."""
    rate = lambda connections: drive(service.port, asked["1"], connections, SECONDS).rate  # noqa: E731
    if f"{letter}9" in rows:
        many, few = in_turn(3 * rounds, partial(rate, 64), partial(rate, 8))
        what = "GETs in a second over 64 connections : over 8"
        yield Figure(f"{letter}9", what, many, few, "/s", 1.0, at_least=True)
    if f"{letter}10" in rows:
        times = sorted(
            (_times_beside_writers(service, asked) for _ in range(rounds)), key=lambda two: two[0] / two[1]
        )
        p99, p50 = times[rounds // 2]
        what = "GET of a small file, 99 in 100 : the median, while 8 writers write"
        yield Figure(f"{letter}10", what, p99 / 1000, p50 / 1000, bound=3)


def _alone(
    rows: set[str], service: Service, asked: dict[str, Asked], rounds: int, scratch: Path
) -> Iterator[Figure]:
    """Figures that need no hello."""
    if "r11" in rows:
        with _autoindex(scratch, MANY) as (pid, port):
            ours, nginx = in_turn(
                rounds,
                partial(_cpu, service.pid, service.port, asked["many"], 8),
                partial(_cpu, pid, port, Asked("GET", "/"), 8),
            )
        what = f"list of {MANY:,} own items : nginx's autoindex of as many files, processor time"
        yield Figure("r11", what, ours, nginx, "us", 1.5)
    if "r12" in rows:
        yield _burst(service, asked)


def _anew(
    rows: set[str], service: Service, asked: dict[str, Asked], rounds: int, scratch: Path
) -> Iterator[Figure]:
    """Figures of one file, and of what is absent."""
    if "r14" in rows:
        wide, narrow = in_turn(
            rounds,
            partial(_cpu, service.pid, service.port, asked["wide"], 8),
            partial(_cpu, service.pid, service.port, asked["narrow"], 8),
        )
        what = f"GET of a small file, shared with {GROUPS} groups of the caller : with one, processor time"
        yield Figure("r14", what, wide, narrow, "us", 1.5)
    if "r15" in rows:
        port = free_port()
        with running(
            "tests.bench.hello", str(port), str(THREADS), port=port, log=scratch / "hello.log"
        ) as pid:
            mine, bare = in_turn(
                rounds,
                partial(_cpu, service.pid, service.port, asked["1"], 8),
                partial(_cpu, pid, port, Asked("GET", "/hello"), 8),
            )
        what = "GET of a small file : a bare Falcon hello, 8 connections, processor time"
        yield Figure("r15", what, mine, bare, "us", 1.0)
    if "r16" in rows:
        full, empty = in_turn(
            rounds,
            partial(_cpu, service.pid, service.port, asked["absent"], 8, refused=True),
            partial(_cpu, service.pid, service.port, asked["empty"], 8, refused=True),
        )
        what = f"404 with advice in a folder of {MANY:,} own items : in an empty one, processor time"
        yield Figure("r16", what, full, empty, "us", 1.2)


def _times_beside_writers(service: Service, asked: dict[str, Asked]) -> tuple[int, int]:
    """How long GETs took at 99 in 100 and at the median, in microseconds, beside writers."""
    seconds = 3 * SECONDS
    writers = threading.Thread(target=drive, args=(service.port, asked["8"], 8, seconds + 1))
    writers.start()
    seen = drive(service.port, asked["2"], 8, seconds)
    writers.join()
    return seen.p99, seen.p50


@contextmanager
def _autoindex(scratch: Path, files: int) -> Iterator[tuple[int, int]]:
    """The process and port of an nginx that lists a folder of so many files."""
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


def _burst(service: Service, asked: dict[str, Asked]) -> Figure:
    drive(service.port, asked["1"], 8, SECONDS)
    before = memory(_worker(service), "VmRSS")
    head = dict([*asked["1"].headers, ("Content-Type", "image/png")])

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
    drive(service.port, asked["1"], 8, SECONDS)
    after = memory(_worker(service), "VmRSS")
    what = f"memory of the worker after {BURST} bodies of {BIG >> 20} MiB at once : before"
    return Figure("r12", what, after / 1e6, before / 1e6, "MB", 1.3)


def _lasting(service: Service, asked: dict[str, Asked], requests: int) -> Figure:
    drive(service.port, asked["1"], 8, 5 * SECONDS)
    before, answers = memory(_worker(service), "VmRSS"), 0
    while answers < requests:
        answers += drive(service.port, asked["1"], 8, 30).answers
    after = memory(_worker(service), "VmRSS")
    return Figure(
        "r13",
        f"memory of the worker after {requests:,} requests : before",
        after / 1e6,
        before / 1e6,
        "MB",
        1.1,
    )
