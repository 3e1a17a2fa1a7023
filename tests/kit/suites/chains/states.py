"""Promises of changes to recorded runs."""

from __future__ import annotations

import itertools

from chains.runs.records import Move
from chains.runs.states import TURNS, Event, Status, StepStatus
from tests.kit.suites.chains import RESULT, TIME, at_once, chain
from tests.kit.suites.chains.run_cases import RunCases
from vfs.errors import Conflict
from vfs.ports.clock import stamp


class RunStatesSuite(RunCases):
    """Runs turn, their steps move, their logs grow."""

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
        book.queue.take("w")
        book.states.event(run.key, Event.HOLD)
        waiting = book.reader.by_key(run.key)
        assert waiting is not None
        assert (waiting.worker, waiting.completed_on, self.revoked) == (None, None, [run.key])
        assert book.queue.take("v") is None
        book.states.event(run.key, Event.CONTINUE)
        taken = book.queue.take("v")
        assert taken is not None
        assert (taken.key, taken.worker, taken.started_on) == (run.key, "v", waiting.started_on)

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

    def test_what_a_step_left_is_told_as_it_was_tallied(self) -> None:
        book = self.book()
        run = book.queue.submit(self.order(1, chain("a", "b")))
        book.states.record(run.key, [Move("a", StepStatus.RUNNING, TIME)])
        book.states.record(run.key, [Move("a", StepStatus.SUCCESS, TIME, tally="1 2 ab")])
        book.states.record(run.key, [Move("b", StepStatus.RUNNING, TIME)])
        book.states.record(run.key, [Move("b", StepStatus.SUCCESS, TIME)])
        assert [row.tally for row in book.reader.steps(run.key)] == ["1 2 ab", None]

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
