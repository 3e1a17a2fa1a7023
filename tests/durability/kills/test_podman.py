"""kill -9 of Podman's service at random moments, with holds, fan-outs and jobs inside in flight."""

from __future__ import annotations

import os
import random
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from chains.engine.port import Network
from chains.podman.confinement import RUN_LABEL
from chains.runner.ports import RunnerSettings, StepPolicy
from chains.runner.runner import Runner
from chains.runs.records import Run
from chains.runs.states import Status
from handlers.processes.runner import ports_of
from tests.durability.kills.deaths import NEVER, Site
from tests.durability.kills.front import CHAINS, Front
from tests.kit.clocks import until
from tests.kit.counting.amount import Counted, points, seed
from tests.kit.podman import Bench
from tests.kit.postgres import in_memory_folder

pytestmark = [pytest.mark.soak, pytest.mark.podman, pytest.mark.timeout(600)]

COPY = "cd /input; for f in $(find . -type f); do mkdir -p /output/${f%/*}; sed s/$/q/ $f > /output/$f; done"
SCRIPTS = {
    "image-quick": COPY,
    "image-many": "for n in 1 2 3; do echo $n > /output/$n; done",
    "image-slow": "trap 'exit 3' TERM; for n in 1 2 3 4 5 6; do sleep 0.1; done; echo slow > /output/x",
}
TRIGGERED = [name for name in CHAINS if name != "inner"]
KILLS = 13
LONGEST = 1.0
AT_ONCE = 3
PATIENCE = 90.0


@pytest.fixture
def front(podman_bench: Bench) -> Iterator[Front]:
    for name, script in SCRIPTS.items():
        image = podman_bench.image(script)
        query = {"repo": name, "tag": "latest"}
        podman_bench.podman.call("post", f"/images/{image}/tag", query=query)
    with in_memory_folder() as folder:
        front = Front(Site(Path(folder), None, {name: {} for name in SCRIPTS}))
        yield front
        front.close()


@contextmanager
def runner(front: Front, bench: Bench) -> Iterator[None]:
    """A runner at work meanwhile, over real containers."""
    stop, ready = threading.Event(), threading.Event()
    working = Runner(
        ports_of(front.live_world, bench.engine),
        front.world.code.builds,
        lambda build: None,
        RunnerSettings(slots=4, policy=StepPolicy(network=Network.NONE, stop_grace=0.5)),
    )
    thread = threading.Thread(target=working.loop, args=(stop, ready.set))
    thread.start()
    try:
        assert ready.wait(NEVER)
        yield
    finally:
        stop.set()
        thread.join(NEVER)


@dataclass
class Killer:
    """Kills the service, each time at a random moment after it came back."""

    bench: Bench
    dice: random.Random
    kills: int
    done: int = 0
    over: threading.Event = field(default_factory=threading.Event)

    def work(self) -> None:
        host = self.bench.host
        for _ in range(self.kills):
            if self.over.wait(self.dice.uniform(0.02, LONGEST)):
                return
            victim = host.service_pid
            assert victim is not None
            os.kill(victim, signal.SIGKILL)
            self.done += 1
            until(lambda: host.service_pid not in (None, victim) and host.answers, bool)  # noqa: B023
        self.over.set()


def test_the_service_killed_at_random_moments_costs_no_run(
    front: Front, podman_bench: Bench, record_property: Counted
) -> None:
    dice = random.Random(seed())
    killer = Killer(podman_bench, random.Random(dice.random()), points(KILLS))
    runs: list[Run] = []
    with runner(front, podman_bench):
        thread = threading.Thread(target=killer.work, name="killer")
        thread.start()
        try:
            while not killer.over.is_set():
                runs += [front.trigger(name) for name in dice.sample(TRIGGERED, AT_ONCE)]
                for run in runs[-AT_ONCE:]:
                    settle(front, run, dice)
        finally:
            killer.over.set()
            thread.join(NEVER)
        assert killer.done == points(KILLS)
        until(lambda: podman_bench.host.answers, bool)
        for run in runs:
            finish(front, run)
        containers = until(lambda: labels(podman_bench), lambda found: not found)
        assert containers == []
        front.nothing_wrong()
    record_property("kills of Podman's service", points(KILLS))
    record_property("runs under such kills", len(runs))


def settle(front: Front, run: Run, dice: random.Random) -> None:
    """Cancel it or let it go on, answer it sometimes."""
    canceled = dice.random() < 0.2 and front.post(run, "status", "canceled") == 202
    run = front.settled(run, PATIENCE)
    if run.status is Status.WAITING and dice.random() < 0.7:
        assert front.post(run, "hold", dice.choice(["continue", "continue", "decline"])) == 202
        return
    assert run.status is not Status.PROCESSING, front.log(run)
    assert run.status is not Status.CANCELED or canceled, run
    right(front, run)


def finish(front: Front, run: Run) -> None:
    """Continue it until it ends."""
    while (run := front.settled(run, PATIENCE)).status is Status.WAITING:
        assert front.post(run, "hold", "continue") == 202
        front.world.code.runs.waits.wait(run.key, lambda status: status is not Status.WAITING, NEVER)
    assert run.status.ended, run
    right(front, run)


def right(front: Front, run: Run) -> None:
    """No run fails because the service died: its containers go on without it."""
    assert run.status is not Status.FAILED, "\n".join(front.log(run))


def labels(bench: Bench) -> list[str]:
    """The runs that have containers."""
    answer = bench.podman.call("get", "/containers/json", query={"all": "true"})
    return [container["Labels"].get(RUN_LABEL, "") for container in answer.body]
