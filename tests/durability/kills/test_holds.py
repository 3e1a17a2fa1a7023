"""kill -9 at every moment around a hold: as files are parked, as it is answered, as the run goes on."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from chains.runs.records import Run
from chains.runs.states import Status
from tests.durability.kills.deaths import NEVER, Living, Site, ask, started
from tests.durability.kills.front import SCRIPTS, WITHIN, Front
from tests.durability.test_kills import until_heard
from tests.kit.postgres import in_memory_folder
from tests.kit.unmeasured import processes
from tests.kit.world import migrate

pytestmark = pytest.mark.timeout(600)

PARKED = {"1": "one ", "2": "two ", "3": "three "}
MOST = 300
CONTINUED, DECLINED = ("continued", "alice"), ("declined", "alice")


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def front(request: pytest.FixtureRequest) -> Iterator[Front]:
    url = None
    if request.param == "postgresql":
        url = request.getfixturevalue("postgres").copy_of("tests.proof", migrate)
    with in_memory_folder() as folder:
        front = Front(Site(Path(folder), url, SCRIPTS))
        yield front
        front.close()


def every_moment(stride: int, live: Callable[[int], bool]) -> int:
    """Die at the first moment, at a later one, and so on, until nothing is left to die of; how often it "
    "was."""
    for count, death in enumerate(range(1, MOST * stride, stride)):
        if not live(death):
            return count
    raise AssertionError("it never survives")


def waiting(front: Front) -> Run:
    """A run that waits after its first step; a runner was there for it."""
    runner = Living(front.site)
    run = front.settled(front.trigger("held"))
    runner.end()
    assert run.status is Status.WAITING, front.log(run)
    return run


def answers(front: Front, run: Run) -> list[tuple[str | None, str | None]]:
    return [(held.outcome, held.settled_by) for held in front.world.code.runs.reader.holds(run.key)]


def ends_well(front: Front, run: Run) -> None:
    """Whatever hold it waits at, it is continued there, and ends with what was parked."""
    while (run := front.settled(run)).status is Status.WAITING:
        assert set(front.parked(run)) == set(PARKED)
        assert front.post(run, "hold", "continue") == 202
        front.world.code.runs.waits.wait(run.key, lambda status: status is not Status.WAITING, WITHIN)
    assert run.status is Status.SUCCESS, front.log(run)


def stride(front: Front) -> int:
    """Every moment on SQLite, and every fourth on PostgreSQL."""
    return 1 if front.live_world.database.dialect == "sqlite" else 4


def test_a_runner_dies_at_every_moment_up_to_a_hold(front: Front) -> None:
    """It waits with all its files, or it is lost and has left nothing."""
    ends: set[Status] = set()

    def live(death: int) -> bool:
        run = front.trigger("held")
        runner = Living(front.site, death)
        died = dies(front, runner, run, Status.WAITING)
        after = Living(front.site)
        assert after.ready(WITHIN)
        run = front.settled(run)
        ends.add(run.status)
        if run.status is Status.WAITING:
            assert front.parked(run) == PARKED
            assert front.post(run, "hold", "decline") == 202
        else:
            assert run.status is Status.FAILED, front.log(run)
            assert "interrupted" in front.log(run)[-1]
        front.nothing_wrong()
        after.end()
        return died

    assert every_moment(stride(front), live) >= 5
    assert ends == {Status.WAITING, Status.FAILED}


def dies(front: Front, runner: Living, run: Run, wanted: Status) -> bool:
    """Whether the runner dies before the run is as wanted; it has ended then, in one way or another."""
    for _ in itertools.count():
        if runner.died(0.005):
            until_heard(front.live_world.database)
            return True
        if front.now(run).status is wanted:
            died = runner.died(0.1)
            runner.kill()
            until_heard(front.live_world.database)
            return died
    raise AssertionError


@pytest.mark.parametrize("word", ["continue", "decline"])
def test_a_web_worker_dies_at_every_moment_of_an_answer(front: Front, word: str) -> None:
    """The run was answered, wholly, or it waits as before."""
    seen: set[Status] = set()
    run = waiting(front)

    def live(death: int) -> bool:
        nonlocal run
        if run.status is not Status.WAITING:
            run = waiting(front)
        said = processes.SimpleQueue()
        process = started(ask, front.site, death, front.token, f"{front.path(run)}/hold", word, said)
        process.join(NEVER)
        until_heard(front.live_world.database)
        run = front.now(run)
        seen.add(run.status)
        survived = not said.empty()
        if survived:
            assert said.get() == 202
        if run.status is Status.WAITING:
            assert not survived
            assert answers(front, run) == [(None, None)]
            assert front.parked(run) == PARKED
        else:
            assert answers(front, run) == [CONTINUED if word == "continue" else DECLINED]
            assert run.status is (Status.PROCESSING if word == "continue" else Status.CANCELED)
        front_is_right(front, run)
        return not survived

    assert every_moment(stride(front), live) >= 3
    assert seen == {Status.WAITING, Status.PROCESSING if word == "continue" else Status.CANCELED}
    runner = Living(front.site)
    assert runner.ready(WITHIN)
    for left in front.unended():
        ends_well(front, left)
    front.nothing_wrong()
    runner.end()


def front_is_right(front: Front, run: Run) -> None:
    """Between the death and the next runner: spaces, frozen copies and credentials are right already."""
    frozen = front.live_world.database.rows("SELECT count(*) FROM item WHERE kind = 'frozen'")[0][0]
    continued = front.live_world.database.rows(
        "SELECT count(*) FROM hold h JOIN run r ON r.key = h.run"
        " WHERE h.outcome = 'continued' AND r.status IN ('processing', 'canceling', 'waiting')"
    )[0][0]
    assert frozen == continued, (frozen, continued, run)


def test_a_runner_dies_at_every_moment_after_an_answer(front: Front) -> None:
    """It goes on when nobody had begun to, waits at the next hold, or is lost and has left nothing."""
    ends: set[Status] = set()

    def live(death: int) -> bool:
        run = waiting(front)
        assert front.post(run, "hold", "continue") == 202
        died = dies(front, Living(front.site, death), run, Status.WAITING)
        after = Living(front.site)
        assert after.ready(WITHIN)
        run = front.settled(run)
        ends.add(run.status)
        if run.status is Status.FAILED:
            assert "interrupted" in front.log(run)[-1]
        else:
            assert answers(front, run) == [CONTINUED, (None, None)]
            assert front.parked(run) == {name: f"{text}q\n" for name, text in PARKED.items()}
            ends_well(front, run)
        front.nothing_wrong()
        after.end()
        return died

    assert every_moment(2 * stride(front), live) >= 3
    assert ends == {Status.WAITING, Status.FAILED}
