"""What every RunBook must do: subclass, give `book()`, and let a test runner collect it."""

from __future__ import annotations

import itertools
from dataclasses import replace

from chains.language.ast import Phase
from chains.plan.compiler import ComposedStep, Plan
from chains.runs.book import Move, Order, Run, RunBook
from chains.runs.holds import Held
from chains.runs.states import TURNS, Event, Status, StepStatus
from chains.testing import JOB, RESULT, TIME, at_once, chain
from vfs.errors import Conflict, NotFound
from vfs.ports.world import stamp
from vfs.testing import StillClock


class BookOfRuns:
    """What the suites share.

    A subclass gives `book()`, a fresh book on `self.clock` in which job 1 is alice's `nightly` (`Jobby`), and
    which calls `self.revoked.append(run)` to end a run's credentials.
    """

    clock: StillClock
    revoked: list[int]

    def book(self) -> RunBook:
        """A fresh book."""
        raise AssertionError("a subclass gives the book")

    def order(self, number: int = 1, plan: Plan | None = None, **fields: str) -> Order:
        """An order to run job 1."""
        given = {"trigger": "api", "source": "curl", "by": "bob", **fields}
        return Order(JOB, f"20261121-074416-{number:08x}", plan=plan, input="in-1", **given)

    def at(self, book: RunBook, status: Status) -> Run:
        """A run with the given status."""
        way = {
            Status.PROCESSING: (),
            Status.WAITING: (Event.HOLD,),
            Status.CANCELING: (Event.CANCEL,),
            Status.SUCCESS: (Event.SUCCEED,),
            Status.FAILED: (Event.FAIL,),
            Status.CANCELED: (Event.CANCEL, Event.TORN_DOWN),
            Status.REJECTED: (),
        }[status]
        number = 100 + len(book.newest(JOB, None))
        first = status if status is Status.REJECTED else Status.PROCESSING
        run = book.submit(self.order(number, chain("a", "b")), first)
        for event in way:
            book.event(run.key, event)
        found = book.by_key(run.key)
        assert found is not None
        return found


