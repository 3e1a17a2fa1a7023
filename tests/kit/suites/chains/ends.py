"""Promises of the end of a run: it is reported once, while it is being recorded."""

from __future__ import annotations

from collections.abc import Callable

from chains.runs.ports import Runs
from chains.runs.records import RunEnd
from chains.runs.states import Event, Status
from tests.kit.suites.chains import JOB, at_once
from tests.kit.suites.chains.run_cases import RunCases


class RunEndsSuite(RunCases):
    """The end of a run is reported once, while it is being recorded."""

    def telling(self, hear: Callable[[RunEnd], object]) -> Runs:
        """A fresh book that tells `hear`."""
        raise AssertionError("a subclass gives the book")

    def test_every_end_by_an_event_is_reported(self) -> None:
        heard: list[RunEnd] = []
        run_store = self.telling(heard.append)
        for status in (Status.SUCCESS, Status.FAILED, Status.CANCELED):
            run = self.at(run_store, status)
            assert heard.pop() == RunEnd(run.key, JOB, run.id, "api", status)
        assert heard == []

    def test_nothing_else_is_reported(self) -> None:
        heard: list[RunEnd] = []
        run_store = self.telling(heard.append)
        for status in (Status.PROCESSING, Status.WAITING, Status.CANCELING, Status.REJECTED):
            self.at(run_store, status)
        assert heard == []

    def test_of_two_ends_one_is_reported(self) -> None:
        heard: list[RunEnd] = []
        run_store = self.telling(heard.append)
        run = run_store.queue.submit(self.order(trigger="schedule"))
        at_once(
            lambda: run_store.states.event(run.key, Event.FAIL),
            lambda: run_store.states.event(run.key, Event.SUCCEED),
        )
        found = run_store.reader.by_key(run.key)
        assert found is not None
        assert heard == [RunEnd(run.key, JOB, run.id, "schedule", found.status)]

    def test_the_end_of_a_run_without_its_job_is_not_reported(self) -> None:
        heard: list[RunEnd] = []
        run_store = self.telling(heard.append)
        run = run_store.queue.submit(self.order())
        run_store.retention.discard(JOB)
        run_store.states.event(run.key, Event.TORN_DOWN)
        assert heard == []

    def test_a_listener_may_read_and_write(self) -> None:
        failures: list[int] = []

        def hear(end: RunEnd) -> None:
            failures.append(run_store.reader.failures(end.job))
            run_store.states.record(
                end.key, lines=[("2026-01-02T03:04:05.678Z", "warning", "that was the end")]
            )

        run_store = self.telling(hear)
        run = run_store.queue.submit(self.order(trigger="schedule"))
        run_store.states.event(run.key, Event.FAIL)
        assert failures == [1]
        assert [line.message for line in run_store.reader.lines(run.key)] == ["that was the end"]
