"""Retention: promises of the ports of runs, and of the sweep of logs and outputs over them."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from chains.runs.ports import Runs
from chains.runs.records import KeptInput, Run
from chains.runs.retention import DAYS_AT_ONCE, RetentionSweep
from chains.runs.states import Event, Status
from tests.kit.suites.chains import JOB, RESULT, TIME, chain
from tests.kit.suites.chains.run_cases import RunCases
from vfs.ports.clock import stamp

DAY = 24 * 3600.0


class RunRetentionSuite(RunCases):
    """Old logs and outputs go, the rest of their runs stays."""

    def run_ended_now(self, run_store: Runs, number: int) -> Run:
        """A run that ends now, with a line and a result."""
        run = run_store.queue.submit(self.order(number, chain("a")))
        run_store.states.event(run.key, Event.SUCCEED, RESULT, lines=[(TIME, "info", f"line of {number}")])
        return run

    def have_logs(self, run_store: Runs, runs: list[Run]) -> list[bool]:
        """Whether each of the runs still has a log."""
        return [bool(run_store.reader.lines(run.key)) for run in runs]

    def test_the_log_and_the_output_go_and_all_else_stays(self) -> None:
        run_store = self.run_store()
        run = self.run_ended_now(run_store, 1)
        before = run_store.reader.by_key(run.key)
        assert before is not None
        self.clock.forward(1)
        assert run_store.retention.expire(stamp(self.clock.now()), 10) == 1
        after = run_store.reader.by_key(run.key)
        assert after is not None
        assert (after.expired, after.output, after.output_name) == (True, None, RESULT.name)
        assert list(run_store.reader.lines(run.key)) == []
        assert (after.status, after.started_on, after.completed_on) == (
            Status.SUCCESS, before.started_on, before.completed_on,
        )  # fmt: skip
        assert [row.name for row in run_store.reader.steps(run.key)] == ["a"]
        assert [one.key for one in run_store.reader.newest(JOB, None)] == [run.key]

    def test_an_input_is_kept_as_long_as_the_output(self) -> None:
        run_store = self.run_store()
        zipped = replace(RESULT.blob, media="application/zip")
        kept = [KeptInput('{"of": "ä"}'), KeptInput(""), KeptInput(files=zipped), None]
        runs = []
        for number, one in enumerate(kept):
            run = run_store.queue.submit(replace(self.order(number, chain("a")), kept=one))
            run_store.states.event(run.key, Event.SUCCEED)
            runs.append(run)
        assert [run_store.reader.kept_input(run.key) for run in runs] == kept
        self.clock.forward(1)
        run_store.retention.expire(stamp(self.clock.now()), 10)
        assert [run_store.reader.kept_input(run.key) for run in runs] == [None] * 4
        assert run_store.reader.kept_input(1_000_000) is None

    def test_the_oldest_go_first_and_each_once(self) -> None:
        run_store = self.run_store()
        runs = []
        for number in range(3):
            runs.append(self.run_ended_now(run_store, number))
            self.clock.forward(60)
        limit = stamp(self.clock.now())
        assert run_store.retention.oldest() == getattr(
            run_store.reader.by_key(runs[0].key), "completed_on", None
        )
        assert run_store.retention.expire(limit, 2) == 2
        assert self.have_logs(run_store, runs) == [False, False, True]
        assert (run_store.retention.expire(limit, 2), run_store.retention.expire(limit, 2)) == (1, 0)
        assert run_store.retention.oldest() is None

    def test_what_ended_later_or_has_not_ended_is_kept(self) -> None:
        run_store = self.run_store()
        waiting = run_store.queue.submit(self.order(1, chain("a")))
        run_store.states.event(waiting.key, Event.HOLD, lines=[(TIME, "info", "it waits")])
        run = self.run_ended_now(run_store, 2)
        assert run_store.retention.expire(stamp(self.clock.now()), 10) == 0
        self.clock.forward(90 * DAY)
        assert run_store.retention.expire(stamp(self.clock.now()), 10) == 1
        assert self.have_logs(run_store, [waiting, run]) == [True, False]

    def test_inputs_are_spent_when_their_run_has_ended(self) -> None:
        run_store = self.run_store()
        names = {f"in-{number:03}" for number in range(120)}
        runs = [
            run_store.queue.submit(replace(self.order(n), input=name)) for n, name in enumerate(sorted(names))
        ]
        assert set(run_store.retention.spent_inputs(names)) == set()
        for run in runs[:110]:
            run_store.states.event(run.key, Event.FAIL)
        assert set(run_store.retention.spent_inputs({*names, "in-unknown"})) == {
            f"in-{number:03}" for number in range(110)
        }
        assert set(run_store.retention.spent_inputs(set())) == set()

    def test_a_runner_asks_which_runs_are_over(self) -> None:
        run_store = self.run_store()
        waiting, running, ended, new = (run_store.queue.submit(self.order(number)).key for number in range(4))
        run_store.queue.take("w")
        run_store.states.event(waiting, Event.HOLD)
        run_store.states.event(ended, Event.FAIL)
        runs = [waiting, running, ended, new, 99]
        assert list(run_store.retention.ended_runs(runs)) == [ended, 99]
        run_store.states.event(waiting, Event.CONTINUE)
        assert list(run_store.retention.ended_runs(runs)) == [ended, 99]
        run_store.retention.discard(JOB)
        assert list(run_store.retention.ended_runs(runs)) == [ended, 99]

    def test_a_removed_jobs_runs_are_forgotten_once_they_ended(self) -> None:
        run_store = self.run_store()
        ended, waiting, running = (
            run_store.queue.submit(self.order(number, chain("a"))) for number in range(3)
        )
        run_store.states.event(ended.key, Event.FAIL)
        run_store.states.event(waiting.key, Event.HOLD)
        run_store.retention.discard(JOB)
        assert [run.key for run in run_store.retention.open_runs()] == [running.key]
        assert (run_store.reader.by_key(ended.key), run_store.reader.by_key(waiting.key)) == (None, None)
        taken = run_store.queue.take("w")
        assert taken is not None
        assert taken.status is Status.CANCELING
        assert run_store.states.event(running.key, Event.TORN_DOWN) is Status.CANCELED
        assert run_store.reader.by_key(running.key) is None
        assert set(self.revoked) == {ended.key, waiting.key, running.key}

    def test_a_sweep_lets_go_of_what_is_older_than_its_days(self) -> None:
        run_store = self.run_store()
        runs = []
        for number in range(4):
            runs.append(self.run_ended_now(run_store, number))
            self.clock.forward(DAY / 2)
        sweep = RetentionSweep(run_store.retention, 30)
        assert sweep.sweep(self.clock.now()) == 0
        self.clock.forward(28.8 * DAY)
        assert sweep.sweep(self.clock.now()) == 2
        assert self.have_logs(run_store, runs) == [False, False, True, True]

    def test_a_sweep_lets_go_of_two_days_of_runs_at_most(self) -> None:
        run_store = self.run_store()
        runs = []
        for number in range(12):
            runs.append(self.run_ended_now(run_store, number))
            self.clock.forward(DAY / 2)
        wrong = self.clock.now() + timedelta(days=9 * 365)
        sweep = RetentionSweep(run_store.retention, 30)
        assert sweep.sweep(wrong) == 2 * DAYS_AT_ONCE
        assert self.have_logs(run_store, runs) == [False] * 4 + [True] * 8
        assert [sweep.sweep(wrong) for _ in range(3)] == [4, 4, 0]

    def test_many_are_let_go_in_several_transactions(self) -> None:
        run_store = self.run_store()
        for number in range(3):
            self.run_ended_now(run_store, number)
        self.clock.forward(31 * DAY)
        now: datetime = self.clock.now()
        assert RetentionSweep(run_store.retention, 30).sweep(now) == 3
        assert RetentionSweep(run_store.retention, 30).sweep(now) == 0
