"""Rows k: what the largest and the most hostile content costs its readers."""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Iterator
from contextlib import closing, redirect_stderr
from pathlib import Path
from statistics import median

from handlers.identity.credentials import digest, fresh
from handlers.processes.web import application
from handlers.processes.world import build
from handlers.rendering.markdown import html
from handlers.settings.settings import Settings
from tests.bench.figures import Figure
from tests.kit.client import call
from vfs.ports.people import Account

ROWS = ("k1", "k2", "k3")
STEPS = 109
DESCRIPTION = 256 << 10
HOSTILE = ("[", "![", "![](", "[a][", "*_", "#\n", "- a\n", "&")


def measure(rows: set[str], rounds: int, scratch: Path) -> Iterator[Figure]:
    """The rows that are asked for."""
    if rows & {"k1", "k2"}:
        took, size, lines = job_page(Settings(data=str(scratch / "largest")), rounds)
        what = f"page of a job of {STEPS} steps with {lines:,} lines between them"
        if "k1" in rows:
            yield Figure("k1", what, took * 1e3, bound=300)
        if "k2" in rows:
            yield Figure("k2", f"the same: its size, of {1 << 10}", size / 1024, unit="KiB", bound=1024)
    if "k3" in rows:
        took = max(reading(piece * (DESCRIPTION // len(piece))) for piece in HOSTILE)
        yield Figure("k3", "description of 256 KiB, the worst of eight hostile ones", took * 1e3, bound=1500)


def job_page(settings: Settings, rounds: int) -> tuple[float, int, int]:
    """Processor seconds and bytes of the page of the largest chain, and the lines of that chain."""
    names = [f"s{number}" for number in range(STEPS)]
    pairs = [f"{one}->{two}" for at, one in enumerate(names) for two in names[at + 1 :]]
    chain = "\n".join([*(f"{name}<-s" for name in names), *pairs])
    live_world = build(settings)
    with closing(live_world), live_world.database.session(), redirect_stderr(io.StringIO()):
        value = fresh()
        live_world.world.people.users.add("alice", "-", Account.REGULAR, None, public=True)
        live_world.world.people.tokens.mint("alice", "bench", digest(value))
        app = application(settings, live_world)
        sent = [("Authorization", f"Bearer {value}"), ("Content-Type", "text/plain")]
        job = "/v1/code/jobs/largest"
        for method, path, body in (("PUT", job, b""), ("POST", f"{job}/config/chains", chain.encode())):
            answer = call(app, method, path, sent, body)
            if answer.status >= 300:
                sys.exit(f"{path}: {answer.body.decode()}")
        took, size = [], 0
        for _ in range(rounds):
            began = time.thread_time()
            answer = call(app, "GET", "/u/alice/j/largest", [*sent, ("Accept", "text/html")], b"")
            took.append(time.thread_time() - began)
            size = len(answer.body)
    return median(took), size, len(pairs)


def reading(text: str) -> float:
    """Processor seconds of rendering a description once."""
    began = time.thread_time()
    html(text)
    return time.thread_time() - began
