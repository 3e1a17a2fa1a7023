"""Row q1: the wait of a stranger's run behind the long runs of another account, through HTTP and Podman."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from tests.bench.figures import Figure
from tests.bench.jobs import NOOP
from tests.kit.command import Service, serving

ROWS = ("q1",)
LONG = 'FROM localhost/busybox:latest\nCMD ["sleep", "20"]\n'
QUEUED = 8


def measure(rows: set[str], rounds: int, scratch: Path) -> Iterator[Figure]:
    """The rows that are asked for."""
    if "q1" in rows:
        with serving("serve", scratch / "turns", NETWORK="none") as service:
            bob, mallory = (
                _job(service, *what) for what in (("bob", "quick", NOOP), ("mallory", "slow", LONG))
            )
            alone = [_seconds(service, bob) for _ in range(rounds + 1)][1:]
            for _ in range(QUEUED):
                _trigger(service, mallory, wait=False)
            behind = [_seconds(service, bob) for _ in range(rounds)]
            what = f"run of an account behind {QUEUED} runs of 20 s of another : alone"
            yield Figure("q1", what, median(behind) * 1000, median(alone) * 1000, bound=2.5)


def _job(service: Service, owner: str, name: str, dockerfile: str) -> tuple[str, str]:
    """A job of one step: its address, and its owner's token."""
    token = service.user(owner)
    service.push(owner, token, name, dockerfile)
    service.want("PUT", f"/v1/code/jobs/{name}", token)
    service.want("POST", f"/v1/code/jobs/{name}/config/chains", token, name.encode())
    return f"/v1/code/jobs/{name}/data", token


def _trigger(service: Service, job: tuple[str, str], *, wait: bool) -> None:
    address, token = job
    heads = {} if wait else {"Prefer": "respond-async"}
    service.want("POST", address, token, b"{}", "application/json", **heads)


def _seconds(service: Service, job: tuple[str, str]) -> float:
    began = time.perf_counter()
    _trigger(service, job, wait=True)
    return time.perf_counter() - began
