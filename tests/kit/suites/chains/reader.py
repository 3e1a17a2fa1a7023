"""Promises of reading runs."""

from __future__ import annotations

from dataclasses import replace

from chains.plan.model import ComposedStep
from chains.runs.records import JobFacts, Move
from chains.runs.states import Event, Status, StepStatus
from tests.kit.suites.chains import JOB, TIME, at_once, chain
from tests.kit.suites.chains.run_cases import RunCases
from vfs.errors import NotFound


class RunReaderSuite(RunCases):
    """Runs, their child runs, logs and histories are read."""

    def test_runs_are_listed_newest_first_without_their_plans(self) -> None:
        run_store = self.run_store()
        runs = [run_store.queue.submit(self.order(number, chain("a"))) for number in (3, 1, 2)]
        assert [run.key for run in run_store.reader.newest(JOB, None)] == [run.key for run in reversed(runs)]
        assert [run.key for run in run_store.reader.newest(JOB, 2)] == [runs[2].key, runs[1].key]
        assert run_store.reader.newest(JOB, 1)[0].plan is None
        assert list(run_store.reader.newest(99, None)) == []

    def test_facts_of_many_jobs_are_those_of_their_newest_runs(self) -> None:
        run_store = self.run_store()
        run_store.queue.submit(self.order(1, chain("a")))
        run = run_store.queue.submit(self.order(2, chain("a", "b")))
        assert run_store.reader.facts_of([]) == {}
        assert run_store.reader.facts_of([JOB, 99]) == {
            JOB: JobFacts(2, Status.PROCESSING, run.created_on, 2, 0)
        }
        run_store.queue.take("w")
        taken = run_store.queue.take("w")
        assert taken is not None
        for state in (StepStatus.RUNNING, StepStatus.SUCCESS):
            run_store.states.record(run.key, [Move("a", state, TIME)])
        assert run_store.reader.facts_of([JOB])[JOB] == JobFacts(
            2, Status.PROCESSING, taken.started_on or "", 2, 1
        )

    def test_a_missing_run_is_none_or_not_found(self) -> None:
        run_store = self.run_store()
        assert run_store.reader.get(JOB, "x") is None
        assert run_store.reader.by_key(99) is None
        for call in (
            lambda: run_store.states.event(99, Event.FAIL),
            lambda: run_store.states.record(99, [], [(TIME, "info", "x")]),
            lambda: run_store.waits.wait(99, lambda status: True, 0),
            lambda: run_store.waits.follow(99, 0, 0),
        ):
            assert isinstance(at_once(call)[0], NotFound)

    def test_child_runs_follow_their_steps(self) -> None:
        run_store = self.run_store()
        inner = ComposedStep("b", "alice", "inner", 7, "Inner", None)
        deep = ComposedStep("b__c", "alice", "deep", 8, "Deepy", "b")
        plan = replace(chain("a", "b__c__d", "b__e"), composed=(inner, deep))
        run = run_store.queue.submit(self.order(1, plan))
        run_store.queue.take("w")
        one, two = run_store.reader.children(run.key)
        assert [(one.parent, one.parent_step, one.job), (two.parent, two.parent_step, two.job)] == [
            (run.key, "b", 7), (one.key, "b__c", 8),
        ]  # fmt: skip
        assert len({run.id, one.id, two.id}) == 3
        found = run_store.reader.get(JOB, one.id)
        assert found is not None
        assert found.key == one.key
        assert [
            run_store.reader.get(7, one.id),
            run_store.reader.get_child(7, one.id),
            run_store.reader.get_child(JOB, run.id),
        ] == [None, found, None]
        assert [listed.key for listed in run_store.reader.newest(7, None)] == []
        assert [listed.key for listed in run_store.retention.open_runs()] == [run.key]
        assert run_store.queue.take("w") is None
        for state in (StepStatus.RUNNING, StepStatus.SUCCESS):
            run_store.states.record(run.key, [Move("b__c__d", state, TIME)])
        stood = [
            (child.status, child.started_on, child.completed_on)
            for child in run_store.reader.children(run.key)
        ]
        assert stood == [(Status.PROCESSING, TIME, None), (Status.SUCCESS, TIME, TIME)]
        run_store.states.event(run.key, Event.CANCEL)
        run_store.states.event(run.key, Event.TORN_DOWN)
        assert [child.status for child in run_store.reader.children(run.key)] == [
            Status.CANCELED,
            Status.SUCCESS,
        ]
        run_store.retention.discard(7)
        assert len(run_store.reader.children(run.key)) == 2
        run_store.retention.discard(JOB)
        assert len(run_store.reader.children(run.key)) == 0

    def test_log_entries_are_numbered_in_the_order_of_writing(self) -> None:
        run_store = self.run_store()
        run = run_store.queue.submit(self.order())
        run_store.states.record(run.key, [], [(TIME, "info", "one"), (TIME, "warning", "two\0")])
        run_store.states.record(run.key, [], [(TIME, "error", "three ✓")])
        lines = run_store.reader.lines(run.key)
        assert [(line.seq, line.severity) for line in lines] == [(1, "info"), (2, "warning"), (3, "error")]
        assert lines[2].message == "three ✓"
        assert [line.seq for line in run_store.reader.lines(run.key, 2)] == [3]

    def test_scheduled_failures_in_a_row_are_counted(self) -> None:
        run_store = self.run_store()
        ends = [Event.FAIL, Event.SUCCEED, Event.FAIL, Event.CANCEL, Event.FAIL]
        for number, event in enumerate(ends):
            run = run_store.queue.submit(self.order(number, trigger="schedule"))
            run_store.states.event(run.key, event)
            if event is Event.CANCEL:
                run_store.states.event(run.key, Event.TORN_DOWN)
        run_store.states.event(run_store.queue.submit(self.order(9)).key, Event.SUCCEED)
        assert run_store.reader.failures(JOB) == 2

    def test_a_page_goes_on_where_the_one_before_it_ended(self) -> None:
        run_store = self.run_store()
        runs = [run_store.queue.submit(self.order(number)) for number in range(5)]
        first = run_store.reader.history(JOB, None, 2)
        assert [row[0] for row in first] == [runs[4].key, runs[3].key]
        assert [row[0] for row in run_store.reader.history(JOB, first[-1][0], 2)] == [
            runs[2].key,
            runs[1].key,
        ]
        assert [row[0] for row in run_store.reader.history(JOB, runs[1].key, 2)] == [runs[0].key]
        assert list(run_store.reader.history(JOB, runs[0].key, 2)) == []
        assert list(run_store.reader.history(99, None, 2)) == []

    def test_a_row_tells_what_a_run_tells(self) -> None:
        run_store = self.run_store()
        run = run_store.queue.submit(self.order(1, trigger="schedule"))
        run_store.queue.take("w")
        assert run_store.reader.history(JOB, None, 9)[0][5] is None
        self.clock.forward(62.25)
        run_store.states.event(run.key, Event.SUCCEED)
        found = run_store.reader.by_key(run.key)
        assert found is not None
        (row,) = run_store.reader.history(JOB, None, 9)
        assert tuple(row) == (
            run.key, run.id, found.started_on, "schedule", run.by, "62.25", "success", found.started_on
        )  # fmt: skip
        never = run_store.queue.submit(self.order(2), Status.REJECTED)
        assert run_store.reader.history(JOB, None, 1)[0][2:6:3] == (never.created_on, None)

    def test_child_runs_are_not_in_it(self) -> None:
        run_store = self.run_store()
        run = run_store.queue.submit(self.order(1, chain("a")))
        assert len(run_store.reader.history(JOB, None, 9)) == 1
        assert run_store.reader.history(JOB, None, 9)[0][0] == run.key

    def test_the_version_changes_with_the_history_and_is_unknown_while_a_run_goes_on(self) -> None:
        run_store = self.run_store()
        versions = [run_store.reader.version(JOB), run_store.reader.version(JOB)]
        assert versions[0] == versions[1] is not None
        run = run_store.queue.submit(self.order(1))
        versions.append(run_store.reader.version(JOB))
        run_store.queue.take("w")
        assert run_store.reader.version(JOB) is None
        run_store.states.event(run.key, Event.HOLD)
        assert run_store.reader.version(JOB) is None
        run_store.states.event(run.key, Event.DECLINE)
        versions.append(run_store.reader.version(JOB))
        run_store.queue.submit(self.order(2))
        versions.append(run_store.reader.version(JOB))
        assert len({*versions[1:]}) == 4
        assert run_store.reader.version(JOB) == versions[-1]
        assert run_store.reader.version(99) != versions[0]