class RunBookSuite(BookOfRuns):
    """Runs are recorded, turned, moved and logged."""

    def test_a_submitted_run_is_found_as_it_was_ordered(self) -> None:
        book, plan = self.book(), chain("a", "b")
        run = book.submit(self.order(7, plan, claim="repo_ro", spaces="x => /u/alice/s/x", author="carol"))
        assert book.get(JOB, run.id) == book.by_key(run.key) == run
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
        run = book.submit(self.order(1, chain("b", "a", "c")))
        rows = [(row.name, row.ordinal, row.replica, row.status) for row in book.steps(run.key)]
        assert rows == [(name, place, None, StepStatus.PENDING) for place, name in enumerate("bac")]

    def test_a_run_may_be_recorded_as_rejected_and_has_then_ended(self) -> None:
        book = self.book()
        run = book.submit(self.order(1, chain("a")), Status.REJECTED)
        assert (run.status, run.completed_on, run.started_on) == (Status.REJECTED, TIME, None)
        assert book.claim("w") is None

    def test_a_run_without_a_plan_has_no_steps(self) -> None:
        book = self.book()
        assert list(book.steps(book.submit(self.order()).key)) == []

    def test_an_id_is_given_once_in_a_job(self) -> None:
        book = self.book()
        book.submit(self.order(1))
        answers = at_once(*[lambda: book.submit(self.order(1))] * 2)
        assert [type(answer) for answer in answers] == [Conflict, Conflict]
        assert len(book.newest(JOB, None)) == 1

    def test_runs_are_listed_newest_first_without_their_plans(self) -> None:
        book = self.book()
        runs = [book.submit(self.order(number, chain("a"))) for number in (3, 1, 2)]
        assert [run.key for run in book.newest(JOB, None)] == [run.key for run in reversed(runs)]
        assert [run.key for run in book.newest(JOB, 2)] == [runs[2].key, runs[1].key]
        assert book.newest(JOB, 1)[0].plan is None
        assert list(book.newest(99, None)) == []

    def test_what_is_not_there_is_none_or_not_found(self) -> None:
        book = self.book()
        assert book.get(JOB, "x") is None
        assert book.by_key(99) is None
        for call in (
            lambda: book.event(99, Event.FAIL),
            lambda: book.record(99, [], [(TIME, "info", "x")]),
            lambda: book.wait(99, lambda status: True, 0),
            lambda: book.follow(99, 0, 0),
        ):
            assert isinstance(at_once(call)[0], NotFound)

    def test_every_event_turns_the_status_as_the_table_says_and_nothing_else_does(self) -> None:
        book = self.book()
        for status, event in itertools.product(Status, Event):
            run = self.at(book, status)
            if (to := TURNS.get((status, event))) is not None:
                assert book.event(run.key, event) is to
            else:
                answer = at_once(lambda key=run.key, event=event: book.event(key, event))[0]  # type: ignore[misc]
                assert isinstance(answer, Conflict)
                assert answer.members["run_status"] == status
            assert getattr(book.by_key(run.key), "status", None) is (to or status)

    def test_replicas_are_pending_before_they_run(self) -> None:
        book = self.book()
        run = book.submit(self.order(1, chain("a")))
        book.record(run.key, [Move("a", StepStatus.PENDING, TIME, number) for number in range(2)])
        book.record(run.key, [Move("a", StepStatus.RUNNING, TIME, 1)])
        book.event(run.key, Event.FAIL)
        rows = [(row.replica, row.status, row.started_on, row.completed_on) for row in book.steps(run.key)]
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
        run = book.submit(self.order(1, plan))
        book.claim("w")
        one, two = book.children(run.key)
        assert [(one.parent, one.parent_step, one.job), (two.parent, two.parent_step, two.job)] == [
            (run.key, "b", 7), (one.key, "b__c", 8),
        ]  # fmt: skip
        assert len({run.id, one.id, two.id}) == 3
        found = book.get(JOB, one.id)
        assert found is not None
        assert found.key == one.key
        assert [book.get(7, one.id), book.nested(7, one.id), book.nested(JOB, run.id)] == [None, found, None]
        assert [listed.key for listed in book.newest(7, None)] == []
        assert [listed.key for listed in book.unfinished()] == [run.key]
        assert book.claim("w") is None
        for state in (StepStatus.RUNNING, StepStatus.SUCCESS):
            book.record(run.key, [Move("b__c__d", state, TIME)])
        stood = [(child.status, child.started_on, child.completed_on) for child in book.children(run.key)]
        assert stood == [(Status.PROCESSING, TIME, None), (Status.SUCCESS, TIME, TIME)]
        book.event(run.key, Event.CANCEL)
        book.event(run.key, Event.TORN_DOWN)
        assert [child.status for child in book.children(run.key)] == [Status.CANCELED, Status.SUCCESS]
        book.discard(7)
        assert len(book.children(run.key)) == 2
        book.discard(JOB)
        assert len(book.children(run.key)) == 0

    def test_a_hold_is_parked_answered_once_and_remembered(self) -> None:
        book = self.book()
        run = book.submit(self.order(1, chain("a", "b")))
        assert list(book.holds(run.key)) == []
        lines = [(TIME, "info", "waits")]
        assert book.park(run.key, "b", Phase.BEFORE, 77, [], lines) is Status.WAITING
        assert book.holds(run.key) == [Held("b", Phase.BEFORE, TIME, None, None, None, 77, None)]
        parked = book.parked(77)
        assert parked is not None
        assert parked.key == run.key
        assert book.parked(78) is None
        answers = at_once(*[lambda: book.settle(run.key, Event.CONTINUE, "carol", 78)] * 2)
        assert [type(answer) for answer in answers].count(Conflict) == 1
        assert book.holds(run.key) == [Held("b", Phase.BEFORE, TIME, TIME, "continued", "carol", 77, 78)]
        book.event(run.key, Event.CANCEL)
        assert book.park(run.key, "b", Phase.AFTER, 79, [], []) is Status.CANCELED
        assert len(book.holds(run.key)) == 1

    def test_an_end_settles_the_steps_and_takes_the_credentials_away(self) -> None:
        book = self.book()
        run = book.submit(self.order(1, chain("a", "b", "c")))
        book.record(run.key, [Move("a", StepStatus.RUNNING, TIME), Move("a", StepStatus.SUCCESS, TIME)])
        book.record(run.key, [Move("b", StepStatus.RUNNING, TIME)])
        self.clock.forward(2)
        book.event(run.key, Event.FAIL, lines=[(TIME, "error", "broke")])
        later = stamp(self.clock.now())
        steps = [(row.status, row.started_on, row.completed_on) for row in book.steps(run.key)]
        assert steps == [
            (StepStatus.SUCCESS, TIME, TIME),
            (StepStatus.CANCELED, TIME, later),
            (StepStatus.CANCELED, None, None),
        ]
        ended = book.by_key(run.key)
        assert ended is not None
        assert (ended.status, ended.completed_on) == (Status.FAILED, later)
        assert self.revoked == [run.key]
        assert [line.message for line in book.lines(run.key)] == ["broke"]

    def test_a_hold_takes_the_credentials_and_the_worker_away(self) -> None:
        book = self.book()
        run = book.submit(self.order(1, chain("a")))
        book.claim("w")
        book.event(run.key, Event.HOLD)
        waiting = book.by_key(run.key)
        assert waiting is not None
        assert (waiting.worker, waiting.completed_on, self.revoked) == (None, None, [run.key])
        assert book.claim("v") is None
        book.event(run.key, Event.CONTINUE)
        claimed = book.claim("v")
        assert claimed is not None
        assert (claimed.key, claimed.worker, claimed.started_on) == (run.key, "v", waiting.started_on)

    def test_a_result_is_kept_of_a_success_alone(self) -> None:
        book = self.book()
        run, other = book.submit(self.order(1)), book.submit(self.order(2))
        book.event(run.key, Event.SUCCEED, RESULT)
        book.event(other.key, Event.FAIL, RESULT)
        kept, not_kept = book.by_key(run.key), book.by_key(other.key)
        assert kept is not None
        assert not_kept is not None
        assert (kept.output, kept.output_name) == (RESULT.blob, RESULT.name)
        assert (not_kept.output, not_kept.output_name) == (None, None)

    def test_what_came_too_late_leaves_nothing_behind(self) -> None:
        book = self.book()
        run = book.submit(self.order(1, chain("a")))
        book.event(run.key, Event.FAIL)
        moves, lines = [Move("a", StepStatus.RUNNING, TIME)], [(TIME, "info", "x")]
        late = (
            lambda: book.event(run.key, Event.SUCCEED, RESULT, (), lines),
            lambda: book.record(run.key, moves, lines),
        )
        assert [type(at_once(call)[0]) for call in late] == [Conflict, Conflict]
        assert list(book.lines(run.key)) == []
        assert [row.status for row in book.steps(run.key)] == [StepStatus.CANCELED]

    def test_of_two_racing_events_exactly_one_wins(self) -> None:
        book = self.book()
        for round_ in range(50):
            run = book.submit(self.order(round_))
            answers = at_once(
                lambda key=run.key: book.event(key, Event.SUCCEED),  # type: ignore[misc]
                lambda key=run.key: book.event(key, Event.FAIL),  # type: ignore[misc]
                lambda key=run.key: book.event(key, Event.LOSE),  # type: ignore[misc]
            )
            won = [answer for answer in answers if isinstance(answer, Status)]
            assert len(won) == 1, answers
            assert getattr(book.by_key(run.key), "status", None) is won[0]

    def test_steps_move_only_forward(self) -> None:
        book = self.book()
        run = book.submit(self.order(1, chain("a", "b")))
        wrong = [
            [Move("a", StepStatus.SUCCESS, TIME)],
            [Move("nobody", StepStatus.RUNNING, TIME)],
            [Move("a", StepStatus.RUNNING, TIME), Move("a", StepStatus.RUNNING, TIME)],
        ]
        for moves in wrong:
            answer = at_once(lambda moves=moves: book.record(run.key, moves, [(TIME, "info", "x")]))[0]  # type: ignore[misc]
            assert isinstance(answer, Conflict)
        assert {row.status for row in book.steps(run.key)} == {StepStatus.PENDING}
        assert list(book.lines(run.key)) == []

    def test_a_replica_has_a_row_beside_its_step(self) -> None:
        book = self.book()
        run = book.submit(self.order(1, chain("a", "b")))
        book.record(run.key, [Move("a", StepStatus.RUNNING, TIME)])
        book.record(run.key, [Move("a", StepStatus.RUNNING, TIME, replica) for replica in (1, 0)])
        book.record(run.key, [Move("a", StepStatus.FAILED, TIME, 1)])
        assert [(row.name, row.replica, row.status) for row in book.steps(run.key)] == [
            ("a", None, StepStatus.RUNNING),
            ("a", 0, StepStatus.RUNNING),
            ("a", 1, StepStatus.FAILED),
            ("b", None, StepStatus.PENDING),
        ]

    def test_log_entries_are_numbered_in_the_order_of_writing(self) -> None:
        book = self.book()
        run = book.submit(self.order())
        book.record(run.key, [], [(TIME, "info", "one"), (TIME, "warning", "two\0")])
        book.record(run.key, [], [(TIME, "error", "three ✓")])
        lines = book.lines(run.key)
        assert [(line.seq, line.severity) for line in lines] == [(1, "info"), (2, "warning"), (3, "error")]
        assert lines[2].message == "three ✓"
        assert [line.seq for line in book.lines(run.key, 2)] == [3]
