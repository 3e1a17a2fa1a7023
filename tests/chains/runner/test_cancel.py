"""A cancel ends a run at any moment of its life, and never twice; the run's statuses tell what really
happened."""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
from dataclasses import replace

import pytest

from chains.runs.states import Event, Status
from tests.kit.runner import NEVER, RunnerSetupOf
from tests.kit.suites.chains import chain
from vfs.errors import Conflict

LONG = {"SLEEP": "20"}
AT_ONCE = 10.0


def test_a_running_step_is_stopped_at_once(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a={}, b=LONG, c={})
    with runner_setup.working():
        run = runner_setup.order(chain("a", "b", "c"))
        runner_setup.running(run, "b")
        began = time.monotonic()
        assert runner_setup.cancel(run) is Status.CANCELING
        assert runner_setup.end(run).status is Status.CANCELED
        assert time.monotonic() - began < AT_ONCE
    assert runner_setup.steps(run) == {"a": "success", "b": "canceled", "c": "canceled"}
    assert runner_setup.log(run)[-1] == "The run was canceled."
    assert runner_setup.revoked == [run.key]
    assert runner_setup.leftovers() == []


def test_a_step_that_ignores_sigterm_is_killed_after_the_grace(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a={**LONG, "IGNORE_TERM": "1"})
    with runner_setup.working():
        run = runner_setup.order(chain("a"))
        runner_setup.running(run, "a")
        began = time.monotonic()
        runner_setup.cancel(run)
        assert runner_setup.end(run).status is Status.CANCELED
        assert runner_setup.settings.policy.stop_grace <= time.monotonic() - began < AT_ONCE


def test_every_branch_is_stopped(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a=LONG, b=LONG, c={})
    with runner_setup.working():
        run = runner_setup.order(chain("a", "b", "c", edges=[("a", "c"), ("b", "c")]))
        runner_setup.running(run, "a")
        runner_setup.running(run, "b")
        runner_setup.cancel(run)
        assert runner_setup.end(run).status is Status.CANCELED
    assert set(runner_setup.steps(run).values()) == {"canceled"}


def test_a_run_canceled_before_it_was_taken_never_begins(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a={})
    run = runner_setup.order(chain("a"), {"x": "1"})
    runner_setup.cancel(run)
    with runner_setup.working():
        ended = runner_setup.end(run)
    assert (ended.status, ended.started_on) == (Status.CANCELED, None)
    assert runner_setup.steps(run) == {"a": "canceled"}
    assert runner_setup.leftovers() == []


def test_a_canceled_run_has_no_output(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a={"WRITE": "x=1"}, b=LONG)
    with runner_setup.working():
        run = runner_setup.order(chain("a", "b"))
        runner_setup.running(run, "b")
        runner_setup.cancel(run)
        assert runner_setup.end(run).output is None


@pytest.mark.parametrize(
    "script,status", [({"WRITE": "x=1"}, Status.SUCCESS), ({"EXIT": "1"}, Status.FAILED)]
)
def test_a_run_that_ended_first_keeps_its_end(
    runner_setup_of: RunnerSetupOf, script: dict[str, str], status: Status
) -> None:
    """The cancel comes while the last step, which does not react to SIGTERM in time, is about to end."""
    runner_setup = runner_setup_of(a={"SLEEP": "1", "IGNORE_TERM": "1", **script})
    runner_setup.settings = replace(
        runner_setup.settings, policy=replace(runner_setup.settings.policy, stop_grace=20.0)
    )
    with runner_setup.working():
        run = runner_setup.order(chain("a"))
        runner_setup.running(run, "a")
        runner_setup.cancel(run)
        ended = runner_setup.end(run)
    assert ended.status is status
    assert (ended.output is not None) is (status is Status.SUCCESS)


def test_an_ended_run_refuses_the_cancel(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a={})
    run = runner_setup.run(chain("a"))
    with pytest.raises(Conflict):
        runner_setup.cancel(run)


def test_a_cancel_at_any_moment_leaves_a_true_status_and_nothing_behind(
    runner_setup_of: RunnerSetupOf,
) -> None:
    """Forty runs and more, each canceled a little later in its life, until one ends before its cancel."""
    runner_setup = runner_setup_of(a={"SLEEP": "0.01"}, b={"SLEEP": "0.01", "WRITE": "x=1"}, c={"COPY": ""})
    ends = []
    with runner_setup.working():
        for moment in itertools.count():
            if len(ends) >= 40 and {Status.CANCELED, Status.SUCCESS} <= set(ends):
                break
            run = runner_setup.order(chain("a", "b", "c"), {"i": "1"})
            threading.Event().wait(moment / 1000)
            with contextlib.suppress(Conflict):
                runner_setup.cancel(run)
            ended = runner_setup.end(run)
            ends.append(ended.status)
            steps = set(runner_setup.steps(run).values())
            if ended.status is Status.SUCCESS:
                assert (steps, ended.output is not None) == ({"success"}, True)
            else:
                assert (ended.status, ended.output) == (Status.CANCELED, None)
                assert steps <= {"success", "canceled"}
    assert {Status.CANCELED, Status.SUCCESS} == set(ends)
    assert runner_setup.leftovers() == []
    assert len(runner_setup.revoked) == len(ends)


def test_a_job_removed_while_it_runs_is_torn_down(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a=LONG)
    with runner_setup.working():
        run = runner_setup.order(chain("a"))
        runner_setup.running(run, "a")
        runner_setup.run_store.retention.discard(run.job)
        deadline = time.monotonic() + NEVER
        while runner_setup.run_store.reader.by_key(run.key) is not None:
            assert time.monotonic() < deadline
            runner_setup.run_store.queue.await_work(runner_setup.run_store.queue.await_work(0, 0), 0.01)
    assert runner_setup.leftovers() == []


def test_the_log_tells_of_a_cancel_that_came_before_a_runner_did(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a={})
    run = runner_setup.order(chain("a"))
    runner_setup.cancel(run)
    with runner_setup.working():
        assert runner_setup.end(run).status is Status.CANCELED
    assert runner_setup.log(run)[-1] == "The run was canceled."


def test_canceling_wins_over_a_hold(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of()
    run = runner_setup.order(chain("a"))
    runner_setup.cancel(run)
    assert runner_setup.run_store.states.event(run.key, Event.HOLD) is Status.CANCELED
