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
from tests.kit.runner import NEVER, RunnerSetup
from tests.kit.suites.chains import chain
from tests.kit.world import CommitSignal
from vfs.errors import NoSpace, Unavailable


def left_behind(runner_setup: RunnerSetup, *events: Event) -> Run:
    """A run that a runner of this home taken before it was gone."""
    run = runner_setup.order(chain("a", "b"), {"x": "1"})
    runner_setup.run_store.leases.enlist("gone", runner_setup.folders.home(), 60)
    assert runner_setup.run_store.queue.take("gone") is not None
    for event in events:
        runner_setup.run_store.states.event(run.key, event)
    runner_setup.folders.take(run.key, run.input)
    runner_setup.engine.prepare(StepSpec(str(run.key), "a", "image-a", {}, (), runner_setup.folders.root))
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
    runner_setup = RunnerSetup(tmp_path, a={}, b={})
    run = left_behind(runner_setup, *events)
    with runner_setup.working():
        assert runner_setup.end(run).status is status
        assert runner_setup.engine.sweep(lambda key: False) == []
    assert said in runner_setup.log(run)[-1]
    assert runner_setup.steps(run) == {"a": "canceled", "b": "canceled"}
    assert runner_setup.leftovers() == []
    assert runner_setup.revoked == [run.key]


def test_a_waiting_run_outlives_its_runner(tmp_path: Path) -> None:
    runner_setup = RunnerSetup(tmp_path)
    run = runner_setup.order(chain("a"))
    runner_setup.run_store.queue.take("gone")
    runner_setup.run_store.states.event(run.key, Event.HOLD)
    with runner_setup.working():
        pass
    assert runner_setup.run_store.waits.wait(run.key, lambda status: True, 0) is Status.WAITING


def test_another_home_s_living_runner_keeps_its_runs_and_containers(tmp_path: Path) -> None:
    runner_setup = RunnerSetup(tmp_path, a={})
    run = runner_setup.order(chain("a"))
    runner_setup.run_store.leases.enlist("alive", "elsewhere", 60)
    runner_setup.run_store.queue.take("alive")
    runner_setup.engine.prepare(StepSpec(str(run.key), "a", "image-a", {}, (), runner_setup.folders.root))
    runner_setup.engine.prepare(StepSpec("not a run", "a", "image-a", {}, (), runner_setup.folders.root))
    with runner_setup.working():
        pass
    assert runner_setup.run_store.waits.wait(run.key, lambda status: True, 0) is Status.PROCESSING
    assert runner_setup.engine.sweep(lambda key: False) == [str(run.key)]


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
    runner_setup = RunnerSetup(tmp_path, a={}, b={})
    engine = runner_setup.engine = Late(runner_setup.images)
    runner_setup.settings = replace(runner_setup.settings, patience=0.1)
    lost = left_behind(runner_setup)
    new = runner_setup.order(chain("a"))
    runner, stop, ready = runner_setup.runner(), threading.Event(), threading.Event()
    thread = threading.Thread(target=runner.loop, args=(stop, ready.set))
    thread.start()
    assert runner_setup.end(lost).status is Status.FAILED
    assert not ready.is_set()
    assert runner_setup.run_store.waits.wait(new.key, lambda status: True, 0) is Status.PROCESSING
    engine.there.set()
    assert runner_setup.end(new).status is Status.SUCCESS
    stop.set()
    thread.join(NEVER)


class Failing(FakeEngine):
    """An engine that fails at a chosen call."""

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
    runner_setup = RunnerSetup(tmp_path, a={})
    runner_setup.engine = Failing(runner_setup.images, where, error)
    run = runner_setup.run(chain("a"))
    assert run.status is status
    assert said in runner_setup.log(run)[-1]


def test_a_result_that_cannot_be_kept_fails_the_run(tmp_path: Path) -> None:
    class Full:
        def add(self, chunks: object, media: str, item: int | None = None) -> object:
            raise NoSpace("The disk of the file store is full.")

        def add_all(self, contents: object, item: int | None = None) -> object:
            return self.add(contents, "", item)

    runner_setup = RunnerSetup(tmp_path, a={"WRITE": "x=1"})
    runner_setup.blobs = Full()  # type: ignore[assignment]
    run = runner_setup.run(chain("a"))
    assert run.status is Status.FAILED
    assert runner_setup.log(run)[-1] == "The result cannot be kept: The disk of the file store is full."


