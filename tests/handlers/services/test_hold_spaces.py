"""Files parked for a hold, and what the log says last when a cancel comes first."""

from __future__ import annotations

from pathlib import Path

import pytest

from chains.files.run_folders import FoundFile
from chains.language.ast import Phase
from chains.plan.model import Hold
from chains.runs.records import Run
from chains.runs.states import CANCELED, Event, Status
from handlers.services.hold_spaces import SpaceHoldFiles
from tests.handlers.service_world import ServiceWorld

HOLD = Hold("count", Phase.BEFORE, 0, ("count",))
WAITS = "The run waits before count for an answer to its hold."


def taken(service_world: ServiceWorld) -> Run:
    """A run of alice's that a runner works on."""
    service_world.job(chain="!count")
    service_world.pass_minutes(1)
    run = service_world.world.code.runs.queue.take("w")
    assert run is not None
    return run


@pytest.mark.parametrize("canceled", [False, True])
def test_the_log_ends_with_the_hold_or_with_the_cancel(
    service_world: ServiceWorld, tmp_path: Path, canceled: bool
) -> None:
    run, world = taken(service_world), service_world.world
    file = tmp_path / "birds.txt"
    file.write_text("wren")
    if canceled:
        world.code.runs.states.event(run.key, Event.CANCEL)
    lines = [("2026-01-01T00:00:00.000Z", "info", "count: ended")]
    status = SpaceHoldFiles(world).keep(run, HOLD, [FoundFile("birds.txt", file, 4)], (), lines)
    assert status is (Status.CANCELED if canceled else Status.WAITING)
    assert service_world.log(run) == ["count: ended", CANCELED if canceled else WAITS]
    assert len(world.items.visible("space", "alice", "alice")) == (not canceled)


@pytest.mark.parametrize(("title", "shown"), [("", "nightly"), ("Weekly letter", "Weekly letter")])
def test_the_space_is_called_by_what_it_is_for(service_world: ServiceWorld, title: str, shown: str) -> None:
    run, world = taken(service_world), service_world.world
    world.leaves.put(run.job, "name", title, "alice")
    SpaceHoldFiles(world).keep(run, HOLD, [], (), [])
    (space,) = world.items.visible("space", "alice", "alice")
    kept = world.leaves.get(space.item.id, "name")
    assert kept is not None and kept.text == f"Files before count of {shown}"
