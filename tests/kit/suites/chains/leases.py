"""Promises of the leases of runners."""

from __future__ import annotations

from chains.runs.records import Worker
from chains.runs.states import Event, Status
from tests.kit.suites.chains.run_cases import RunCases
from vfs.ports.clock import stamp


class LeasesSuite(RunCases):
    """Runners keep their runs as long as their leases."""

    def test_a_run_is_lost_when_its_runners_lease_runs_out(self) -> None:
        book = self.book()
        run = book.queue.submit(self.order())
        book.queue.submit(self.order(2))
        book.leases.enlist("w", "here", 10)
        book.queue.take("w")
        self.clock.forward(9)
        assert (list(book.leases.lost_runs()), book.leases.is_alive("w")) == ([], True)
        assert book.leases.beat("w", 10)
        self.clock.forward(9)
        assert list(book.leases.lost_runs()) == []
        self.clock.forward(2)
        assert [lost.key for lost in book.leases.lost_runs()] == [run.key]
        assert not book.leases.is_alive("w")

    def test_runners_tell_what_is_wrong_with_their_engines_and_since_when(self) -> None:
        book = self.book()
        book.leases.enlist("w", "here", 10)
        book.leases.enlist("v", "there", 20)
        assert list(book.leases.workers()) == [Worker("v", "there"), Worker("w", "here")]
        began = stamp(self.clock.now())
        book.leases.beat("w", 30, "it is away")
        self.clock.forward(1)
        book.leases.beat("w", 30, "it is still away")
        assert list(book.leases.workers())[1] == Worker("w", "here", "it is still away", began)
        book.leases.beat("w", 30)
        self.clock.forward(20)
        assert list(book.leases.workers()) == [Worker("w", "here")]

    def test_a_runner_ends_the_earlier_ones_of_its_home_alone(self) -> None:
        book = self.book()
        runs = [book.queue.submit(self.order(number)) for number in range(2)]
        for worker, home in (("w", "here"), ("v", "there")):
            book.leases.enlist(worker, home, 10)
            book.queue.take(worker)
        book.leases.enlist("x", "here", 10)
        assert [lost.key for lost in book.leases.lost_runs()] == [runs[0].key]
        assert not book.leases.beat("w", 10)
        book.leases.retire("v")
        assert [lost.key for lost in book.leases.lost_runs()] == [run.key for run in runs]
        for run in runs:
            book.states.event(run.key, Event.LOSE)
        assert list(book.leases.lost_runs()) == []

    def test_runs_that_wait_or_ended_are_never_lost(self) -> None:
        book = self.book()
        for number, event in enumerate((Event.HOLD, Event.SUCCEED)):
            run = book.queue.submit(self.order(number))
            book.queue.take("nobody")
            book.states.event(run.key, event)
        assert list(book.leases.lost_runs()) == []
        assert [run.status for run in book.retention.open_runs()] == [Status.WAITING]
