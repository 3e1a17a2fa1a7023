"""What is told of a run whose log and output were let go, whatever the clock and the setting say later."""

from __future__ import annotations

import pytest

from chains.runs.records import Run
from chains.runs.states import Event
from tests.handlers.household import Household
from tests.kit.suites.chains import RESULT
from vfs.access import Verb
from vfs.errors import Gone
from vfs.ports.clock import stamp

JOB = "/v1/code/jobs/nightly"


def let_go(household: Household, job: int) -> Run:
    """A run that ended well, of which the log and the output are gone."""
    household.pass_minutes(1)
    (run,) = household.runs(job)
    household.world.code.runs.states.event(run.key, Event.SUCCEED, RESULT, lines=[("2026", "info", "a line")])
    household.write("alice", f"{JOB}/runs/{run.id}/description", "what it *was*")
    household.clock.forward(1)
    assert household.world.code.runs.retention.expire(stamp(household.clock.now()), 10) == 1
    return run


def test_the_log_and_the_output_stay_gone(household: Household) -> None:
    run = let_go(household, household.job())
    for path in (f"runs/{run.id}/log", f"runs/{run.id}/output", "log"):
        with pytest.raises(Gone) as gone:
            household.call("alice", Verb.READ, f"{JOB}/{path}")
        assert gone.value.members == {"run": run.id, "run_status": "success"}


def test_all_else_remains(household: Household) -> None:
    run = let_go(household, household.job())
    folder = f"{JOB}/runs/{run.id}"
    assert [entry.name for entry in household.read("alice", f"{JOB}/runs")] == [run.id]
    assert household.call("alice", Verb.READ, f"{folder}/status").value == "success"
    told = household.read("alice", f"{folder}/stats")
    assert (told["status"], told["has_output"], told["children"]) == ("success", True, [])
    assert household.read("alice", f"{folder}/description")["html"] == "<p>what it <em>was</em></p>\n"
    assert [row["name"] for row in household.read("alice", f"{folder}/steps")["steps"]] == ["count"]


def test_the_log_of_a_child_run_goes_with_the_whole(household: Household) -> None:
    household.job("inner", "")
    job = household.job(chain="a <- /j/inner")
    run = let_go(household, job)
    (child,) = household.world.code.runs.reader.children(run.key)
    with pytest.raises(Gone):
        household.call("alice", Verb.READ, f"{JOB}/runs/{child.id}/log")
