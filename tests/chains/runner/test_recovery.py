"""What an earlier runner left is settled before any work, and a runner bears an engine or a book that is
away."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from chains.engine.port import EngineError, Exit, Handle, Line, StepSpec
from chains.runner.cleanup import Cleaner
from chains.runs.ports import Rank, Runs, alike
from chains.runs.records import Run, ignore_end
from chains.runs.states import Event, Status
from storage.runs.queue import StoredRunQueue
from storage.runs.runs import StoredLeases, StoredRunWaits
from storage.runs.states import StoredRunStates
from storage.tree.shortnames import Shortnames
from tests.kit.fake_engine import FakeEngine, Images
from tests.kit.runner import NEVER, Yard
from tests.kit.suites.chains import chain
from tests.kit.world import CommitBell
from vfs.errors import NoSpace, Unavailable


def left_behind(yard: Yard, *events: Event) -> Run:
    """A run that a runner of this home taken before it was gone."""
    run = yard.order(chain("a", "b"), {"x": "1"})
    yard.book.leases.enlist("gone", yard.folders.home(), 60)
    assert yard.book.queue.take("gone") is not None
    for event in events:
        yard.book.states.event(run.key, event)
    yard.folders.take(run.key, run.input)
    yard.engine.prepare(StepSpec(str(run.key), "a", "image-a", {}, (), yard.folders.root))
    return run


@pytest.mark.parametrize(
    "events,status,said",
    [
        ((), Status.FAILED, "interrupted and cannot be continued"),
        ((Event.CANCEL,), Status.CANCELED, "canceled"),
    ],
)
def test_a_lost_run_is_settled_and_never_started_again(
    tmp_path: Path, events: tuple[Event, ...], status: Status, said: str
) -> None:
    yard = Yard(tmp_path, a={}, b={})
    run = left_behind(yard, *events)
    with yard.working():
        assert yard.end(run).status is status
        assert yard.engine.sweep(lambda key: False) == []
    assert said in yard.log(run)[-1]
    assert yard.steps(run) == {"a": "canceled", "b": "canceled"}
    assert yard.leftovers() == []
    assert yard.revoked == [run.key]


def test_a_waiting_run_outlives_its_runner(tmp_path: Path) -> None:
    yard = Yard(tmp_path)
    run = yard.order(chain("a"))
    yard.book.queue.take("gone")
    yard.book.states.event(run.key, Event.HOLD)
    with yard.working():
        pass
    assert yard.book.waits.wait(run.key, lambda status: True, 0) is Status.WAITING


def test_another_home_s_living_runner_keeps_its_runs_and_containers(tmp_path: Path) -> None:
    yard = Yard(tmp_path, a={})
    run = yard.order(chain("a"))
    yard.book.leases.enlist("alive", "elsewhere", 60)
    yard.book.queue.take("alive")
    yard.engine.prepare(StepSpec(str(run.key), "a", "image-a", {}, (), yard.folders.root))
    yard.engine.prepare(StepSpec("not a run", "a", "image-a", {}, (), yard.folders.root))
    with yard.working():
        pass
    assert yard.book.waits.wait(run.key, lambda status: True, 0) is Status.PROCESSING
    assert yard.engine.sweep(lambda key: False) == [str(run.key)]


class Late(FakeEngine):
    """An engine that is away until it is let in."""

    def __init__(self, images: Images) -> None:
        super().__init__(images)
        self.there = threading.Event()

    def sweep(self, keep: Callable[[str], bool]) -> list[str]:
        if not self.there.is_set():
            raise EngineError("Podman does not answer on its socket")
        return super().sweep(keep)


def test_statuses_do_not_wait_for_an_engine_that_is_away_but_work_does(tmp_path: Path) -> None:
    yard = Yard(tmp_path, a={}, b={})
    engine = yard.engine = Late(yard.images)
    yard.settings = replace(yard.settings, patience=0.1)
    lost = left_behind(yard)
    new = yard.order(chain("a"))
    runner, stop, ready = yard.runner(), threading.Event(), threading.Event()
    thread = threading.Thread(target=runner.loop, args=(stop, ready.set))
    thread.start()
    assert yard.end(lost).status is Status.FAILED
    assert not ready.is_set()
    assert yard.book.waits.wait(new.key, lambda status: True, 0) is Status.PROCESSING
    engine.there.set()
    assert yard.end(new).status is Status.SUCCESS
    stop.set()
    thread.join(NEVER)


class Failing(FakeEngine):
    """An engine that fails where it is told to."""

    def __init__(self, images: Images, where: str, error: Exception) -> None:
        super().__init__(images)
        self._where = where
        self._error = error

    def _fail(self, where: str) -> None:
        if where == self._where:
            raise self._error

    def start(self, handle: Handle) -> None:
        self._fail("start")
        super().start(handle)

    def wait(self, handle: Handle, tell: Callable[[Line], None]) -> Exit:
        self._fail("wait")
        return super().wait(handle, tell)

    def remove(self, handle: Handle) -> None:
        super().remove(handle)
        self._fail("remove")


@pytest.mark.parametrize(
    "where,error,status,said",
    [
        ("start", EngineError("no room"), Status.FAILED, "a: could not be started: no room"),
        ("wait", EngineError("conmon is gone"), Status.FAILED, "its container was lost: conmon is gone"),
        ("wait", ValueError("a mistake of ours"), Status.FAILED, "a mistake of ours"),
        ("remove", EngineError("busy"), Status.SUCCESS, "a: ended with exit code 0"),
        ("remove", ValueError("a mistake of ours"), Status.SUCCESS, "a: ended with exit code 0"),
    ],
)
def test_an_engine_that_fails_ends_the_run_with_its_reason(
    tmp_path: Path, where: str, error: Exception, status: Status, said: str
) -> None:
    yard = Yard(tmp_path, a={})
    yard.engine = Failing(yard.images, where, error)
    run = yard.run(chain("a"))
    assert run.status is status
    assert said in yard.log(run)[-1]


def test_a_result_that_cannot_be_kept_fails_the_run(tmp_path: Path) -> None:
    class Full:
        def add(self, chunks: object, media: str, item: int | None = None) -> object:
            raise NoSpace("The disk of the file store is full.")

    yard = Yard(tmp_path, a={"WRITE": "x=1"})
    yard.blobs = Full()  # type: ignore[assignment]
    run = yard.run(chain("a"))
    assert run.status is Status.FAILED
    assert yard.log(run)[-1] == "The result cannot be kept: The disk of the file store is full."


def test_a_mistake_of_ours_fails_the_run_and_not_the_runner(tmp_path: Path) -> None:
    def secrets(run: Run) -> dict[str, str]:
        if run.id.endswith("1"):
            raise ValueError("a mistake of ours")
        return {}

    yard = Yard(tmp_path, a={})
    yard.secrets = secrets  # type: ignore[method-assign]
    with yard.working():
        first, second = yard.order(chain("a")), yard.order(chain("a"))
        assert yard.end(first).status is Status.FAILED
        assert yard.end(second).status is Status.SUCCESS
    assert "The runner itself failed" in yard.log(first)[-1]


class Mood:
    """Every other time away."""

    def __init__(self) -> None:
        self._away = 0

    def reach(self) -> None:
        self._away += 1
        if self._away % 2:
            raise Unavailable("The database cannot be reached.")


class MoodyQueue(StoredRunQueue):
    """A queue that cannot be reached now and then, once when it has done what it was asked."""

    mood: Mood

    def take(self, worker: str, rank: Rank = alike) -> Run | None:
        self.mood.reach()
        taken = super().take(worker, rank)
        if taken is not None:
            self.mood.reach()
        return taken

    def await_work(self, seen: int, seconds: float) -> int:
        if not seen:
            self.mood.reach()
        return super().await_work(seen, seconds)


@dataclass(frozen=True)
class MoodyLeases(StoredLeases):
    """Leases that cannot be reached now and then."""

    mood: Mood

    def enlist(self, worker: str, home: str, seconds: float) -> None:
        self.mood.reach()
        super().enlist(worker, home, seconds)


def moody(yard: Yard) -> Runs:
    mood, database, bell = Mood(), yard.database, CommitBell(yard.database)
    queue = MoodyQueue(database, bell, yard.clock, Shortnames(database).fresh)
    queue.mood = mood
    states = StoredRunStates(database, bell, yard.clock, yard.revoked.append, ignore_end)
    leases = MoodyLeases(database, bell, yard.clock, mood)
    waits = StoredRunWaits(database, bell, yard.book.reader)
    return replace(yard.book, queue=queue, states=states, leases=leases, waits=waits)


def test_a_runner_bears_a_book_that_is_away_now_and_then(tmp_path: Path) -> None:
    yard = Yard(tmp_path, a={})
    yard.settings = replace(yard.settings, recheck=0.05)
    yard.book = moody(yard)
    with yard.working():
        assert {yard.end(yard.order(chain("a"))).status for _ in range(3)} == {Status.SUCCESS}


def test_a_runner_whose_lease_was_ended_drops_what_another_settled_and_goes_on(tmp_path: Path) -> None:
    """It slept too long: its runs were settled elsewhere; it stops them, and takes new ones under a new
    lease."""
    yard = Yard(tmp_path, a={"SLEEP": "20"}, b={})
    with yard.working() as runner:
        run = yard.order(chain("a"))
        yard.running(run, "a")
        yard.book.leases.retire(runner.name)
        yard.book.states.event(run.key, Event.LOSE)
        deadline = time.monotonic() + NEVER
        while not yard.book.leases.is_alive(runner.name) or yard.leftovers():
            assert time.monotonic() < deadline
            yard.book.queue.await_work(yard.book.queue.await_work(0, 0), 0.01)
        again = yard.order(chain("b"))
        assert yard.end(again).status is Status.SUCCESS


def test_folders_that_nobody_needs_are_removed_while_the_runner_works(tmp_path: Path) -> None:
    yard = Yard(tmp_path)
    yard.settings = replace(yard.settings, beat=0.01, sweep=0.02)
    yard.folders.take(99, None)
    needed = yard.order(None, {"x": "1"})
    yard.book.queue.take("nobody")
    with yard.working():
        yard.folders.take(98, None)
        deadline = time.monotonic() + NEVER
        while "run-98" in yard.leftovers():
            assert time.monotonic() < deadline
            yard.book.queue.await_work(yard.book.queue.await_work(0, 0), 0.01)
    assert yard.leftovers() == []
    assert yard.end(needed).status is Status.FAILED


def test_a_cleaner_that_is_slow_is_not_waited_for_without_end() -> None:
    cleaner, gate = Cleaner(), threading.Event()
    cleaner.leave(gate.wait)
    assert not cleaner.drain(0.01)
    gate.set()
    assert cleaner.drain(NEVER)
