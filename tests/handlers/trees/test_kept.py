"""Runs whose log and output were discarded stay so, whatever the clock and the setting say later."""

from __future__ import annotations

import pytest

from chains.runs.records import Run
from chains.runs.states import Event
from tests.handlers.service_world import ServiceWorld
from tests.kit.suites.chains import RESULT
from vfs.access import Verb
from vfs.errors import Gone
from vfs.ports.clock import stamp

JOB = "/v1/code/jobs/nightly"


def let_go(service_world: ServiceWorld, job: int) -> Run:
    """Return a run that succeeded and whose log and output were discarded."""
    service_world.pass_minutes(1)
    (run,) = service_world.runs(job)
    service_world.world.code.runs.states.event(
        run.key, Event.SUCCEED, RESULT, lines=[("2026", "info", "a line")]
    )
    service_world.write("alice", f"{JOB}/runs/{run.id}/description", "what it *was*")
    service_world.clock.forward(1)
    assert service_world.world.code.runs.retention.expire(stamp(service_world.clock.now()), 10) == 1
    return run


def test_the_log_and_the_output_stay_gone(service_world: ServiceWorld) -> None:
    run = let_go(service_world, service_world.job())
    for path in (f"runs/{run.id}/log", f"runs/{run.id}/output", "log"):
        with pytest.raises(Gone) as gone:
            service_world.call("alice", Verb.READ, f"{JOB}/{path}")
        assert gone.value.members == {"run": run.id, "run_status": "success"}


def test_all_else_remains(service_world: ServiceWorld) -> None:
    run = let_go(service_world, service_world.job())
    folder = f"{JOB}/runs/{run.id}"
    assert [entry.name for entry in service_world.read("alice", f"{JOB}/runs")] == [run.id]
    assert service_world.call("alice", Verb.READ, f"{folder}/status").value == "success"
    stats = service_world.read("alice", f"{folder}/stats")
    assert (stats["status"], stats["has_output"], stats["children"]) == ("success", True, [])
    assert service_world.read("alice", f"{folder}/description")["html"] == "<p>what it <em>was</em></p>\n"
    assert [row["name"] for row in service_world.read("alice", f"{folder}/steps")["steps"]] == ["count"]


def test_the_log_of_a_child_run_goes_with_the_whole(service_world: ServiceWorld) -> None:
    service_world.job("inner", "")
    job = service_world.job(chain="a <- /j/inner")
    run = let_go(service_world, job)
    (child,) = service_world.world.code.runs.reader.children(run.key)
    with pytest.raises(Gone):
        service_world.call("alice", Verb.READ, f"{JOB}/runs/{child.id}/log")
