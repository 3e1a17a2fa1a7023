"""Thousands of steps of the state machine, and no disagreement between the service and the model."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from tests.kit.counting import amount
from tests.kit.podman import Bench
from tests.kit.postgres import Postgres
from tests.kit.world import migrate
from tests.proof.ground import JOBS, opened
from tests.proof.stage_podman import SCRIPT, PodmanStage
from tests.proof.walk import SAID, walk

pytestmark = [pytest.mark.soak, pytest.mark.timeout(1800)]

SQLITE, POSTGRES, WITH_PODMAN = 2_000, 1_000, 75
PART = 6
"""`make test` walks a sixth of the usual steps."""


def walks(postgres: Callable[[], Postgres]) -> Sequence[Sequence[object]]:
    """A walk for each, by a seed of its own."""
    url = postgres().copy_of("tests.proof", migrate)
    return [
        ("tests.proof.walk", where, amount.points(steps, PART), amount.seed() + 1_000 * number)
        for number, (where, steps) in enumerate([("", SQLITE), ("", SQLITE), (url, POSTGRES)])
    ]


@pytest.mark.postgres
@pytest.mark.walks(programs=walks)
def test_the_service_agrees_with_the_model(told: list[str], record_property: amount.Counted) -> None:
    steps = sum(int(said.removeprefix(SAID)) for said in told)
    assert steps >= sum(amount.points(each, PART) for each in (SQLITE, SQLITE, POSTGRES))
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
