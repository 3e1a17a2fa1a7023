"""Promises of changes to recorded runs."""

from __future__ import annotations

import itertools
from functools import partial

from chains.runs.records import Move
from chains.runs.states import TURNS, Event, Status, StepStatus
from tests.kit.suites.chains import RESULT, TIME, at_once, chain
from tests.kit.suites.chains.run_cases import RunCases
from vfs.errors import Conflict
from vfs.ports.clock import stamp


class RunStatesSuite(RunCases):
    """Runs turn, their steps move, their logs grow."""

    def test_every_event_turns_the_status_as_the_table_says_and_nothing_else_does(self) -> None:
        run_store = self.run_store()
        for status, event in itertools.product(Status, Event):
            run = self.at(run_store, status)
            if (to := TURNS.get((status, event))) is not None:
                assert run_store.states.event(run.key, event) is to
            else:
                answer = at_once(lambda key=run.key, event=event: run_store.states.event(key, event))[0]  # type: ignore[misc]
                assert isinstance(answer, Conflict)
                assert answer.members["run_status"] == status
            assert getattr(run_store.reader.by_key(run.key), "status", None) is (to or status)

    def test_of_two_racing_events_exactly_one_wins(self) -> None:
        run_store = self.run_store()
        for round_ in range(50):
            run = run_store.queue.submit(self.order(round_))
            answers = at_once(
                lambda key=run.key: run_store.states.event(key, Event.SUCCEED),  # type: ignore[misc]
                lambda key=run.key: run_store.states.event(key, Event.FAIL),  # type: ignore[misc]
                lambda key=run.key: run_store.states.event(key, Event.LOSE),  # type: ignore[misc]
            )
            won = [answer for answer in answers if isinstance(answer, Status)]
            assert len(won) == 1, answers
            assert getattr(run_store.reader.by_key(run.key), "status", None) is won[0]

    def test_an_end_settles_the_steps_and_takes_the_credentials_away(self) -> None:
        run_store = self.run_store()
        run = run_store.queue.submit(self.order(1, chain("a", "b", "c")))
        run_store.states.record(
            run.key, [Move("a", StepStatus.RUNNING, TIME), Move("a", StepStatus.SUCCESS, TIME)]
        )
        run_store.states.record(run.key, [Move("b", StepStatus.RUNNING, TIME)])
        self.clock.forward(2)
        run_store.states.event(run.key, Event.FAIL, lines=[(TIME, "error", "broke")])
        later = stamp(self.clock.now())
        steps = [(row.status, row.started_on, row.completed_on) for row in run_store.reader.steps(run.key)]
        assert steps == [
            (StepStatus.SUCCESS, TIME, TIME),
            (StepStatus.CANCELED, TIME, later),
            (StepStatus.CANCELED, None, None),
        ]
        ended = run_store.reader.by_key(run.key)
        assert ended is not None
        assert (ended.status, ended.completed_on) == (Status.FAILED, later)
        assert self.revoked == [run.key]
        assert [line.message for line in run_store.reader.lines(run.key)] == ["broke"]

    def test_a_hold_takes_the_credentials_and_the_worker_away(self) -> None:
        run_store = self.run_store()
        run = run_store.queue.submit(self.order(1, chain("a")))
        run_store.queue.take("w")
        run_store.states.event(run.key, Event.HOLD)
        waiting = run_store.reader.by_key(run.key)
        assert waiting is not None
        assert (waiting.worker, waiting.completed_on, self.revoked) == (None, None, [run.key])
        assert run_store.queue.take("v") is None
        run_store.states.event(run.key, Event.CONTINUE)
        taken = run_store.queue.take("v")
        assert taken is not None
        assert (taken.key, taken.worker, taken.started_on) == (run.key, "v", waiting.started_on)

    def test_a_result_is_kept_of_a_success_alone(self) -> None:
        run_store = self.run_store()
        run, other = run_store.queue.submit(self.order(1)), run_store.queue.submit(self.order(2))
        run_store.states.event(run.key, Event.SUCCEED, RESULT)
        run_store.states.event(other.key, Event.FAIL, RESULT)
        kept, not_kept = run_store.reader.by_key(run.key), run_store.reader.by_key(other.key)
        assert kept is not None
        assert not_kept is not None
        assert (kept.output, kept.output_name) == (RESULT.blob, RESULT.name)
        assert (not_kept.output, not_kept.output_name) == (None, None)

    def test_what_came_too_late_leaves_nothing_behind(self) -> None:
        run_store = self.run_store()
        run = run_store.queue.submit(self.order(1, chain("a")))
        run_store.states.event(run.key, Event.FAIL)
        moves, lines = [Move("a", StepStatus.RUNNING, TIME)], [(TIME, "info", "x")]
        late = (
            lambda: run_store.states.event(run.key, Event.SUCCEED, RESULT, (), lines),
            lambda: run_store.states.record(run.key, moves, lines),
        )
        assert [type(at_once(call)[0]) for call in late] == [Conflict, Conflict]
        assert list(run_store.reader.lines(run.key)) == []
        assert [row.status for row in run_store.reader.steps(run.key)] == [StepStatus.CANCELED]

    def test_steps_move_only_forward(self) -> None:
        run_store = self.run_store()
        run = run_store.queue.submit(self.order(1, chain("a", "b")))
        wrong = [
            [Move("a", StepStatus.SUCCESS, TIME)],
            [Move("nobody", StepStatus.RUNNING, TIME)],
            [Move("a", StepStatus.RUNNING, TIME), Move("a", StepStatus.RUNNING, TIME)],
        ]
        for moves in wrong:
            record = partial(run_store.states.record, run.key, moves, [(TIME, "info", "x")])
            answer = at_once(record)[0]
            assert isinstance(answer, Conflict)
        assert {row.status for row in run_store.reader.steps(run.key)} == {StepStatus.PENDING}
        assert list(run_store.reader.lines(run.key)) == []

    def test_the_output_of_a_step_is_returned_as_it_was_tallied(self) -> None:
        run_store = self.run_store()
        run = run_store.queue.submit(self.order(1, chain("a", "b")))
        run_store.states.record(run.key, [Move("a", StepStatus.RUNNING, TIME)])
        run_store.states.record(run.key, [Move("a", StepStatus.SUCCESS, TIME, tally="1 2 ab")])
        run_store.states.record(run.key, [Move("b", StepStatus.RUNNING, TIME)])
        run_store.states.record(run.key, [Move("b", StepStatus.SUCCESS, TIME)])
        assert [row.tally for row in run_store.reader.steps(run.key)] == ["1 2 ab", None]

    def test_replicas_are_pending_before_they_run(self) -> None:
        run_store = self.run_store()
        run = run_store.queue.submit(self.order(1, chain("a")))
        run_store.states.record(run.key, [Move("a", StepStatus.PENDING, TIME, number) for number in range(2)])
        run_store.states.record(run.key, [Move("a", StepStatus.RUNNING, TIME, 1)])
        run_store.states.event(run.key, Event.FAIL)
        rows = [
            (row.replica, row.status, row.started_on, row.completed_on)
            for row in run_store.reader.steps(run.key)
        ]
        assert rows == [
            (None, StepStatus.CANCELED, None, None),
            (0, StepStatus.CANCELED, None, None),
            (1, StepStatus.CANCELED, TIME, TIME),
        ]

    def test_a_replica_has_a_row_beside_its_step(self) -> None:
        run_store = self.run_store()
        run = run_store.queue.submit(self.order(1, chain("a", "b")))
        run_store.states.record(run.key, [Move("a", StepStatus.RUNNING, TIME)])
        run_store.states.record(run.key, [Move("a", StepStatus.RUNNING, TIME, replica) for replica in (1, 0)])
        run_store.states.record(run.key, [Move("a", StepStatus.FAILED, TIME, 1)])
        assert [(row.name, row.replica, row.status) for row in run_store.reader.steps(run.key)] == [
            ("a", None, StepStatus.RUNNING),
            ("a", 0, StepStatus.RUNNING),
            ("a", 1, StepStatus.FAILED),
            ("b", None, StepStatus.PENDING),
        ]
