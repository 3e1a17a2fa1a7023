"""Promises of the queue of runs."""

from __future__ import annotations

from chains.runs.states import Event, Status, StepStatus
from tests.kit.suites.chains import JOB, NEVER, SOON, TIME, at_once, chain, while_waiting
from tests.kit.suites.chains.run_cases import RunCases
from tests.kit.suites.kernel import raises
from vfs.errors import Conflict
from vfs.ports.clock import stamp


class RunQueueSuite(RunCases):
    """Runs are submitted, taken and canceled."""

    def test_a_submitted_run_is_found_as_it_was_ordered(self) -> None:
        run_store, plan = self.run_store(), chain("a", "b")
        run = run_store.queue.submit(
            self.order(7, plan, claim="repo_ro", spaces="x => /u/alice/s/x", author="carol", tally="1 2 ab")
        )
        assert run_store.reader.get(JOB, run.id) == run_store.reader.by_key(run.key) == run
        assert (run.status, run.trigger, run.source, run.by) == (Status.PROCESSING, "api", "curl", "bob")
        assert (run.plan, run.input, run.claim, run.author) == (plan, "in-1", "repo_ro", "carol")
        assert (run.origin_owner, run.origin, run.origin_shortname) == (
            "alice",
            "/u/alice/j/nightly",
            "Jobby",
        )
        assert (run.created_on, run.started_on, run.completed_on) == (TIME, None, None)
        assert (run.output, run.worker, run.spaces) == (None, None, "x => /u/alice/s/x")
        assert run.tally == "1 2 ab"
        assert run_store.queue.submit(self.order(8)).tally is None

    def test_planned_steps_are_pending_from_the_start(self) -> None:
        run_store = self.run_store()
        run = run_store.queue.submit(self.order(1, chain("b", "a", "c")))
        rows = [(row.name, row.ordinal, row.replica, row.status) for row in run_store.reader.steps(run.key)]
        assert rows == [(name, place, None, StepStatus.PENDING) for place, name in enumerate("bac")]

    def test_a_run_may_be_recorded_as_rejected_and_has_then_ended(self) -> None:
        run_store = self.run_store()
        run = run_store.queue.submit(self.order(1, chain("a")), Status.REJECTED)
        assert (run.status, run.completed_on, run.started_on) == (Status.REJECTED, TIME, None)
        assert run_store.queue.take("w") is None

    def test_a_run_without_a_plan_has_no_steps(self) -> None:
        run_store = self.run_store()
        assert list(run_store.reader.steps(run_store.queue.submit(self.order()).key)) == []

    def test_an_id_is_given_once_in_a_job(self) -> None:
        run_store = self.run_store()
        run_store.queue.submit(self.order(1))
        answers = at_once(*[lambda: run_store.queue.submit(self.order(1))] * 2)
        assert [type(answer) for answer in answers] == [Conflict, Conflict]
        assert len(run_store.reader.newest(JOB, None)) == 1

    def test_several_are_submitted_together_or_not_at_all(self) -> None:
        run_store = self.run_store()
        orders = [self.order(number, chain(*"ab"[: number % 3])) for number in range(90)]
        seen = run_store.queue.await_work(0, NEVER)
        run_store.queue.submit_all(orders)
        assert run_store.queue.await_work(seen, NEVER) != seen
        runs = run_store.reader.newest(JOB, None)[::-1]
        assert [(run.id, run.status) for run in runs] == [(o.id, Status.PROCESSING) for o in orders]
        assert [len(run_store.reader.steps(run.key)) for run in runs] == [0, 1, 2] * 30
        assert len({run.shortname for run in runs}) == 90
        with raises(Conflict):
            run_store.queue.submit_all([self.order(number) for number in (91, 92, 5)])
        assert len(run_store.reader.newest(JOB, None)) == 90
        run_store.queue.submit_all([])

    def test_the_oldest_run_is_taken_first_and_by_one_runner_only(self) -> None:
        run_store = self.run_store()
        runs = [run_store.queue.submit(self.order(number, chain("a"))) for number in range(2)]
        self.clock.forward(1)
        first = run_store.queue.take("w")
        assert first is not None
        assert (first.key, first.worker, first.started_on) == (runs[0].key, "w", stamp(self.clock.now()))
        assert first.plan == chain("a")
        second = run_store.queue.take("v")
        assert second is not None
        assert second.key == runs[1].key
        assert run_store.queue.take("w") is None

    def test_an_account_is_taken_for_by_its_rank_and_then_by_its_oldest_run(self) -> None:
        run_store = self.run_store()
        by = ["mallory", "mallory", "carol", "bob", "mallory", "bob"]
        keys = [run_store.queue.submit(self.order(number, by=who)).key for number, who in enumerate(by)]
        ranks = {"mallory": (1, 0), "carol": (0, 0), "bob": (0, 0)}

        def next_key() -> int | None:
            run = run_store.queue.take("w", ranks.get)
            return None if run is None else run.key

        assert [next_key() for _ in range(3)] == [keys[2], keys[3], keys[5]]
        del ranks["mallory"]
        assert next_key() is None
        ranks["mallory"] = (7, 7)
        assert [next_key() for _ in range(4)] == [keys[0], keys[1], keys[4], None]

    def test_racing_runners_share_the_runs(self) -> None:
        run_store = self.run_store()
        keys = {run_store.queue.submit(self.order(number)).key for number in range(30)}

        def take(worker: str) -> list[int]:
            taken = []
            while run := run_store.queue.take(worker):
                taken.append(run.key)
            return taken

        shares = at_once(*[lambda worker=worker: take(worker) for worker in "uvw"])
        taken = [key for share in shares if isinstance(share, list) for key in share]
        assert len(taken) == len(keys)
        assert set(taken) == keys

    def test_a_run_canceled_before_it_was_taken_is_taken_to_be_torn_down(self) -> None:
        run_store = self.run_store()
        run = run_store.queue.submit(self.order())
        run_store.states.event(run.key, Event.CANCEL)
        taken = run_store.queue.take("w")
        assert taken is not None
        assert (taken.status, taken.started_on) == (Status.CANCELING, None)

    def test_a_runner_hears_which_of_its_runs_are_canceling(self) -> None:
        run_store = self.run_store()
        mine, other = (run_store.queue.submit(self.order(number)) for number in range(2))
        run_store.queue.take("w")
        run_store.queue.take("v")
        run_store.states.event(mine.key, Event.CANCEL)
        run_store.states.event(other.key, Event.CANCEL)
        assert list(run_store.queue.canceling("w")) == [mine.key]

    def test_runners_are_woken_by_the_end_of_a_run_that_waited(self) -> None:
        run_store = self.run_store()
        one, other = (run_store.queue.submit(self.order(number)).key for number in range(2))
        for run, act in (
            (one, lambda: run_store.states.event(one, Event.DECLINE)),
            (other, lambda: run_store.retention.discard(JOB)),
        ):
            run_store.states.event(run, Event.HOLD)
            seen = run_store.queue.await_work(0, NEVER)
            _, late = while_waiting(lambda seen=seen: run_store.queue.await_work(seen, NEVER), act)  # type: ignore[misc]
            assert late < SOON

    def test_runners_are_woken_by_new_runs_and_cancels_whenever_they_came(self) -> None:
        run_store = self.run_store()
        seen = run_store.queue.await_work(0, NEVER)
        run = run_store.queue.submit(self.order())
        seen = run_store.queue.await_work(seen, NEVER)
        assert run_store.queue.take("w") is not None
        again, late = while_waiting(
            lambda: run_store.queue.await_work(seen, NEVER),
            lambda: run_store.states.event(run.key, Event.CANCEL),
        )
        assert again != seen
        assert late < SOON
        assert isinstance(again, int)
        assert run_store.queue.await_work(again, 0.05) == again
