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
from tests.kit.runner import NEVER, YardOf
from tests.kit.suites.chains import chain
from vfs.errors import Conflict

LONG = {"SLEEP": "20"}
AT_ONCE = 10.0


def test_a_running_step_is_stopped_at_once(yard_of: YardOf) -> None:
    yard = yard_of(a={}, b=LONG, c={})
    with yard.working():
        run = yard.order(chain("a", "b", "c"))
        yard.running(run, "b")
        asked = time.monotonic()
        assert yard.cancel(run) is Status.CANCELING
        assert yard.end(run).status is Status.CANCELED
        assert time.monotonic() - asked < AT_ONCE
    assert yard.steps(run) == {"a": "success", "b": "canceled", "c": "canceled"}
    assert yard.log(run)[-1] == "The run was canceled."
    assert yard.revoked == [run.key]
    assert yard.leftovers() == []


def test_a_step_that_ignores_sigterm_is_killed_after_the_grace(yard_of: YardOf) -> None:
    yard = yard_of(a={**LONG, "IGNORE_TERM": "1"})
    with yard.working():
        run = yard.order(chain("a"))
        yard.running(run, "a")
        asked = time.monotonic()
        yard.cancel(run)
        assert yard.end(run).status is Status.CANCELED
        assert yard.settings.policy.stop_grace <= time.monotonic() - asked < AT_ONCE


def test_every_branch_is_stopped(yard_of: YardOf) -> None:
    yard = yard_of(a=LONG, b=LONG, c={})
    with yard.working():
        run = yard.order(chain("a", "b", "c", edges=[("a", "c"), ("b", "c")]))
        yard.running(run, "a")
        yard.running(run, "b")
        yard.cancel(run)
        assert yard.end(run).status is Status.CANCELED
    assert set(yard.steps(run).values()) == {"canceled"}


def test_a_run_canceled_before_it_was_taken_never_begins(yard_of: YardOf) -> None:
    yard = yard_of(a={})
    run = yard.order(chain("a"), {"x": "1"})
    yard.cancel(run)
    with yard.working():
        ended = yard.end(run)
    assert (ended.status, ended.started_on) == (Status.CANCELED, None)
    assert yard.steps(run) == {"a": "canceled"}
    assert yard.leftovers() == []


def test_a_canceled_run_has_no_output(yard_of: YardOf) -> None:
    yard = yard_of(a={"WRITE": "x=1"}, b=LONG)
    with yard.working():
        run = yard.order(chain("a", "b"))
        yard.running(run, "b")
        yard.cancel(run)
        assert yard.end(run).output is None


@pytest.mark.parametrize(
    "script,status", [({"WRITE": "x=1"}, Status.SUCCESS), ({"EXIT": "1"}, Status.FAILED)]
)
def test_a_run_that_ended_first_keeps_its_end(
    yard_of: YardOf, script: dict[str, str], status: Status
) -> None:
    """The cancel comes while the last step, which heeds no SIGTERM in time, is about to end by itself."""
    yard = yard_of(a={"SLEEP": "1", "IGNORE_TERM": "1", **script})
    yard.settings = replace(yard.settings, policy=replace(yard.settings.policy, stop_grace=20.0))
    with yard.working():
        run = yard.order(chain("a"))
        yard.running(run, "a")
        yard.cancel(run)
        ended = yard.end(run)
    assert ended.status is status
    assert (ended.output is not None) is (status is Status.SUCCESS)


def test_an_ended_run_refuses_the_cancel(yard_of: YardOf) -> None:
    yard = yard_of(a={})
    run = yard.run(chain("a"))
    with pytest.raises(Conflict):
        yard.cancel(run)


def test_a_cancel_at_any_moment_leaves_a_true_status_and_nothing_behind(yard_of: YardOf) -> None:
    """Forty runs and more, each canceled a little later in its life, until one ends before its cancel."""
    yard = yard_of(a={"SLEEP": "0.01"}, b={"SLEEP": "0.01", "WRITE": "x=1"}, c={"COPY": ""})
    ends = []
    with yard.working():
        for moment in itertools.count():
            if len(ends) >= 40 and {Status.CANCELED, Status.SUCCESS} <= set(ends):
                break
            run = yard.order(chain("a", "b", "c"), {"i": "1"})
            threading.Event().wait(moment / 1000)
            with contextlib.suppress(Conflict):
                yard.cancel(run)
            ended = yard.end(run)
            ends.append(ended.status)
            steps = set(yard.steps(run).values())
            if ended.status is Status.SUCCESS:
                assert (steps, ended.output is not None) == ({"success"}, True)
            else:
                assert (ended.status, ended.output) == (Status.CANCELED, None)
                assert steps <= {"success", "canceled"}
    assert {Status.CANCELED, Status.SUCCESS} == set(ends)
    assert yard.leftovers() == []
    assert len(yard.revoked) == len(ends)


def test_a_job_removed_while_it_runs_is_torn_down(yard_of: YardOf) -> None:
    yard = yard_of(a=LONG)
    with yard.working():
        run = yard.order(chain("a"))
        yard.running(run, "a")
        yard.book.retention.discard(run.job)
        deadline = time.monotonic() + NEVER
        while yard.book.reader.by_key(run.key) is not None:
            assert time.monotonic() < deadline
            yard.book.queue.await_work(yard.book.queue.await_work(0, 0), 0.01)
    assert yard.leftovers() == []


def test_the_log_tells_of_a_cancel_that_came_before_a_runner_did(yard_of: YardOf) -> None:
    yard = yard_of(a={})
    run = yard.order(chain("a"))
    yard.cancel(run)
    with yard.working():
        assert yard.end(run).status is Status.CANCELED
    assert yard.log(run)[-1] == "The run was canceled."


def test_canceling_wins_over_a_hold(yard_of: YardOf) -> None:
    yard = yard_of()
    run = yard.order(chain("a"))
    yard.cancel(run)
    assert yard.book.states.event(run.key, Event.HOLD) is Status.CANCELED
