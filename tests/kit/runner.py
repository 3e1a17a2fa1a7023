"""A runner at work over a database and scripted steps, for tests that follow runs from order to end."""

from __future__ import annotations

import copy
import itertools
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from chains.builds.image_sweep import ImageStandIns
from chains.builds.run_store import Build
from chains.engine.port import Engine, Limits
from chains.files.run_folders import Folders, FoundFile
from chains.plan.model import Hold, MountedSpace, Plan
from chains.runner.ports import EngineCare, Ports, RunnerSettings, StepPolicy
from chains.runner.runner import Runner
from chains.runs.ports import Runs
from chains.runs.records import EarlierRun, Entry, Move, Order, Run, RunHold
from chains.runs.rights import Use
from chains.runs.states import Event, Status
from chains.sharing.run_files import KeptRunFiles, RunFiles
from chains.spaces.space import Changed, Mounting, Snapshot
from storage.bytes.blobs import FileBlobs
from storage.database.database import Database
from tests.kit.clocks import WallClock
from tests.kit.fake_engine import FakeEngine, Images
from tests.kit.world import builds_in, runs_in, sqlite_in
from vfs.errors import NotFound
from vfs.ports.blobs import Blobs

NEVER = 120.0
TOKEN = "token-of-the-run"


class Shelf:
    """Files by hold (chains.spaces.space.HoldFiles), for tests to look at and change."""

    def __init__(self, runner_setup: RunnerSetup) -> None:
        self._runner_setup = runner_setup
        self.files: dict[str, dict[str, str]] = {}

    def keep(
        self, run: Run, hold: Hold, files: Iterable[FoundFile], moves: Sequence[Move], lines: Sequence[Entry]
    ) -> Status:
        self.files[f"{hold.step}-{hold.phase}"] = {file.rel: file.path.read_text() for file in files}
        return self._runner_setup.run_store.states.hold(
            run.key, hold.step, hold.phase, len(self.files), moves, lines
        )

    def fetch(self, hold: RunHold, target: Path) -> None:
        if hold.frozen is None:
            raise NotFound("the space is gone")
        for rel, text in self.files[f"{hold.step}-{hold.phase}"].items():
            (target / rel).parent.mkdir(parents=True, exist_ok=True)
            (target / rel).write_text(text)


class NoSpaces:
    """Nothing is mounted (chains.spaces.space.Mounting)."""

    def spaces(self, run: Run) -> Sequence[MountedSpace]:
        return ()

    def room(self, space: int) -> int:
        return 0

    def export(self, space: int, target: Path) -> Snapshot:
        return {}

    def write_back(self, changes: Iterable[Changed]) -> None:
        raise AssertionError("nothing is mounted")


class Shares:
    """Everybody may use everything (chains.runs.rights.Rights), but what is in `taken`, by its name."""

    def __init__(self) -> None:
        self.taken: set[str] = set()

    def refusal(self, uses: Collection[Use]) -> str | None:
        return next((f"{use.name} was taken back" for use in uses if use.name in self.taken), None)


OPENED: list[Database] = []
"""The databases of runner setups, which are closed after the test that made them."""


