"""What a runner writes about a run: in order, in few transactions, without secrets, and even when the book is
away."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from chains.runner.journal import MANY, Flusher, Journal
from chains.runs.ports import RunStates
from chains.runs.records import Entry, Move, Result
from chains.runs.states import Event, Status, StepStatus
from tests.kit.clocks import WallClock
from tests.kit.runner import NEVER, RunnerSetup
from tests.kit.suites.chains import TIME, chain
from vfs.errors import Unavailable


class Away:
    """States of runs that cannot be reached for their next `failures` writes."""

    def __init__(self, states: RunStates) -> None:
        self._states = states
        self.hold, self.settle = states.hold, states.settle
        self.failures = 0
        self.writes = 0

    def _reach(self) -> None:
        self.writes += 1
        if self.failures:
            self.failures -= 1
            raise Unavailable("The database cannot be reached.")

    def record(self, run: int, moves: Sequence[Move] = (), lines: Sequence[Entry] = ()) -> None:
        self._reach()
        self._states.record(run, moves, lines)

    def event(
        self, run: int, event: Event, result: Result | None = None, moves: Sequence[Move] = (),
        lines: Sequence[Entry] = (),
    ) -> Status:  # fmt: skip
        self._reach()
        return self._states.event(run, event, result, moves, lines)


@pytest.fixture
def runner_setup(tmp_path: Path) -> RunnerSetup:
    runner_setup = RunnerSetup(tmp_path)
    runner_setup.run_store = replace(runner_setup.run_store, states=Away(runner_setup.run_store.states))
    return runner_setup


def journal_of(runner_setup: RunnerSetup, key: int, flusher: Flusher | None = None) -> Journal:
    return Journal(runner_setup.run_store, key, WallClock(), 1 << 20, flusher or Flusher(NEVER))


def away(runner_setup: RunnerSetup) -> Away:
    assert isinstance(runner_setup.run_store.states, Away)
    return runner_setup.run_store.states


def test_many_lines_are_written_at_once_and_in_order(runner_setup: RunnerSetup) -> None:
    run = runner_setup.order(chain("a"))
    journal = journal_of(runner_setup, run.key)
    for number in range(100):
        journal.tell(TIME, "info", str(number))
    assert runner_setup.log(run) == []
    journal.flush()
    journal.flush()
    assert away(runner_setup).writes == 1
    assert runner_setup.log(run) == [str(number) for number in range(100)]


def test_a_flood_of_lines_is_written_on_the_way(runner_setup: RunnerSetup) -> None:
    run = runner_setup.order(chain("a"))
    journal = journal_of(runner_setup, run.key)
    for number in range(MANY):
        journal.say(str(number))
    assert len(runner_setup.log(run)) == MANY


def test_what_could_not_be_written_is_written_later_in_its_order(runner_setup: RunnerSetup) -> None:
    run = runner_setup.order(chain("a"))
    flusher = Flusher(NEVER)
    journal = journal_of(runner_setup, run.key, flusher)
    away(runner_setup).failures = 3
    journal.say("one")
    journal.move(Move("a", StepStatus.RUNNING, TIME))
    journal.flush()
    journal.say("two")
    assert runner_setup.log(run) == []
    assert journal in flusher._waiting
    assert journal.event(Event.SUCCEED) is Status.SUCCESS
    assert runner_setup.log(run) == ["one", "two"]
    assert not journal.orphaned.is_set()


def test_nobody_waits_for_a_book_that_is_away_once_the_flusher_is_over(runner_setup: RunnerSetup) -> None:
    run = runner_setup.order(chain("a"))
    flusher = Flusher(0.01)
    journal = journal_of(runner_setup, run.key, flusher)
    journal.say("one")
    away(runner_setup).failures = 1_000_000
    ends: list[Status | None] = []
    thread = threading.Thread(target=lambda: ends.append(journal.event(Event.SUCCEED)))
    thread.start()
    thread.join(1)
    assert thread.is_alive()
    flusher.close()
    thread.join(NEVER)
    assert ends == [None]
    found = runner_setup.run_store.reader.by_key(run.key)
    assert (found and found.status, runner_setup.log(run)) == (Status.PROCESSING, [])
    away(runner_setup).failures = 0
    assert journal_of(runner_setup, run.key, flusher).event(Event.SUCCEED) is Status.SUCCESS


def test_a_run_that_another_ended_is_orphaned(runner_setup: RunnerSetup) -> None:
    run = runner_setup.order(chain("a"))
    runner_setup.run_store.states.event(run.key, Event.FAIL)
    flushed, ended = journal_of(runner_setup, run.key), journal_of(runner_setup, run.key)
    flushed.move(Move("a", StepStatus.RUNNING, TIME))
    flushed.flush()
    assert ended.event(Event.SUCCEED) is None
    assert flushed.orphaned.is_set()
    assert ended.orphaned.is_set()


def test_a_move_that_the_book_refuses_hurts_neither_the_log_nor_the_end(runner_setup: RunnerSetup) -> None:
    run = runner_setup.order(chain("a"))
    journal = journal_of(runner_setup, run.key)
    journal.say("one")
    journal.move(Move("a", StepStatus.SUCCESS, TIME))
    journal.flush()
    journal.move(Move("nobody", StepStatus.RUNNING, TIME))
    journal.say("two")
    assert journal.event(Event.SUCCEED) is Status.FAILED
    assert runner_setup.log(run) == ["one", "two"]


def test_an_end_that_the_book_refuses_is_a_failure(runner_setup: RunnerSetup) -> None:
    run = runner_setup.order(chain("a"))
    assert journal_of(runner_setup, run.key).event(Event.TORN_DOWN) is Status.FAILED


def test_a_flusher_writes_soon_what_is_dirty_and_survives_mistakes(runner_setup: RunnerSetup) -> None:
    class Broken(Journal):
        def flush(self) -> None:
            raise ValueError("a mistake of ours")

    flusher = Flusher(0.001)
    run = runner_setup.order(chain("a"))
    flusher.dirty(Broken(runner_setup.run_store, 99, WallClock(), 10, flusher))
    for text in ("one", "two"):
        journal_of(runner_setup, run.key, flusher).say(text)
        lines = runner_setup.run_store.waits.follow(run.key, len(runner_setup.log(run)), NEVER).lines
        assert [line.message for line in lines] == [text] or runner_setup.log(run)[-1] == text
    flusher.close()
    for thread in threading.enumerate():
        if thread.name == "flusher":
            thread.join(0.1)
