"""kill -9 of the runner at random moments, with holds, fan-outs and jobs inside in flight."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from chains.runs.records import Run
from chains.runs.states import Status
from tests.durability.kills.deaths import Living, Site
from tests.durability.kills.front import CHAINS, SCRIPTS, WITHIN, Front
from tests.kit.counting.amount import Counted, points, seed
from tests.kit.postgres import in_memory_folder

pytestmark = [pytest.mark.soak, pytest.mark.timeout(600)]

TRIGGERED = [name for name in CHAINS if name != "inner"]
KILLS = 13
LONGEST = 0.3


@pytest.fixture
def front() -> Iterator[Front]:
    with in_memory_folder() as folder:
        front = Front(Site(Path(folder), None, SCRIPTS))
        yield front
        front.close()


def act(front: Front, dice: random.Random) -> None:
    """Answer or cancel something, if there is something."""
    runs = [front.now(run) for run in front.unended()]
    for run in dice.sample(runs, min(2, len(runs))):
        if run.status is Status.WAITING:
            assert front.post(run, "hold", dice.choice(["continue", "continue", "decline"])) == 202
        elif run.status is Status.PROCESSING and run.origin.endswith("/slow"):
            assert front.post(run, "status", "canceled") in (202, 409)


def check(front: Front, before: list[Run]) -> None:
    """Everything that was in flight stands as it has to, once the next runner is there (decisions 25)."""
    for was in before:
        run = front.now(was)
        if was.status is Status.WAITING:
            assert run.status is Status.WAITING, (was, run)
            assert front.parked(run), was
        elif was.worker is None:
            assert run.status is not Status.FAILED, front.log(run)
        elif was.status is Status.CANCELING:
            assert run.status is Status.CANCELED, run
        else:
            assert run.status is Status.FAILED, run
            assert "interrupted and cannot be continued" in front.log(run)[-1]
            assert {row["status"] for row in front.steps(run)["steps"]} <= {"success", "failed", "canceled"}


def test_a_runner_killed_at_random_moments_loses_nothing(front: Front, record_property: Counted) -> None:
    dice = random.Random(seed())
    runs: list[Run] = []
    runner = Living(front.site)
    lost = 0
    for _ in range(points(KILLS)):
        assert runner.ready(WITHIN)
        runs += [front.trigger(name) for name in dice.sample(TRIGGERED, 4)]
        time.sleep(dice.uniform(0, LONGEST))
        act(front, dice)
        time.sleep(dice.uniform(0, LONGEST / 4))
        runner.kill()
        if dice.random() < 0.3:
            act(front, dice)
        before = front.unended()
        lost += sum(run.worker is not None for run in before)
        runner = Living(front.site)
        assert runner.ready(WITHIN), "the next runner does not come up"
        check(front, before)
        front.nothing_wrong()
    drain(front, runs)
    runner.end()
    assert lost > points(KILLS) // 2, "hardly a run was in flight"
    record_property("kills of the runner", points(KILLS))


def drain(front: Front, runs: list[Run]) -> None:
    """What still waits is continued, and ends well."""
    for run in runs:
        waited = False
        while (run := front.settled(run)).status is Status.WAITING:
            waited = True
            assert front.post(run, "hold", "continue") == 202
            front.world.code.runs.waits.wait(run.key, lambda status: status is not Status.WAITING, WITHIN)
        assert run.status.ended, run
        assert not waited or run.status is Status.SUCCESS, front.log(run)
    front.nothing_wrong()
    assert front.unended() == []
