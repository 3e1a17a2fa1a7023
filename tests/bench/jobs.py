"""Rows a to d: jobs from trigger to result through HTTP, against Podman's command line."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from tests.bench.figures import Figure, in_turn
from tests.bench.floor import PodmanRun
from tests.bench.steps import own_part
from tests.kit.command import Service, serving

NOOP = 'FROM localhost/busybox:latest\nCMD ["true"]\n'
NAP = 'FROM localhost/busybox:latest\nCMD ["sleep", "0.3"]\n'
NAP_SECONDS = 0.3
CHAINS = (
    ("a", "job of `true`, trigger to result : podman run", 1, 4, 0.70),
    ("b", "chain of 2 x `true` : 2 x podman run", 2, 3, None),
    ("c", "chain of 20 x `true` : 20 x podman run", 20, 1, 0.65),
)
ROWS = ("a", "b", "c", "d", "d2")


def measure(rows: set[str], rounds: int, scratch: Path) -> Iterator[Figure]:
    """The rows that are asked for."""
    if rows & {"a", "b", "c", "d"}:
        with serving("serve", scratch / "jobs", NETWORK="none") as service:
            yield from _jobs(service, rows, rounds, scratch)
    if "d2" in rows:
        yield Figure("d2", "the service's own part of a step", own_part(rounds, scratch) * 1000, bound=4)


def _jobs(service: Service, rows: set[str], rounds: int, scratch: Path) -> Iterator[Figure]:
    token = service.user("alice")
    commit = service.push("alice", token, "noop", NOOP)
    floor = PodmanRun(service.folder, scratch / "floor")
    image = floor.image(commit)
    floor.hold_confined(image)

    def chain(name: str, repo: str, steps: int) -> str:
        """A job of so many steps in a row; where it is triggered."""
        job = f"/v1/code/jobs/{name}"
        labels = [f"s{number}" for number in range(steps)]
        text = "".join(f"{label} <- {repo}\n" for label in labels)
        service.want("PUT", job, token)
        lines = text + " -> ".join(labels) + "\n" if steps > 1 else f"{repo}\n"
        service.want("POST", f"{job}/config/chains", token, lines.encode())
        return f"{job}/data"

    def job(address: str) -> float:
        began = time.perf_counter()
        service.want("POST", address, token, b"{}", "application/json")
        return time.perf_counter() - began

    for row, what, steps, often, bound in CHAINS:
        if row in rows:
            yield _against_podman(
                Figure(row, what, bound=bound),
                rounds * often,
                partial(job, chain(f"noop{steps}", "noop", steps)),
                partial(floor.seconds, image, steps),
            )
    if "d" in rows:
        service.push("alice", token, "nap", NAP)
        address = chain("naps", "nap", 10)
        job(address)
        (ours,) = in_turn(rounds, lambda: job(address))
        what = "chain of 10 x `sleep 0.3` : the sleeping itself"
        yield Figure("d", what, ours * 1000, 10 * NAP_SECONDS * 1000, bound=1.15)


def _against_podman(
    figure: Figure, rounds: int, ours: Callable[[], float], podman: Callable[[], float]
) -> Figure:
    ours()
    mine, floor = in_turn(rounds, ours, podman)
    return replace(figure, ours=mine * 1000, floor=floor * 1000)
