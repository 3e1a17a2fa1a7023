"""Rows a to d, and o with the default network: jobs from trigger to result, against Podman's command line."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

from chains.engine.port import Network
from tests.bench.fanout import COPY, JOB, trigger
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
OUTBOUND_CHAINS = (
    ("o1", "job of `true` with the default network : podman run", 1, 4, 0.50),
    ("o2", "chain of 20 x `true` with the default network : 20 x podman run", 20, 1, 0.42),
)
SLEEPING = {
    "d": ("chain of 10 x `sleep 0.3` : the sleeping itself", 1.15),
    "o4": ("chain of 10 x `sleep 0.3` with the default network : the sleeping itself", 1.12),
}
FILES, WIDTH = 16, 4
ROWS = ("a", "b", "c", "d", "d2", "o1", "o2", "o3", "o4")


def measure(rows: set[str], rounds: int, scratch: Path) -> Iterator[Figure]:
    """The rows that are asked for."""
    if rows & {"a", "b", "c", "d"}:
        with serving("serve", scratch / "jobs", NETWORK="none") as service:
            yield from _jobs(service, rows, rounds, scratch / "floor", Network.NONE)
    if rows & {"o1", "o2", "o3", "o4"}:
        with serving("serve", scratch / "outbound", NETWORK="outbound") as service:
            yield from _jobs(service, rows, rounds, scratch / "outbound-floor", Network.OUTBOUND)
    if "d2" in rows:
        yield Figure("d2", "the service's own part of a step", own_part(rounds, scratch) * 1000, bound=4)


class Jobs:
    """Jobs on a running service, each triggered through HTTP."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.token = service.user("alice")
        self.commit = service.push("alice", self.token, "noop", NOOP)

    def chain(self, name: str, repo: str, steps: int) -> str:
        """A job of this number of steps in a row; the path at which it is triggered."""
        job = f"/v1/code/jobs/{name}"
        labels = [f"s{number}" for number in range(steps)]
        text = "".join(f"{label} <- {repo}\n" for label in labels)
        self.service.want("PUT", job, self.token)
        lines = text + " -> ".join(labels) + "\n" if steps > 1 else f"{repo}\n"
        self.service.want("POST", f"{job}/config/chains", self.token, lines.encode())
        return f"{job}/data"

    def fan(self) -> float:
        """How long a step and then one for each of some files take."""
        began = time.perf_counter()
        trigger(self.service, self.token, FILES)
        return time.perf_counter() - began

    def seconds(self, address: str) -> float:
        """How long a job takes from its trigger to its result."""
        began = time.perf_counter()
        self.service.want("POST", address, self.token, b"{}", "application/json")
        return time.perf_counter() - began


def _jobs(service: Service, rows: set[str], rounds: int, scratch: Path, network: Network) -> Iterator[Figure]:
    jobs = Jobs(service)
    floor = PodmanRun(service.folder, scratch, network)
    image = floor.image(jobs.commit)
    floor.hold_confined(image)
    for row, what, steps, often, bound in CHAINS if network is Network.NONE else OUTBOUND_CHAINS:
        if row in rows:
            yield _against_podman(
                Figure(row, what, bound=bound),
                rounds * often,
                partial(jobs.seconds, jobs.chain(f"noop{steps}", "noop", steps)),
                partial(floor.seconds, image, steps),
            )
    if "o3" in rows and network is Network.OUTBOUND:
        service.push("alice", jobs.token, "copy", COPY)
        service.want("PUT", JOB, jobs.token)
        fan_out = b"first <- copy\neach <- copy\nfirst -> .each\n"
        service.want("POST", f"{JOB}/config/chains", jobs.token, fan_out)
        what = f"fan-out over {FILES} files : podman run, then {FILES} at width {WIDTH}"
        yield _against_podman(Figure("o3", what, bound=0.6), rounds, jobs.fan, partial(_wide, floor, image))
    slept = "d" if network is Network.NONE else "o4"
    if slept in rows:
        service.push("alice", jobs.token, "nap", NAP)
        address = jobs.chain("naps", "nap", 10)
        jobs.seconds(address)
        (ours,) = in_turn(rounds, lambda: jobs.seconds(address))
        what, bound = SLEEPING[slept]
        yield Figure(slept, what, ours * 1000, 10 * NAP_SECONDS * 1000, bound=bound)


def _wide(floor: PodmanRun, image: str) -> float:
    """How long Podman's command line takes for a run and then for one a file, some at once."""
    began = time.perf_counter()
    floor.seconds(image)
    with ThreadPoolExecutor(WIDTH) as pool:
        list(pool.map(lambda _: floor.seconds(image), range(FILES)))
    return time.perf_counter() - began


def _against_podman(
    figure: Figure, rounds: int, ours: Callable[[], float], podman: Callable[[], float]
) -> Figure:
    ours()
    mine, floor = in_turn(rounds, ours, podman)
    return replace(figure, ours=mine * 1000, floor=floor * 1000)
