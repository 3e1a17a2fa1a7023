"""What every Runs must do: subclass, give `book()`, and let a test runner collect it."""

from __future__ import annotations

import itertools
from dataclasses import replace

from chains.language.ast import Phase
from chains.plan.model import ComposedStep
from chains.runs.holds import RunHold
from chains.runs.records import Move
from chains.runs.states import TURNS, Event, Status, StepStatus
from chains.testing import JOB, RESULT, TIME, at_once, chain
from chains.testing.run_cases import BookOfRuns
from vfs.errors import Conflict, NotFound
from vfs.ports.world import stamp


class RunBookSuite(BookOfRuns):
    """Runs are recorded, turned, moved and logged."""

    def test_a_submitted_run_is_found_as_it_was_ordered(self) -> None:
        book, plan = self.book(), chain("a", "b")
        run = book.queue.submit(
            self.order(7, plan, claim="repo_ro", spaces="x => /u/alice/s/x", author="carol")
        )
        assert book.reader.get(JOB, run.id) == book.reader.by_key(run.key) == run
        assert (run.status, run.trigger, run.source, run.by) == (Status.PROCESSING, "api", "curl", "bob")
        assert (run.plan, run.input, run.claim, run.author) == (plan, "in-1", "repo_ro", "carol")
        assert (run.origin_owner, run.origin, run.origin_shortname) == (
            "alice",
            "/u/alice/j/nightly",
            "Jobby",
        )
        assert (run.created_on, run.started_on, run.completed_on) == (TIME, None, None)
        assert (run.output, run.worker, run.spaces) == (None, None, "x => /u/alice/s/x")

    def test_planned_steps_are_pending_from_the_start(self) -> None:
        book = self.book()
        run = book.queue.submit(self.order(1, chain("b", "a", "c")))
        rows = [(row.name, row.ordinal, row.replica, row.status) for row in book.reader.steps(run.key)]
        assert rows == [(name, place, None, StepStatus.PENDING) for place, name in enumerate("bac")]

    def test_a_run_may_be_recorded_as_rejected_and_has_then_ended(self) -> None:
        book = self.book()
        run = book.queue.submit(self.order(1, chain("a")), Status.REJECTED)
        assert (run.status, run.completed_on, run.started_on) == (Status.REJECTED, TIME, None)
        assert book.queue.claim("w") is None

    def test_a_run_without_a_plan_has_no_steps(self) -> None:
        book = self.book()
        assert list(book.reader.steps(book.queue.submit(self.order()).key)) == []

    def test_an_id_is_given_once_in_a_job(self) -> None:
        book = self.book()
        book.queue.submit(self.order(1))
        answers = at_once(*[lambda: book.queue.submit(self.order(1))] * 2)
        assert [type(answer) for answer in answers] == [Conflict, Conflict]
        assert len(book.reader.newest(JOB, None)) == 1

    def test_runs_are_listed_newest_first_without_their_plans(self) -> None:
        book = self.book()
        runs = [book.queue.submit(self.order(number, chain("a"))) for number in (3, 1, 2)]
        assert [run.key for run in book.reader.newest(JOB, None)] == [run.key for run in reversed(runs)]
        assert [run.key for run in book.reader.newest(JOB, 2)] == [runs[2].key, runs[1].key]
        assert book.reader.newest(JOB, 1)[0].plan is None
        assert list(book.reader.newest(99, None)) == []

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

    def test_every_event_turns_the_status_as_the_table_says_and_nothing_else_does(self) -> None:
        book = self.book()
        for status, event in itertools.product(Status, Event):
            run = self.at(book, status)
            if (to := TURNS.get((status, event))) is not None:
                assert book.states.event(run.key, event) is to
            else:
                answer = at_once(lambda key=run.key, event=event: book.states.event(key, event))[0]  # type: ignore[misc]
                assert isinstance(answer, Conflict)
                assert answer.members["run_status"] == status
            assert getattr(book.reader.by_key(run.key), "status", None) is (to or status)

    def test_replicas_are_pending_before_they_run(self) -> None:
        book = self.book()
        run = book.queue.submit(self.order(1, chain("a")))
        book.states.record(run.key, [Move("a", StepStatus.PENDING, TIME, number) for number in range(2)])
        book.states.record(run.key, [Move("a", StepStatus.RUNNING, TIME, 1)])
        book.states.event(run.key, Event.FAIL)
        rows = [
            (row.replica, row.status, row.started_on, row.completed_on) for row in book.reader.steps(run.key)
        ]
        assert rows == [
            (None, StepStatus.CANCELED, None, None),
            (0, StepStatus.CANCELED, None, None),
            (1, StepStatus.CANCELED, TIME, TIME),
        ]

    def test_child_runs_follow_their_steps(self) -> None:
        book = self.book()
        inner = ComposedStep("b", "alice", "inner", 7, "Inner", None)
        deep = ComposedStep("b__c", "alice", "deep", 8, "Deepy", "b")
        plan = replace(chain("a", "b__c__d", "b__e"), composed=(inner, deep))
        run = book.queue.submit(self.order(1, plan))
        book.queue.claim("w")
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
        assert book.queue.claim("w") is None
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

    def test_a_hold_is_parked_answered_once_and_remembered(self) -> None:
        book = self.book()
        run = book.queue.submit(self.order(1, chain("a", "b")))
        assert list(book.reader.holds(run.key)) == []
        lines = [(TIME, "info", "waits")]
        assert book.states.park(run.key, "b", Phase.BEFORE, 77, [], lines) is Status.WAITING
        assert book.reader.holds(run.key) == [RunHold("b", Phase.BEFORE, TIME, None, None, None, 77, None)]
        parked = book.hold_spaces.run_of(77)
        assert parked is not None
        assert parked.key == run.key
        assert book.hold_spaces.run_of(78) is None
        answers = at_once(*[lambda: book.states.settle(run.key, Event.CONTINUE, "carol", 78)] * 2)
        assert [type(answer) for answer in answers].count(Conflict) == 1
        assert book.reader.holds(run.key) == [
            RunHold("b", Phase.BEFORE, TIME, TIME, "continued", "carol", 77, 78)
        ]
        book.states.event(run.key, Event.CANCEL)
        assert book.states.park(run.key, "b", Phase.AFTER, 79, [], []) is Status.CANCELED
        assert len(book.reader.holds(run.key)) == 1

    def test_an_end_settles_the_steps_and_takes_the_credentials_away(self) -> None:
        book = self.book()
        run = book.queue.submit(self.order(1, chain("a", "b", "c")))
        book.states.record(
            run.key, [Move("a", StepStatus.RUNNING, TIME), Move("a", StepStatus.SUCCESS, TIME)]
        )
        book.states.record(run.key, [Move("b", StepStatus.RUNNING, TIME)])
        self.clock.forward(2)
        book.states.event(run.key, Event.FAIL, lines=[(TIME, "error", "broke")])
        later = stamp(self.clock.now())
        steps = [(row.status, row.started_on, row.completed_on) for row in book.reader.steps(run.key)]
        assert steps == [
            (StepStatus.SUCCESS, TIME, TIME),
            (StepStatus.CANCELED, TIME, later),
            (StepStatus.CANCELED, None, None),
        ]
        ended = book.reader.by_key(run.key)
        assert ended is not None
        assert (ended.status, ended.completed_on) == (Status.FAILED, later)
        assert self.revoked == [run.key]
        assert [line.message for line in book.reader.lines(run.key)] == ["broke"]

    def test_a_hold_takes_the_credentials_and_the_worker_away(self) -> None:
        book = self.book()
        run = book.queue.submit(self.order(1, chain("a")))
        book.queue.claim("w")
        book.states.event(run.key, Event.HOLD)
        waiting = book.reader.by_key(run.key)
        assert waiting is not None
        assert (waiting.worker, waiting.completed_on, self.revoked) == (None, None, [run.key])
        assert book.queue.claim("v") is None
        book.states.event(run.key, Event.CONTINUE)
        claimed = book.queue.claim("v")
        assert claimed is not None
        assert (claimed.key, claimed.worker, claimed.started_on) == (run.key, "v", waiting.started_on)

    def test_a_result_is_kept_of_a_success_alone(self) -> None:
        book = self.book()
        run, other = book.queue.submit(self.order(1)), book.queue.submit(self.order(2))
        book.states.event(run.key, Event.SUCCEED, RESULT)
        book.states.event(other.key, Event.FAIL, RESULT)
        kept, not_kept = book.reader.by_key(run.key), book.reader.by_key(other.key)
        assert kept is not None
        assert not_kept is not None
        assert (kept.output, kept.output_name) == (RESULT.blob, RESULT.name)
        assert (not_kept.output, not_kept.output_name) == (None, None)

    def test_what_came_too_late_leaves_nothing_behind(self) -> None:
        book = self.book()
        run = book.queue.submit(self.order(1, chain("a")))
        book.states.event(run.key, Event.FAIL)
        moves, lines = [Move("a", StepStatus.RUNNING, TIME)], [(TIME, "info", "x")]
        late = (
            lambda: book.states.event(run.key, Event.SUCCEED, RESULT, (), lines),
            lambda: book.states.record(run.key, moves, lines),
        )
        assert [type(at_once(call)[0]) for call in late] == [Conflict, Conflict]
        assert list(book.reader.lines(run.key)) == []
        assert [row.status for row in book.reader.steps(run.key)] == [StepStatus.CANCELED]

    def test_of_two_racing_events_exactly_one_wins(self) -> None:
        book = self.book()
        for round_ in range(50):
            run = book.queue.submit(self.order(round_))
            answers = at_once(
                lambda key=run.key: book.states.event(key, Event.SUCCEED),  # type: ignore[misc]
                lambda key=run.key: book.states.event(key, Event.FAIL),  # type: ignore[misc]
                lambda key=run.key: book.states.event(key, Event.LOSE),  # type: ignore[misc]
            )
            won = [answer for answer in answers if isinstance(answer, Status)]
            assert len(won) == 1, answers
            assert getattr(book.reader.by_key(run.key), "status", None) is won[0]

    def test_steps_move_only_forward(self) -> None:
        book = self.book()
        run = book.queue.submit(self.order(1, chain("a", "b")))
        wrong = [
            [Move("a", StepStatus.SUCCESS, TIME)],
            [Move("nobody", StepStatus.RUNNING, TIME)],
            [Move("a", StepStatus.RUNNING, TIME), Move("a", StepStatus.RUNNING, TIME)],
        ]
        for moves in wrong:
            answer = at_once(lambda moves=moves: book.states.record(run.key, moves, [(TIME, "info", "x")]))[0]  # type: ignore[misc]
            assert isinstance(answer, Conflict)
        assert {row.status for row in book.reader.steps(run.key)} == {StepStatus.PENDING}
        assert list(book.reader.lines(run.key)) == []

    def test_a_replica_has_a_row_beside_its_step(self) -> None:
        book = self.book()
        run = book.queue.submit(self.order(1, chain("a", "b")))
        book.states.record(run.key, [Move("a", StepStatus.RUNNING, TIME)])
        book.states.record(run.key, [Move("a", StepStatus.RUNNING, TIME, replica) for replica in (1, 0)])
        book.states.record(run.key, [Move("a", StepStatus.FAILED, TIME, 1)])
        assert [(row.name, row.replica, row.status) for row in book.reader.steps(run.key)] == [
            ("a", None, StepStatus.RUNNING),
            ("a", 0, StepStatus.RUNNING),
            ("a", 1, StepStatus.FAILED),
            ("b", None, StepStatus.PENDING),
        ]

    def test_log_entries_are_numbered_in_the_order_of_writing(self) -> None:
        book = self.book()
        run = book.queue.submit(self.order())
        book.states.record(run.key, [], [(TIME, "info", "one"), (TIME, "warning", "two\0")])
        book.states.record(run.key, [], [(TIME, "error", "three ✓")])
        lines = book.reader.lines(run.key)
        assert [(line.seq, line.severity) for line in lines] == [(1, "info"), (2, "warning"), (3, "error")]
        assert lines[2].message == "three ✓"
        assert [line.seq for line in book.reader.lines(run.key, 2)] == [3]
