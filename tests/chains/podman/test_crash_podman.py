"""A runner killed while real containers run: the next one removes them, and nothing of the run is wrong."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from chains.engine.port import Engine
from chains.podman.confinement import Confinement
from chains.podman.engine import Podman, PodmanEngine
from chains.runs.states import Status
from tests.chains.runner.test_crash import PLAN, SEED, check, live, prepare, recover
from tests.kit.crashing import Site
from tests.kit.podman import Bench

pytestmark = pytest.mark.podman

SCRIPT = "echo {0} speaks; sleep 0.2; cp /input/birds.txt /output; echo {0} >> /output/birds.txt"


@dataclass(frozen=True)
class PodmanAt:
    """Where Podman's service and the exit codes of its containers are."""

    socket: Path
    exits: Path
    instance: str
    confinement: Confinement

    def opened(self) -> Engine:
        return PodmanEngine(Podman(self.socket), self.confinement, self.exits, self.instance, lambda: None)


@pytest.fixture
def sites(podman_bench: Bench, tmp_path: Path) -> Iterator[Site]:
    host, api = podman_bench.host, Podman(podman_bench.host.socket)
    for step in "ab":
        image = podman_bench.image(SCRIPT.format(step))
        api.call("post", f"/images/{image}/tag", query={"repo": f"image-{step}", "tag": "latest"})
    engine = PodmanAt(host.socket, host.exits, host.instance, host.confinement)

    def make() -> Iterator[Site]:
        for number in range(1_000):
            folder = tmp_path / str(number)
            folder.mkdir()
            prepare(f"sqlite:///{folder}/curlew.db")
            yield Site(f"sqlite:///{folder}/curlew.db", folder, engine)

    yield make()
    answer = api.call("get", "/containers/json", query={"all": "true"})
    assert [json.dumps(container["Names"]) for container in answer.body] == []
    api.close()


def test_a_runner_killed_at_events_and_at_random_moments_leaves_no_container(sites: Iterator[Site]) -> None:
    dice = random.Random(SEED)
    kills: list[tuple[int | None, float | None]] = [(death, None) for death in range(3, 11)]
    kills += [(None, dice.uniform(0.05, 1.0)) for _ in range(8)]
    for death, moment in kills:
        with next(sites).opened() as opened:
            run = opened.order(PLAN)
            live(opened.site, death, moment)
            run = recover(opened, run)
            assert run.status in (Status.SUCCESS, Status.FAILED)
            check(opened, run)


def test_the_same_without_a_kill_ends_well(sites: Iterator[Site]) -> None:
    with next(sites).opened() as opened:
        run = recover(opened, opened.order(PLAN))
        assert run.status is Status.SUCCESS
        check(opened, run)
