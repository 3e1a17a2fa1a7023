"""What a follower of a log is given while nothing happens, and when it is asked whether it may have it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path as Folder

import pytest

from chains.runs.records import Run
from chains.runs.states import Event
from handlers.settings.sources import load
from handlers.trees.code.logs import Tail, _as_events
from handlers.words.sse import BEAT, FIRST
from tests.handlers.household import Household
from vfs.access import Caller, Via
from vfs.call import Call
from vfs.path import Path
from vfs.place import Place

SOON = 0.01


class Patient:
    """Takes so many pieces, and then none any more."""

    def __init__(self, pieces: int) -> None:
        self.left = pieces

    def is_allowed(self) -> bool:
        self.left -= 1
        return self.left >= 0

    def is_over(self) -> bool:
        return False


@pytest.fixture
def household(tmp_path: Folder) -> Iterator[Household]:
    household = Household(load({}, data=str(tmp_path), synchronous="normal"))
    yield household
    household.house.lead.release()
    household.house.close()


def scheduled(household: Household) -> Run:
    """A run of which nothing is said yet."""
    job = household.job()
    household.pass_minutes(1)
    (run,) = household.runs(job)
    return run


def tail(household: Household, run: Run, pieces: int) -> Tail:
    caller = Caller("alice", Via.TOKEN)
    call = Call(None, Path(), caller, household.world, ongoing=Patient(pieces))
    return Tail(Place(call, Path()), run, 0, SOON)


def test_a_beat_tells_that_both_ends_are_there(household: Household) -> None:
    run = scheduled(household)
    assert list(_as_events(tail(household, run, 3), str)) == [FIRST, BEAT, BEAT, BEAT]


def test_whoever_may_not_have_it_any_more_is_given_nothing(household: Household) -> None:
    run = scheduled(household)
    household.world.code.runs.states.record(run.key, lines=[("2026-01-02T03:04:05.678Z", "info", "a secret")])
    assert list(tail(household, run, 0)) == []


def test_the_status_is_known_when_the_run_has_ended_and_all_is_told(household: Household) -> None:
    run = scheduled(household)
    line = ("2026-01-02T03:04:05.678Z", "info", "the end")
    household.world.code.runs.states.event(run.key, Event.FAIL, lines=[line])
    following = tail(household, run, 9)
    assert [[line.message for line in lines] for lines in following] == [["the end"]]
    assert following.status == "failed"


def test_a_run_that_is_forgotten_has_no_end(household: Household) -> None:
    run = scheduled(household)
    household.end(run, Event.FAIL)
    following = tail(household, run, 9)
    household.world.code.runs.retention.discard(run.job)
    assert (list(following), following.status) == ([], "")
