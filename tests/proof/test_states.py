"""Thousands of steps of the state machine, and no disagreement between the service and the model."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from tests.kit.counting import amount
from tests.kit.podman import Bench
from tests.kit.postgres import Postgres
from tests.kit.world import migrate
from tests.proof.empty_world import JOBS, opened
from tests.proof.stage_podman import SCRIPT, PodmanStage
from tests.proof.walk import SAID, walk

pytestmark = [pytest.mark.soak, pytest.mark.timeout(1800)]

SQLITE, POSTGRES, WITH_PODMAN = 2_000, 1_000, 75
PART = 6
"""`make test` walks a sixth of the usual steps."""


def walks(postgres: Callable[[], Postgres]) -> Sequence[Sequence[object]]:
    """A walk for each, by a different seed."""
    url = postgres().copy_of("tests.proof", migrate)
    return [
        ("tests.proof.walk", where, amount.points(steps, PART), amount.seed() + 1_000 * number)
        for number, (where, steps) in enumerate([("", SQLITE), ("", SQLITE), (url, POSTGRES)])
    ]


@pytest.mark.postgres
@pytest.mark.walks(programs=walks)
def test_the_service_agrees_with_the_model(results: list[str], record_property: amount.Counted) -> None:
    steps = sum(int(said.removeprefix(SAID)) for said in results)
    assert steps >= sum(amount.points(each, PART) for each in (SQLITE, SQLITE, POSTGRES))
    record_property("steps of the state machine", steps)


def test_a_minute_has_one_run_when_another_passes_meanwhile() -> None:
    with opened(None) as empty_world:
        empty_world.made("PUT", f"{JOBS}/nightly")
        empty_world.made("POST", f"{JOBS}/nightly/config/schedule", "* * * * *")
        job = empty_world.world.items.find("job", "alice", "nightly", "alice").item.id  # type: ignore[union-attr]
        for runs in range(1, 4):
            now = empty_world.clock.now()
            empty_world.clock.forward(seconds=60 - now.second, microseconds=-now.microsecond - 100)
            empty_world.fire()
            assert len(empty_world.world.code.runs.reader.newest(job, None)) == runs


@pytest.mark.podman
def test_the_service_agrees_with_the_model_over_podman(
    podman_bench: Bench, record_property: amount.Counted
) -> None:
    image = podman_bench.image(SCRIPT)
    stage = PodmanStage(podman_bench.engine, podman_bench.podman)
    with opened(None, stage, image) as empty_world:
        walk(empty_world, amount.points(WITH_PODMAN), amount.seed())
    assert empty_world.steps >= amount.points(WITH_PODMAN)
    record_property("steps of the state machine over Podman", empty_world.steps)