def test_a_mistake_of_ours_fails_the_run_and_not_the_runner(tmp_path: Path) -> None:
    def secrets(run: Run) -> dict[str, str]:
        if run.id.endswith("1"):
            raise ValueError("a mistake of ours")
        return {}

    runner_setup = RunnerSetup(tmp_path, a={})
    runner_setup.secrets = secrets  # type: ignore[method-assign]
    with runner_setup.working():
        first, second = runner_setup.order(chain("a")), runner_setup.order(chain("a"))
        assert runner_setup.end(first).status is Status.FAILED
        assert runner_setup.end(second).status is Status.SUCCESS
    assert "The runner itself failed" in runner_setup.log(first)[-1]


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


def moody(runner_setup: RunnerSetup) -> Runs:
    mood, database, change_signal = Mood(), runner_setup.database, CommitSignal(runner_setup.database)
    queue = MoodyQueue(database, change_signal, runner_setup.clock, Shortnames(database).fresh)
    queue.mood = mood
    states = StoredRunStates(
        database, change_signal, runner_setup.clock, runner_setup.revoked.append, ignore_end
    )
    leases = MoodyLeases(database, change_signal, runner_setup.clock, mood)
    waits = StoredRunWaits(database, change_signal, runner_setup.run_store.reader)
    return replace(runner_setup.run_store, queue=queue, states=states, leases=leases, waits=waits)


def test_a_runner_bears_a_book_that_is_away_now_and_then(tmp_path: Path) -> None:
    runner_setup = RunnerSetup(tmp_path, a={})
    runner_setup.settings = replace(runner_setup.settings, recheck=0.05)
    runner_setup.run_store = moody(runner_setup)
    with runner_setup.working():
        assert {runner_setup.end(runner_setup.order(chain("a"))).status for _ in range(3)} == {Status.SUCCESS}


def test_a_runner_whose_lease_was_ended_drops_what_another_settled_and_goes_on(tmp_path: Path) -> None:
    """It slept too long: its runs were settled elsewhere; it stops them, and takes new ones under a new
    lease."""
    runner_setup = RunnerSetup(tmp_path, a={"SLEEP": "20"}, b={})
    with runner_setup.working() as runner:
        run = runner_setup.order(chain("a"))
        runner_setup.running(run, "a")
        runner_setup.run_store.leases.retire(runner.name)
        runner_setup.run_store.states.event(run.key, Event.LOSE)
        deadline = time.monotonic() + NEVER
        while not runner_setup.run_store.leases.is_alive(runner.name) or runner_setup.leftovers():
            assert time.monotonic() < deadline
            runner_setup.run_store.queue.await_work(runner_setup.run_store.queue.await_work(0, 0), 0.01)
        again = runner_setup.order(chain("b"))
        assert runner_setup.end(again).status is Status.SUCCESS


def test_folders_that_nobody_needs_are_removed_while_the_runner_works(tmp_path: Path) -> None:
    runner_setup = RunnerSetup(tmp_path)
    runner_setup.settings = replace(runner_setup.settings, heartbeat=0.01, sweep=0.02)
    runner_setup.folders.take(99, None)
    needed = runner_setup.order(None, {"x": "1"})
    runner_setup.run_store.queue.take("nobody")
    with runner_setup.working():
        runner_setup.folders.take(98, None)
        deadline = time.monotonic() + NEVER
        while "run-98" in runner_setup.leftovers():
            assert time.monotonic() < deadline
            runner_setup.run_store.queue.await_work(runner_setup.run_store.queue.await_work(0, 0), 0.01)
    assert runner_setup.leftovers() == []
    assert runner_setup.end(needed).status is Status.FAILED


def test_a_cleaner_that_is_slow_is_not_waited_for_without_end() -> None:
    cleaner, gate = Cleaner(), threading.Event()
    cleaner.leave(gate.wait)
    assert not cleaner.drain(0.01)
    gate.set()
    assert cleaner.drain(NEVER)
