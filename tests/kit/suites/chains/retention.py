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

    def run_ended_now(self, book: Runs, number: int) -> Run:
        """A run that ends now, with a line and a result."""
        run = book.queue.submit(self.order(number, chain("a")))
        book.states.event(run.key, Event.SUCCEED, RESULT, lines=[(TIME, "info", f"line of {number}")])
        return run

    def have_logs(self, book: Runs, runs: list[Run]) -> list[bool]:
        """Whether each of the runs still has a log."""
        return [bool(book.reader.lines(run.key)) for run in runs]

    def test_the_log_and_the_output_go_and_all_else_stays(self) -> None:
        book = self.book()
        run = self.run_ended_now(book, 1)
        before = book.reader.by_key(run.key)
        assert before is not None
        self.clock.forward(1)
        assert book.retention.expire(stamp(self.clock.now()), 10) == 1
        after = book.reader.by_key(run.key)
        assert after is not None
        assert (after.expired, after.output, after.output_name) == (True, None, RESULT.name)
        assert list(book.reader.lines(run.key)) == []
        assert (after.status, after.started_on, after.completed_on) == (
            Status.SUCCESS, before.started_on, before.completed_on,
        )  # fmt: skip
        assert [row.name for row in book.reader.steps(run.key)] == ["a"]
        assert [one.key for one in book.reader.newest(JOB, None)] == [run.key]

    def test_an_input_is_kept_as_long_as_the_output(self) -> None:
        book = self.book()
        zipped = replace(RESULT.blob, media="application/zip")
        kept = [KeptInput('{"of": "ä"}'), KeptInput(""), KeptInput(files=zipped), None]
        runs = []
        for number, one in enumerate(kept):
            run = book.queue.submit(replace(self.order(number, chain("a")), kept=one))
            book.states.event(run.key, Event.SUCCEED)
            runs.append(run)
        assert [book.reader.kept_input(run.key) for run in runs] == kept
        self.clock.forward(1)
        book.retention.expire(stamp(self.clock.now()), 10)
        assert [book.reader.kept_input(run.key) for run in runs] == [None] * 4
        assert book.reader.kept_input(1_000_000) is None

    def test_the_oldest_go_first_and_each_once(self) -> None:
        book = self.book()
        runs = []
        for number in range(3):
            runs.append(self.run_ended_now(book, number))
            self.clock.forward(60)
        limit = stamp(self.clock.now())
        assert book.retention.oldest() == getattr(book.reader.by_key(runs[0].key), "completed_on", None)
        assert book.retention.expire(limit, 2) == 2
        assert self.have_logs(book, runs) == [False, False, True]
        assert (book.retention.expire(limit, 2), book.retention.expire(limit, 2)) == (1, 0)
        assert book.retention.oldest() is None

    def test_what_ended_later_or_has_not_ended_is_kept(self) -> None:
        book = self.book()
        waiting = book.queue.submit(self.order(1, chain("a")))
        book.states.event(waiting.key, Event.HOLD, lines=[(TIME, "info", "it waits")])
        run = self.run_ended_now(book, 2)
        assert book.retention.expire(stamp(self.clock.now()), 10) == 0
        self.clock.forward(90 * DAY)
        assert book.retention.expire(stamp(self.clock.now()), 10) == 1
        assert self.have_logs(book, [waiting, run]) == [True, False]

    def test_inputs_are_spent_when_their_run_has_ended(self) -> None:
        book = self.book()
        names = {f"in-{number:03}" for number in range(120)}
        runs = [book.queue.submit(replace(self.order(n), input=name)) for n, name in enumerate(sorted(names))]
        assert set(book.retention.spent_inputs(names)) == set()
        for run in runs[:110]:
            book.states.event(run.key, Event.FAIL)
        assert set(book.retention.spent_inputs({*names, "in-unknown"})) == {
            f"in-{number:03}" for number in range(110)
        }
        assert set(book.retention.spent_inputs(set())) == set()

    def test_a_runner_asks_which_runs_are_over(self) -> None:
        book = self.book()
        waiting, running, ended, new = (book.queue.submit(self.order(number)).key for number in range(4))
        book.queue.take("w")
        book.states.event(waiting, Event.HOLD)
        book.states.event(ended, Event.FAIL)
        runs = [waiting, running, ended, new, 99]
        assert list(book.retention.ended_runs(runs)) == [ended, 99]
        book.states.event(waiting, Event.CONTINUE)
        assert list(book.retention.ended_runs(runs)) == [ended, 99]
        book.retention.discard(JOB)
        assert list(book.retention.ended_runs(runs)) == [ended, 99]

    def test_a_removed_jobs_runs_are_forgotten_once_they_ended(self) -> None:
        book = self.book()
        ended, waiting, running = (book.queue.submit(self.order(number, chain("a"))) for number in range(3))
        book.states.event(ended.key, Event.FAIL)
        book.states.event(waiting.key, Event.HOLD)
        book.retention.discard(JOB)
        assert [run.key for run in book.retention.open_runs()] == [running.key]
        assert (book.reader.by_key(ended.key), book.reader.by_key(waiting.key)) == (None, None)
        taken = book.queue.take("w")
        assert taken is not None
        assert taken.status is Status.CANCELING
        assert book.states.event(running.key, Event.TORN_DOWN) is Status.CANCELED
        assert book.reader.by_key(running.key) is None
        assert set(self.revoked) == {ended.key, waiting.key, running.key}

    def test_a_sweep_lets_go_of_what_is_older_than_its_days(self) -> None:
        book = self.book()
        runs = []
        for number in range(4):
            runs.append(self.run_ended_now(book, number))
            self.clock.forward(DAY / 2)
        sweep = RetentionSweep(book.retention, 30)
        assert sweep.sweep(self.clock.now()) == 0
        self.clock.forward(28.8 * DAY)
        assert sweep.sweep(self.clock.now()) == 2
        assert self.have_logs(book, runs) == [False, False, True, True]

    def test_a_sweep_lets_go_of_two_days_of_runs_at_most(self) -> None:
        book = self.book()
        runs = []
        for number in range(12):
            runs.append(self.run_ended_now(book, number))
            self.clock.forward(DAY / 2)
        wrong = self.clock.now() + timedelta(days=9 * 365)
        sweep = RetentionSweep(book.retention, 30)
        assert sweep.sweep(wrong) == 2 * DAYS_AT_ONCE
        assert self.have_logs(book, runs) == [False] * 4 + [True] * 8
        assert [sweep.sweep(wrong) for _ in range(3)] == [4, 4, 0]

    def test_many_are_let_go_in_several_transactions(self) -> None:
        book = self.book()
        for number in range(3):
            self.run_ended_now(book, number)
        self.clock.forward(31 * DAY)
        now: datetime = self.clock.now()
        assert RetentionSweep(book.retention, 30).sweep(now) == 3
        assert RetentionSweep(book.retention, 30).sweep(now) == 0
