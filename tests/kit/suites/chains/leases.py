"""Promises of the leases of runners."""

from __future__ import annotations

from chains.runs.records import Worker
from chains.runs.states import Event, Status
from tests.kit.suites.chains.run_cases import RunCases
from vfs.ports.clock import stamp


class LeasesSuite(RunCases):
    """Runners keep their runs as long as their leases."""

    def test_a_run_is_lost_when_its_runners_lease_runs_out(self) -> None:
        run_store = self.run_store()
        run = run_store.queue.submit(self.order())
        run_store.queue.submit(self.order(2))
        run_store.leases.enlist("w", "here", 10)
        run_store.queue.take("w")
        self.clock.forward(9)
        assert (list(run_store.leases.lost_runs()), run_store.leases.is_alive("w")) == ([], True)
        assert run_store.leases.heartbeat("w", 10)
        self.clock.forward(9)
        assert list(run_store.leases.lost_runs()) == []
        self.clock.forward(2)
        assert [lost.key for lost in run_store.leases.lost_runs()] == [run.key]
        assert not run_store.leases.is_alive("w")

    def test_runners_tell_what_is_wrong_with_their_engines_and_since_when(self) -> None:
        run_store = self.run_store()
        run_store.leases.enlist("w", "here", 10)
        run_store.leases.enlist("v", "there", 20)
        assert list(run_store.leases.workers()) == [Worker("v", "there"), Worker("w", "here")]
        began = stamp(self.clock.now())
        run_store.leases.heartbeat("w", 30, "it is away")
        self.clock.forward(1)
        run_store.leases.heartbeat("w", 30, "it is still away")
        assert list(run_store.leases.workers())[1] == Worker("w", "here", "it is still away", began)
        run_store.leases.heartbeat("w", 30)
        self.clock.forward(20)
        assert list(run_store.leases.workers()) == [Worker("w", "here")]

    def test_a_runner_ends_the_earlier_ones_of_its_home_alone(self) -> None:
        run_store = self.run_store()
        runs = [run_store.queue.submit(self.order(number)) for number in range(2)]
        for worker, home in (("w", "here"), ("v", "there")):
            run_store.leases.enlist(worker, home, 10)
            run_store.queue.take(worker)
        run_store.leases.enlist("x", "here", 10)
        assert [lost.key for lost in run_store.leases.lost_runs()] == [runs[0].key]
        assert not run_store.leases.heartbeat("w", 10)
        run_store.leases.retire("v")
        assert [lost.key for lost in run_store.leases.lost_runs()] == [run.key for run in runs]
        for run in runs:
            run_store.states.event(run.key, Event.LOSE)
        assert list(run_store.leases.lost_runs()) == []

    def test_runs_that_wait_or_ended_are_never_lost(self) -> None:
        run_store = self.run_store()
        for number, event in enumerate((Event.HOLD, Event.SUCCEED)):
            run = run_store.queue.submit(self.order(number))
            run_store.queue.take("nobody")
            run_store.states.event(run.key, event)
        assert list(run_store.leases.lost_runs()) == []
        assert [run.status for run in run_store.retention.open_runs()] == [Status.WAITING]
