"""Followers of a log: what they get while nothing happens, and when their right is checked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path as Folder

import pytest

from chains.runs.records import Run
from chains.runs.states import Event
from handlers.settings.sources import load
from handlers.trees.code.logs import Tail, _as_events
from handlers.words.sse import FIRST, HEARTBEAT
from tests.handlers.service_world import ServiceWorld
from vfs.access import Caller, Via
from vfs.call import Call
from vfs.context import Context
from vfs.path import Path

SOON = 0.01


class Patient:
    """Supervision that allows `pieces` pieces."""

    def __init__(self, pieces: int) -> None:
        self.left = pieces

    def is_allowed(self) -> bool:
        self.left -= 1
        return self.left >= 0

    def is_over(self) -> bool:
        return False


@pytest.fixture
def service_world(tmp_path: Folder) -> Iterator[ServiceWorld]:
    service_world = ServiceWorld(load({}, data=str(tmp_path), synchronous="normal"))
    yield service_world
    service_world.live_world.lead.release()
    service_world.live_world.close()


def scheduled(service_world: ServiceWorld) -> Run:
    """Return a scheduled run whose log is empty."""
    job = service_world.job()
    service_world.pass_minutes(1)
    (run,) = service_world.runs(job)
    return run


def tail(service_world: ServiceWorld, run: Run, pieces: int) -> Tail:
    caller = Caller("alice", Via.TOKEN)
    call = Call(None, Path(), caller, service_world.world, ongoing=Patient(pieces))
    return Tail(Context(call, Path()), run, 0, SOON)


def test_a_heartbeat_shows_that_both_ends_are_present(service_world: ServiceWorld) -> None:
    run = scheduled(service_world)
    assert list(_as_events(tail(service_world, run, 3), str)) == [FIRST, HEARTBEAT, HEARTBEAT, HEARTBEAT]


def test_a_follower_who_lost_the_right_gets_nothing(service_world: ServiceWorld) -> None:
    run = scheduled(service_world)
    service_world.world.code.runs.states.record(
        run.key, lines=[("2026-01-02T03:04:05.678Z", "info", "a secret")]
    )
    assert list(tail(service_world, run, 0)) == []


def test_the_status_is_known_when_the_run_has_ended_and_all_lines_are_sent(
    service_world: ServiceWorld,
) -> None:
    run = scheduled(service_world)
    line = ("2026-01-02T03:04:05.678Z", "info", "the end")
    service_world.world.code.runs.states.event(run.key, Event.FAIL, lines=[line])
    following = tail(service_world, run, 9)
    assert [[line.message for line in lines] for lines in following] == [["the end"]]
    assert following.status == "failed"


def test_a_removed_run_has_no_final_status(service_world: ServiceWorld) -> None:
    run = scheduled(service_world)
    service_world.end(run, Event.FAIL)
    following = tail(service_world, run, 9)
    service_world.world.code.runs.retention.discard(run.job)
    assert (list(following), following.status) == ([], "")
