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
        book = self.book()
        runs = [book.queue.submit(self.order(number, chain("a"))) for number in (3, 1, 2)]
        assert [run.key for run in book.reader.newest(JOB, None)] == [run.key for run in reversed(runs)]
        assert [run.key for run in book.reader.newest(JOB, 2)] == [runs[2].key, runs[1].key]
        assert book.reader.newest(JOB, 1)[0].plan is None
        assert list(book.reader.newest(99, None)) == []

    def test_facts_of_many_jobs_are_those_of_their_newest_runs(self) -> None:
        book = self.book()
        book.queue.submit(self.order(1, chain("a")))
        run = book.queue.submit(self.order(2, chain("a", "b")))
        assert book.reader.facts_of([]) == {}
        assert book.reader.facts_of([JOB, 99]) == {JOB: JobFacts(2, Status.PROCESSING, run.created_on, 2, 0)}
        book.queue.take("w")
        taken = book.queue.take("w")
        assert taken is not None
        for state in (StepStatus.RUNNING, StepStatus.SUCCESS):
            book.states.record(run.key, [Move("a", state, TIME)])
        assert book.reader.facts_of([JOB])[JOB] == JobFacts(
            2, Status.PROCESSING, taken.started_on or "", 2, 1
        )

    def test_what_is_not_there_is_none_or_not_found(self) -> None:
        book = self.book()
        assert book.reader.get(JOB, "x") is None
        assert book.reader.by_key(99) is None
        for call in (
            lambda: book.states.event(99, Event.FAIL),
            lambda: book.states.record(99, [], [(TIME, "info", "x")]),
            lambda: book.waits.wait(99, lambda status: True, 0),
            lambda: book.waits.follow(99, 0, 0),
        ):
            assert isinstance(at_once(call)[0], NotFound)

    def test_child_runs_follow_their_steps(self) -> None:
        book = self.book()
        inner = ComposedStep("b", "alice", "inner", 7, "Inner", None)
        deep = ComposedStep("b__c", "alice", "deep", 8, "Deepy", "b")
        plan = replace(chain("a", "b__c__d", "b__e"), composed=(inner, deep))
        run = book.queue.submit(self.order(1, plan))
        book.queue.take("w")
        one, two = book.reader.children(run.key)
        assert [(one.parent, one.parent_step, one.job), (two.parent, two.parent_step, two.job)] == [
            (run.key, "b", 7), (one.key, "b__c", 8),
        ]  # fmt: skip
        assert len({run.id, one.id, two.id}) == 3
        found = book.reader.get(JOB, one.id)
        assert found is not None
        assert found.key == one.key
        assert [
            book.reader.get(7, one.id),
            book.reader.get_child(7, one.id),
            book.reader.get_child(JOB, run.id),
        ] == [None, found, None]
        assert [listed.key for listed in book.reader.newest(7, None)] == []
        assert [listed.key for listed in book.retention.open_runs()] == [run.key]
        assert book.queue.take("w") is None
        for state in (StepStatus.RUNNING, StepStatus.SUCCESS):
            book.states.record(run.key, [Move("b__c__d", state, TIME)])
        stood = [
            (child.status, child.started_on, child.completed_on) for child in book.reader.children(run.key)
        ]
        assert stood == [(Status.PROCESSING, TIME, None), (Status.SUCCESS, TIME, TIME)]
        book.states.event(run.key, Event.CANCEL)
        book.states.event(run.key, Event.TORN_DOWN)
        assert [child.status for child in book.reader.children(run.key)] == [Status.CANCELED, Status.SUCCESS]
        book.retention.discard(7)
        assert len(book.reader.children(run.key)) == 2
        book.retention.discard(JOB)
        assert len(book.reader.children(run.key)) == 0

    def test_log_entries_are_numbered_in_the_order_of_writing(self) -> None:
        book = self.book()
        run = book.queue.submit(self.order())
        book.states.record(run.key, [], [(TIME, "info", "one"), (TIME, "warning", "two\0")])
        book.states.record(run.key, [], [(TIME, "error", "three ✓")])
        lines = book.reader.lines(run.key)
        assert [(line.seq, line.severity) for line in lines] == [(1, "info"), (2, "warning"), (3, "error")]
        assert lines[2].message == "three ✓"
        assert [line.seq for line in book.reader.lines(run.key, 2)] == [3]

    def test_scheduled_failures_in_a_row_are_counted(self) -> None:
        book = self.book()
        ends = [Event.FAIL, Event.SUCCEED, Event.FAIL, Event.CANCEL, Event.FAIL]
        for number, event in enumerate(ends):
            run = book.queue.submit(self.order(number, trigger="schedule"))
            book.states.event(run.key, event)
            if event is Event.CANCEL:
                book.states.event(run.key, Event.TORN_DOWN)
        book.states.event(book.queue.submit(self.order(9)).key, Event.SUCCEED)
        assert book.reader.failures(JOB) == 2

    def test_a_page_goes_on_where_the_one_before_it_ended(self) -> None:
        book = self.book()
        runs = [book.queue.submit(self.order(number)) for number in range(5)]
        first = book.reader.history(JOB, None, 2)
        assert [row[0] for row in first] == [runs[4].key, runs[3].key]
        assert [row[0] for row in book.reader.history(JOB, first[-1][0], 2)] == [runs[2].key, runs[1].key]
        assert [row[0] for row in book.reader.history(JOB, runs[1].key, 2)] == [runs[0].key]
        assert list(book.reader.history(JOB, runs[0].key, 2)) == []
        assert list(book.reader.history(99, None, 2)) == []

    def test_a_row_tells_what_a_run_tells(self) -> None:
        book = self.book()
        run = book.queue.submit(self.order(1, trigger="schedule"))
        book.queue.take("w")
        assert book.reader.history(JOB, None, 9)[0][5] is None
        self.clock.forward(62.25)
        book.states.event(run.key, Event.SUCCEED)
        found = book.reader.by_key(run.key)
        assert found is not None
        (row,) = book.reader.history(JOB, None, 9)
        assert tuple(row) == (
            run.key, run.id, found.started_on, "schedule", run.by, "62.25", "success", found.started_on
        )  # fmt: skip
        never = book.queue.submit(self.order(2), Status.REJECTED)
        assert book.reader.history(JOB, None, 1)[0][2:6:3] == (never.created_on, None)

    def test_child_runs_are_not_in_it(self) -> None:
        book = self.book()
        run = book.queue.submit(self.order(1, chain("a")))
        assert len(book.reader.history(JOB, None, 9)) == 1
        assert book.reader.history(JOB, None, 9)[0][0] == run.key

    def test_the_version_changes_with_the_history_and_is_unknown_while_a_run_goes_on(self) -> None:
        book = self.book()
        versions = [book.reader.version(JOB), book.reader.version(JOB)]
        assert versions[0] == versions[1] is not None
        run = book.queue.submit(self.order(1))
        versions.append(book.reader.version(JOB))
        book.queue.take("w")
        assert book.reader.version(JOB) is None
        book.states.event(run.key, Event.HOLD)
        assert book.reader.version(JOB) is None
        book.states.event(run.key, Event.DECLINE)
        versions.append(book.reader.version(JOB))
        book.queue.submit(self.order(2))
        versions.append(book.reader.version(JOB))
        assert len({*versions[1:]}) == 4
        assert book.reader.version(JOB) == versions[-1]
        assert book.reader.version(99) != versions[0]
