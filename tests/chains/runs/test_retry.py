"""A run bears a database that is away for a moment while it begins, parks and goes on."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pytest

from chains.files.run_folders import FoundFile
from chains.language.ast import Phase
from chains.plan.model import Hold
from chains.runs.records import Entry, Move, Run, RunHold
from chains.runs.retry import Patience
from chains.runs.states import Status
from chains.sharing.run_files import Manifest, PatientRunFiles
from tests.chains.runner.test_holds import go_on, held, waiting
from tests.kit.runner import RunnerSetup, Shelf
from tests.kit.suites.chains import chain
from vfs.errors import Conflict, Invalid, Unavailable

AWAY = "the database cannot be reached just now"


class Times:
    """Raises the first time it is called."""

    def __init__(self, error: Exception | None) -> None:
        self.count = 0
        self._error = error

    def __call__(self) -> str:
        self.count += 1
        if self.count == 1 and self._error is not None:
            raise self._error
        return "there"


def test_unavailability_is_retried_and_a_refusal_is_not() -> None:
    patiently = Patience(threading.Event())
    assert patiently(Times(None)) == "there"
    assert patiently(Times(Unavailable(AWAY))) == "there"
    refused = Times(Invalid("no"))
    with pytest.raises(Invalid):
        patiently(refused)
    assert refused.count == 1
    with pytest.raises(Unavailable):
        patiently(Times(Unavailable(AWAY)), seconds=-1)


class Moody(Shelf):
    """Parked files on a database that is away at the first try, before or after it executed the statement."""

    def __init__(self, runner_setup: RunnerSetup, *, done: bool) -> None:
        super().__init__(runner_setup)
        self._done = done
        self.parked = Times(Unavailable(AWAY))
        self.fetched = Times(Unavailable(AWAY))

    def keep(
        self, run: Run, hold: Hold, files: Iterable[FoundFile], moves: Sequence[Move], lines: Sequence[Entry]
    ) -> Status:
        if not self._done:
            self.parked()
        if self.files:
            raise Conflict("there is a space of this name")
        status = super().keep(run, hold, files, moves, lines)
        self.parked()
        return status

    def fetch(self, held: RunHold, target: Path) -> None:
        self.fetched()
        super().fetch(held, target)


@pytest.mark.parametrize("done", [False, True], ids=["before it did", "after it did"])
def test_a_run_parks_and_goes_on_when_the_database_is_back(tmp_path: Path, done: bool) -> None:
    runner_setup = RunnerSetup(tmp_path, a={"COPY": "a"}, b={"COPY": "b"})
    runner_setup.hold_files = Moody(runner_setup, done=done)
    with runner_setup.working():
        run = runner_setup.order(held(chain("a", "b"), ("a", Phase.AFTER)), {"x": "1"})
        assert waiting(runner_setup, run) == {"x": "1a\n"}
        go_on(runner_setup, run)
        run = runner_setup.end(run)
    assert (run.status, runner_setup.output(run)) == (Status.SUCCESS, b"1a\nb\n")
    assert runner_setup.leftovers() == []
    assert [line for line in runner_setup.log(run) if "cannot" in line] == []


class Forgetful(RunnerSetup):
    """The values of config/env are away at the first try."""

    reads = Times(Unavailable(AWAY))

    def secrets(self, run: Run) -> Mapping[str, str]:
        self.reads()
        return super().secrets(run)


def test_a_run_begins_when_the_database_is_back(tmp_path: Path) -> None:
    runner_setup = Forgetful(tmp_path, a={})
    with runner_setup.working():
        assert runner_setup.end(runner_setup.order(chain("a"))).status is Status.SUCCESS
    assert runner_setup.reads.count > 1


def test_nobody_waits_once_it_is_over() -> None:
    over, called = threading.Event(), threading.Event()
    raised: list[Unavailable] = []

    def away() -> str:
        called.set()
        raise Unavailable(AWAY)

    def wait() -> None:
        with pytest.raises(Unavailable) as info:
            Patience(over)(away, seconds=60)
        raised.append(info.value)

    thread = threading.Thread(target=wait)
    thread.start()
    assert called.wait(10)
    over.set()
    thread.join(10)
    assert [error.detail for error in raised] == [AWAY]
    with pytest.raises(Unavailable):
        Patience(over)(Times(Unavailable(AWAY)))
    assert Patience(over)(Times(None)) == "there"


class Away:
    """RunFiles of a store that stays away."""

    def __init__(self) -> None:
        self.called = threading.Event()

    def store(self, folder: Path, job: int | None = None) -> str:
        self.called.set()
        raise Unavailable(AWAY)

    def read(self, manifest: str) -> Manifest:
        raise Unavailable(AWAY)

    def fetch(self, manifest: str, target: Path) -> Manifest:
        raise Unavailable(AWAY)


def test_files_of_runs_are_waited_for_until_it_is_over(tmp_path: Path) -> None:
    over, store = threading.Event(), Away()
    files = PatientRunFiles(store, Patience(over))

    def end() -> None:
        assert store.called.wait(10)
        over.set()

    ending = threading.Thread(target=end)
    ending.start()
    for act in (
        lambda: files.store(tmp_path),
        lambda: files.read("manifest"),
        lambda: files.fetch("manifest", tmp_path / "target"),
    ):
        with pytest.raises(Unavailable, match=AWAY):
            act()
    ending.join()
