"""Rows e: what listings, depth and open triggers add to requests."""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

from handlers.processes.web import application
from handlers.processes.world import build, open_world
from handlers.settings.settings import Settings
from tests.bench.figures import Figure, in_turn
from tests.bench.load import load
from tests.kit.client import call
from tests.kit.command import Service, serving
from tests.kit.processes import processor_seconds

ROWS = ("e6", "e7", "e8", "e9", "e10")
THREADS = 256
ANSWERS = 4_000
HELD = 128
DEEP = 64
TEXT = b"sixty-four bytes of text, as many as hello answers, word by word"
FILE = "/v1/users/alice/code/jobs/held/summary"


def measure(rows: set[str], rounds: int, scratch: Path) -> Iterator[Figure]:
    """The rows that are asked for."""
    if not rows & set(ROWS):
        return
    settings = {"WORKERS": "1", "THREADS": str(THREADS), "SYNCHRONOUS": "full"}
    with ExitStack() as stack:
        service = stack.enter_context(serving("web", scratch / "web", **settings))
        alice, bob = service.user("alice"), service.user("bob")
        service.want("PUT", "/v1/code/jobs/held", alice)
        service.want("POST", FILE, alice, TEXT)
        service.want("PUT", "/v1/code/jobs/held/shared/@bob~r", alice)
        if rows & {"e6", "e7"}:
            yield from _listings(service, rows, rounds)
        if "e10" in rows:
            what = "SQL statements of a GET of a small file"
            yield Figure("e10", what, statements(service, FILE, bob), unit="", bound=3)
        if "e8" in rows:
            yield _depth(service, alice, rounds)
        if "e9" in rows:
            yield _held(service, alice, bob, rounds)


def _asking(service: Service, request: bytes, status: int) -> Callable[[], float]:
    return lambda: cpu(service.pid, service.port, request, status)


def cpu(pid: int, port: int, request: bytes, status: int) -> float:
    """Processor time of the server for one answer, in microseconds."""
    before = processor_seconds(pid)
    seen = load(port, request, ANSWERS)
    if seen.status != status:
        raise SystemExit(f"{request.splitlines()[0]!r} was answered with {seen.status}, not {status}")
    return (processor_seconds(pid) - before) / seen.answers * 1e6


def _listings(service: Service, rows: set[str], rounds: int) -> Iterator[Figure]:
    addresses = {}
    for owner, number in (("few", 1_000), ("many", 10_000)):
        token = service.user(owner)
        settings = Settings(data=str(service.folder), quota_items=2 * number)
        with open_world(settings) as world, world.atomic():
            for item in range(number):
                world.items.create("doc", owner, f"document-{item}")
        addresses[number] = (f"/v1/users/{owner}/vis/docs", token)
    if "e6" in rows:
        many, few = in_turn(3 * rounds, *(_timed(service, *addresses[number]) for number in (10_000, 1_000)))
        yield Figure("e6", "listing 10,000 items : 1,000", many * 1000, few * 1000, bound=11)
    if "e7" in rows:
        made = statements(service, *addresses[10_000])
        yield Figure("e7", "SQL statements of a listing of 10,000", made, unit="", bound=3)


def _timed(service: Service, path: str, token: str) -> Callable[[], float]:
    def ask() -> float:
        began = time.perf_counter()
        service.want("GET", path, token)
        return time.perf_counter() - began

    return ask


def statements(service: Service, path: str, token: str) -> int:
    """How many SQL statements a GET of a running service executes, from the request to its answer."""
    return statements_of(Settings(data=str(service.folder)), path, token)


def statements_of(settings: Settings, path: str, token: str) -> int:
    """The same on the data that the settings name."""
    live_world = build(settings)
    count = Count()
    log = logging.getLogger("peewee")
    try:
        app = application(settings, live_world)
        headers = [("Authorization", f"Bearer {token}")]
        call(app, "GET", path, headers, b"")
        log.addHandler(count)
        log.setLevel(logging.DEBUG)
        call(app, "GET", path, headers, b"")
    finally:
        log.removeHandler(count)
        log.setLevel(logging.NOTSET)
        live_world.close()
    return count.records


class Count(logging.Handler):
    """Counts what peewee logs of statements; its pool logs under another name."""

    records = 0

    def emit(self, record: logging.LogRecord) -> None:
        """One more."""
        self.records += record.name == "peewee"


def _depth(service: Service, token: str, rounds: int) -> Figure:
    what = f"GET of a file {DEEP} levels deep : 1"
    root = "/v1/code/spaces/deep/content"
    if service.ask("PUT", "/v1/code/spaces/deep", token)[0] >= 400:
        return Figure("e8", what, bound=1.2, skipped="there are no spaces yet")
    paths = [f"{root}{'/d' * (depth - 1)}/file.txt" for depth in (DEEP, 1)]
    for path in paths:
        service.want("PUT", path, token, TEXT)
    deep, flat = in_turn(rounds, *(_asking(service, service.request("GET", p, token), 200) for p in paths))
    return Figure("e8", f"{what}, processor time", deep, flat, "us", 1.2)


def _held(service: Service, alice: str, bob: str, rounds: int) -> Figure:
    request = service.request("GET", FILE, bob)
    service.want("PUT", "/v1/code/repos/nothing", alice)
    service.want("POST", "/v1/code/jobs/held/config/chains", alice, b"nothing")
    rate = lambda: load(service.port, request, 20 * ANSWERS).rate  # noqa: E731
    (free,) = in_turn(rounds, rate)
    trigger = service.request("POST", "/v1/code/jobs/held/data", alice, b"{}")
    trigger = trigger.replace(b"text/plain", b"application/json")
    held = [socket.create_connection(("127.0.0.1", service.port)) for _ in range(HELD)]
    for one in held:
        one.sendall(trigger)
    time.sleep(2)
    (busy,) = in_turn(rounds, rate)
    for one in held:
        one.close()
    what = f"GETs in a second with {HELD} triggers held open : with none"
    return Figure("e9", what, busy, free, "/s", 0.9, at_least=True)