class RunnerSetup:
    """A book, an engine and everything between. `images` are scripts by image id: a step `a` of
    `tests.kit.suites.chains.chain` runs `image-a`.
    """

    def __init__(self, folder: Path, **scripts: Mapping[str, str]) -> None:
        self.images: Images = {f"image-{name}": dict(script) for name, script in scripts.items()}
        self.engine: Engine = FakeEngine(self.images)
        self.folders = Folders(folder / "runs")
        self.clock = WallClock()
        self.blobs: Blobs = FileBlobs("mem://", self.clock)
        self.revoked: list[int] = []
        self.env: dict[str, str] = {}
        self.token: str | None = None
        self.trouble: str | None = None
        self.capacity: Callable[[], int] | None = None
        self.repair_builder: Callable[[], str | None] | None = None
        self.built: list[Build] = []
        OPENED.append(database := sqlite_in(folder))
        self.database = database
        self.run_store: Runs = runs_in(self.database, self.clock, self.revoked.append)
        self.builds = builds_in(self.database, self.clock)
        self.settings = RunnerSettings(
            slots=4,
            heartbeat=0.1,
            drain=2.0,
            live=0.01,
            policy=StepPolicy(limits=Limits(seconds=20), stop_grace=0.3),
        )
        self.hold_files = Shelf(self)
        self.mounting: Mounting = NoSpaces()
        self.rights = Shares()
        self.lost: ImageStandIns | None = None
        self.run_files: RunFiles | None = None
        self.kept_room = 1 << 30
        self._numbers = itertools.count(1)

    def share(self, *folders: Path) -> list[RunnerSetup]:
        """This host and others with separate folders, which share the book, the blobs and the images."""
        self.run_files = KeptRunFiles(self.blobs)
        hosts = [copy.copy(self) for _ in folders]
        for host, folder in zip(hosts, folders, strict=True):
            host.folders = Folders(folder / "runs", fetch=self.run_files.fetch)
            host.engine = FakeEngine(self.images)
        return hosts

    def ports(self) -> Ports:
        return Ports(
            runs=self.run_store,
            engine=self.engine,
            folders=self.folders,
            blobs=self.blobs,
            clock=self.clock,
            secrets=self.secrets,
            credential=lambda run: self.token,
            hold_files=self.hold_files,
            mounting=self.mounting,
            rights=self.rights,
            lost=self.lost,
            run_files=self.run_files,
            outputs=KeptRunFiles(self.blobs),
            kept_room=lambda run: self.kept_room,
        )

    def runner(self) -> Runner:
        care = EngineCare(lambda: self.trouble, self.repair_builder, self.capacity)
        return Runner(self.ports(), self.builds, self.make, self.settings, care)

    def secrets(self, run: Run) -> Mapping[str, str]:
        return self.env

    def make(self, build: Build) -> None:
        self.built.append(build)
        self.builds.finish(build.id, "image")

    @contextmanager
    def working(self) -> Iterator[Runner]:
        """A runner that works meanwhile and has ended afterwards."""
        runner, stop, ready = self.runner(), threading.Event(), threading.Event()
        thread = threading.Thread(target=runner.loop, args=(stop, ready.set))
        thread.start()
        try:
            assert ready.wait(NEVER)
            yield runner
        finally:
            stop.set()
            thread.join(NEVER)
            assert not thread.is_alive()

    def order(
        self,
        plan: Plan | None,
        files: Mapping[str, str] | None = None,
        by: str = "bob",
        base: EarlierRun | None = None,
    ) -> Run:
        """A run submitted with input files by name."""
        name = None
        if files is not None:
            name = self.folders.new()
            for rel, text in files.items():
                path = self.folders.path(name) / rel
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
        if name is not None:
            self.folders.notes.take(name, self.folders.path(name))
        tally = None if name is None else self.folders.tally(name)
        stored = None
        if self.run_files is not None and name is not None:
            stored = self.run_files.store(self.folders.path(name))
            self.folders.discard(name)
        id = f"20261121-074416-{next(self._numbers):08x}"
        return self.run_store.queue.submit(
            Order(1, id, "api", "curl", by, plan, name, tally=tally, files=stored, base=base)
        )

    def end(self, run: Run) -> Run:
        """The run when it has ended."""
        assert self.run_store.waits.wait(run.key, lambda status: status.ended, NEVER).ended
        found = self.run_store.reader.by_key(run.key)
        assert found is not None
        return found

    def run(self, plan: Plan | None, files: Mapping[str, str] | None = None) -> Run:
        """A run that a runner took from order to end."""
        with self.working():
            return self.end(self.order(plan, files))

    def running(self, run: Run, step: str) -> None:
        """Wait until a step runs."""
        after = 0
        while all(row.name != step or row.started_on is None for row in self.run_store.reader.steps(run.key)):
            lines = self.run_store.waits.follow(run.key, after, 0.02).lines
            after = lines[-1].seq if lines else after

    def cancel(self, run: Run) -> Status:
        return self.run_store.states.event(run.key, Event.CANCEL)

    def log(self, run: Run) -> list[str]:
        return [line.message for line in self.run_store.reader.lines(run.key)]

    def steps(self, run: Run) -> dict[str, str]:
        return {row.name: str(row.status) for row in self.run_store.reader.steps(run.key)}

    def output(self, run: Run) -> bytes | None:
        return self.blobs.open(run.output).read() if run.output else None

    def leftovers(self) -> list[str]:
        """What is left on the disk but the runner's own files."""
        return [path.name for path in self.folders.root.iterdir() if not path.name.startswith(".")]

    def run_beside(self, plan: Plan) -> Run:
        """A run taken from order to end by the runner that works already, and cleared up after."""
        run = self.end(self.order(plan))
        while f"run-{run.key}" in self.leftovers():
            time.sleep(0.01)
        return run

    def emptied(self) -> None:
        """Wait until nothing is left on the disk."""
        until = time.monotonic() + NEVER
        while left := self.leftovers():
            assert time.monotonic() < until, left
            time.sleep(0.01)

    def limit(self, **limits: Any) -> None:
        """Change what a step may use."""
        policy = replace(self.settings.policy, limits=replace(self.settings.policy.limits, **limits))
        self.settings = replace(self.settings, policy=policy)


RunnerSetupOf = Callable[..., RunnerSetup]
"""Makes a runner setup of scripts by name, below the folder of a test."""
