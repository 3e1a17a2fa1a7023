"""Promises of holds and of the spaces with their files."""

from __future__ import annotations

from chains.language.ast import Phase
from chains.runs.records import HoldSpace, RunHold
from chains.runs.states import Event, Status
from tests.kit.suites.chains import JOB, TIME, at_once, chain
from tests.kit.suites.chains.run_cases import RunCases
from vfs.errors import Conflict


class HoldSpacesSuite(RunCases):
    """Holds are answered once, and their spaces are found."""

    def test_a_hold_is_parked_answered_once_and_remembered(self) -> None:
        run_store = self.run_store()
        run = run_store.queue.submit(self.order(1, chain("a", "b")))
        assert list(run_store.reader.holds(run.key)) == []
        lines = [(TIME, "info", "waits")]
        assert run_store.states.hold(run.key, "b", Phase.BEFORE, 77, [], lines) is Status.WAITING
        assert run_store.reader.holds(run.key) == [
            RunHold("b", Phase.BEFORE, TIME, None, None, None, 77, None)
        ]
        parked = run_store.hold_spaces.run_of(77)
        assert parked is not None
        assert parked.key == run.key
        assert run_store.hold_spaces.run_of(78) is None
        answers = at_once(*[lambda: run_store.states.settle(run.key, Event.CONTINUE, "carol", 78)] * 2)
        assert [type(answer) for answer in answers].count(Conflict) == 1
        assert run_store.reader.holds(run.key) == [
            RunHold("b", Phase.BEFORE, TIME, TIME, "continued", "carol", 77, 78)
        ]
        run_store.states.event(run.key, Event.CANCEL)
        assert run_store.states.hold(run.key, "b", Phase.AFTER, 79, [], []) is Status.CANCELED
        assert len(run_store.reader.holds(run.key)) == 1

    def test_parked_files_are_listed_by_owner_until_the_run_ends(self) -> None:
        run_store = self.run_store()
        one, other = (run_store.queue.submit(self.order(number, chain("a"))).key for number in range(2))
        run_store.states.hold(other, "a", Phase.BEFORE, 78, [], [])
        run_store.states.hold(one, "a", Phase.BEFORE, 77, [], [])
        both = [HoldSpace(77, JOB, "bob"), HoldSpace(78, JOB, "bob")]
        assert (
            list(run_store.hold_spaces.open_spaces("alice"))
            == list(run_store.hold_spaces.open_spaces(None))
            == both
        )
        assert list(run_store.hold_spaces.open_spaces("bob")) == []
        run_store.states.settle(one, Event.CONTINUE, "carol", 79)
        assert list(run_store.hold_spaces.open_spaces("alice")) == both
        run_store.states.event(one, Event.FAIL)
        assert list(run_store.hold_spaces.open_spaces("alice")) == both[1:]
