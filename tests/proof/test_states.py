"""Thousands of steps of the state machine, and no disagreement between the service and the model."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.chains.podman_fixture import Bench
from tests.durability import amount
from tests.postgres import Postgres
from tests.proof.ground import opened
from tests.proof.stage_podman import SCRIPT, PodmanStage
from tests.proof.walk import SAID, walk
from tests.storage.grounds import migrate

pytestmark = [pytest.mark.soak, pytest.mark.timeout(1800)]

ROOT = Path(__file__).resolve().parents[2]
SQLITE, POSTGRES, WITH_PODMAN = 8_000, 4_000, 300
WHOLE = 20_000
LAST = 12_000
ACCESS = '{"time"'


def walked(url: str, steps: int, number: int) -> int:
    """The steps that another process made; its last words when it disagreed. Not measured, as it is no
    quicker for being so.
    """
    command = [sys.executable, "-m", "tests.proof.walk", url, str(steps), str(number)]
    environment = {name: word for name, word in os.environ.items() if not name.startswith("COV")}
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    said = "\n".join(line for line in done.stderr.splitlines() if not line.startswith(ACCESS))
    assert done.returncode == 0, f"{said[-LAST:]}\nagain: {shlex.join(command)}"
    return int(said.rpartition(SAID)[2])


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


@pytest.mark.podman
def test_the_service_agrees_with_the_model_over_podman(
    podman_bench: Bench, record_property: amount.Counted
) -> None:
    image = podman_bench.image(SCRIPT)
    stage = PodmanStage(podman_bench.engine, podman_bench.builder._podman)
    with opened(None, stage, image) as ground:
        walk(ground, amount.points(WITH_PODMAN), amount.seed())
    assert ground.steps >= amount.points(WITH_PODMAN)
    record_property("steps of the state machine over Podman", ground.steps)
