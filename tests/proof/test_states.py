"""Thousands of steps of the state machine, and no disagreement between the service and the model."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.kit import amount
from tests.kit.podman import Bench
from tests.kit.postgres import Postgres
from tests.kit.unmeasured import told
from tests.kit.world import migrate
from tests.proof.ground import JOBS, opened
from tests.proof.stage_podman import SCRIPT, PodmanStage
from tests.proof.walk import SAID, walk

pytestmark = [pytest.mark.soak, pytest.mark.timeout(1800)]

SQLITE, POSTGRES, WITH_PODMAN = 8_000, 4_000, 300
WHOLE = 20_000


def walked(url: str, steps: int, number: int) -> int:
    """The steps that another process made."""
    return int(told("tests.proof.walk", url, steps, number).removeprefix(SAID))


def together(walks: Sequence[tuple[str, int]]) -> int:
    """All walks at once, each by a seed of its own; how many steps they made."""
    with ThreadPoolExecutor(len(walks)) as pool:
        done = [
            pool.submit(walked, url, amount.points(steps), amount.seed() + 1_000 * number)
            for number, (url, steps) in enumerate(walks)
        ]
        return sum(walk.result() for walk in done)


@pytest.mark.postgres
def test_the_service_agrees_with_the_model(postgres: Postgres, record_property: amount.Counted) -> None:
    url = postgres.copy_of("tests.proof", migrate)
    steps = together([("", SQLITE), ("", SQLITE), (url, POSTGRES)])
    assert steps >= amount.points(WHOLE)
    record_property("steps of the state machine", steps)


def test_a_minute_has_one_run_when_another_passes_meanwhile() -> None:
    with opened(None) as ground:
        ground.made("PUT", f"{JOBS}/nightly")
        ground.made("POST", f"{JOBS}/nightly/config/schedule", "* * * * *")
        job = ground.world.items.find("job", "alice", "nightly", "alice").item.id  # type: ignore[union-attr]
        for runs in range(1, 4):
            now = ground.clock.now()
            ground.clock.forward(seconds=60 - now.second, microseconds=-now.microsecond - 100)
            ground.fire()
            assert len(ground.world.code.runs.reader.newest(job, None)) == runs


@pytest.mark.podman
def test_the_service_agrees_with_the_model_over_podman(
    podman_bench: Bench, record_property: amount.Counted
) -> None:
    image = podman_bench.image(SCRIPT)
    stage = PodmanStage(podman_bench.engine, podman_bench.podman)
    with opened(None, stage, image) as ground:
        walk(ground, amount.points(WITH_PODMAN), amount.seed())
    assert ground.steps >= amount.points(WITH_PODMAN)
    record_property("steps of the state machine over Podman", ground.steps)
