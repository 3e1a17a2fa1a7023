"""Promises of waits for changes of runs."""

from __future__ import annotations

import time

from chains.runs.records import LogNews, Move
from chains.runs.states import Event, Status, StepStatus
from tests.kit.suites.chains import JOB, NEVER, SOON, TIME, at_once, chain, while_waiting
from tests.kit.suites.chains.run_cases import RunCases
from vfs.errors import NotFound


class RunWaitsSuite(RunCases):
    """Changes wake those who wait, and the clock does not."""

    def test_a_waiter_is_woken_by_the_end_of_its_run(self) -> None:
        run_store = self.run_store()
        run = run_store.queue.submit(self.order())
        status, late = while_waiting(
            lambda: run_store.waits.wait(run.key, lambda status: status.ended, NEVER),
            lambda: run_store.states.event(run.key, Event.SUCCEED),
        )
        assert status is Status.SUCCESS
        assert late < SOON

    def test_a_waiter_gives_up_when_its_time_is_over(self) -> None:
        run_store = self.run_store()
        run = run_store.queue.submit(self.order())
        assert run_store.waits.wait(run.key, lambda status: status.ended, 0) is Status.PROCESSING
        assert run_store.waits.wait(run.key, lambda status: status.ended, 0.05) is Status.PROCESSING
        assert run_store.waits.wait(run.key, lambda status: not status.ended, None) is Status.PROCESSING

    def test_a_waiter_learns_that_its_run_is_forgotten(self) -> None:
        run_store = self.run_store()
        run = run_store.queue.submit(self.order())
        run_store.states.event(run.key, Event.HOLD)
        answer, late = while_waiting(
            lambda: at_once(lambda: run_store.waits.wait(run.key, lambda status: status.ended, NEVER))[0],
            lambda: run_store.retention.discard(JOB),
        )
        assert isinstance(answer, NotFound)
        assert late < SOON

    def test_a_follower_is_woken_by_lines_and_by_the_end(self) -> None:
        run_store = self.run_store()
        run = run_store.queue.submit(self.order(1, chain("a")))
        run_store.states.record(run.key, [], [(TIME, "info", "one")])
        assert [line.message for line in run_store.waits.follow(run.key, 0, NEVER).lines] == ["one"]
        lines, late = while_waiting(
            lambda: [line.message for line in run_store.waits.follow(run.key, 1, NEVER).lines],
            lambda: run_store.states.record(
                run.key, [Move("a", StepStatus.RUNNING, TIME)], [(TIME, "info", "two")]
            ),
        )
        assert lines == ["two"]
        assert late < SOON
        news, late = while_waiting(
            lambda: run_store.waits.follow(run.key, 2, NEVER),
            lambda: run_store.states.event(run.key, Event.FAIL),
        )
        assert news == LogNews(Status.FAILED, ())
        assert late < SOON
        assert run_store.waits.follow(run.key, 2, NEVER).status is Status.FAILED

    def test_a_follower_is_let_go_when_it_is_over(self) -> None:
        run_store = self.run_store()
        run = run_store.queue.submit(self.order(1, chain("a")))
        began = time.monotonic()
        assert list(run_store.waits.follow(run.key, 0, NEVER, lambda: True).lines) == []
        assert time.monotonic() - began < SOON
        run_store.states.record(run.key, [], [(TIME, "info", "one")])
        assert [line.message for line in run_store.waits.follow(run.key, 0, NEVER, lambda: True).lines] == [
            "one"
        ]
