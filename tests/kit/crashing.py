"""A runner in a process of its own over a database, which can be made to die before or after any write to its
book."""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn, Protocol

from chains.builds.run_store import Build
from chains.engine.port import Engine, Network
from chains.files.run_folders import Folders
from chains.plan.model import Plan
from chains.runner.ports import Ports, RunnerSettings, StepPolicy
from chains.runner.runner import Runner
from chains.runs.ports import Runs
from chains.runs.records import Order, Run
from storage.bytes.blobs import FileBlobs
from storage.database.database import Database
from storage.runs.builds import StoredBuilds
from storage.runs.runs import stored_runs
from storage.signals.change_signal import ChangeSignal
from storage.signals.change_signals import change_signal_of
from storage.tree.shortnames import Shortnames
from tests.kit.clocks import WallClock
from tests.kit.fake_engine import FakeEngine
from tests.kit.runner import NoSpaces, Shares

WRITES = ("enlist", "take", "record", "event", "retire")
SCRIPTS = {
    "image-a": {"SLEEP": "0.02", "COPY": "a", "ECHO": "a speaks"},
    "image-b": {"SLEEP": "0.02", "COPY": "b", "ECHO": "b speaks"},
}
NEVER = 120.0


class NoHoldFiles:
    """Nothing is kept: the chains here have no holds."""

    def keep(self, *_: object) -> NoReturn:
        raise AssertionError("nothing waits")

    def fetch(self, *_: object) -> NoReturn:
        raise AssertionError("nothing waited")


class Mortal:
    """A port that passes a moment before and after each write."""

    def __init__(self, port: object, pass_moment: Callable[[], None]) -> None:
        self._port = port
        self._pass = pass_moment

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._port, name)
        return self._watched(method) if name in WRITES else method

    def _watched(self, method: Callable[..., object]) -> Callable[..., object]:
        def call(*given: object, **named: object) -> object:
            self._pass()
            answer = method(*given, **named)
            self._pass()
            return answer

        return call


def mortal(runs: Runs, death: int | None) -> Runs:
    """Ports of runs that kill their process at the `death`-th moment: before a write or after one."""
    moments, lock = itertools.count(1), threading.Lock()

    def pass_moment() -> None:
        with lock:
            if next(moments) == death:
                os.kill(os.getpid(), signal.SIGKILL)

    queue, states, leases = (Mortal(port, pass_moment) for port in (runs.queue, runs.states, runs.leases))
    return replace(runs, queue=queue, states=states, leases=leases)


class EngineAt(Protocol):
    """Where an engine is, in a form that goes from process to process."""

    def opened(self) -> Engine: ...


@dataclass(frozen=True)
class ScriptedAt:
    """Steps are scripted; the folder shows which are prepared."""

    folder: Path

    def opened(self) -> Engine:
        return FakeEngine(dict(SCRIPTS), self.folder)


@dataclass(frozen=True)
class Site:
    """A data folder with its database, as each process opens it for itself."""

    url: str
    folder: Path
    engine: EngineAt | None = None

    @contextlib.contextmanager
    def opened(self) -> Iterator[Opened]:
        database = Database(self.url, synchronous="off")
        change_signal = change_signal_of(database, self.url, self.folder / "signals")
        try:
            yield Opened(self, database, change_signal)
        finally:
            change_signal.close()
            database.close()


class Opened:
    """A site in use by one process."""

    def __init__(self, site: Site, database: Database, change_signal: ChangeSignal) -> None:
        self.site = site
        self.database = database
        self.folders = Folders(site.folder / "runs")
        self.clock = WallClock()
        self.blobs = FileBlobs(f"osfs://{site.folder}/blobs", self.clock)
        self.run_store = stored_runs(
            database, change_signal, self.clock, Shortnames(database).fresh, self.revoke
        )
        self.builds = StoredBuilds(database, change_signal, self.clock)

    def revoke(self, run: int) -> None:
        self.database.run("UPDATE token SET revoked_on = 'now' WHERE run = ?", run)

    def credential(self, run: Run) -> str:
        self.database.run(
            "INSERT INTO token (account, name, digest, description, via, run, created_on)"
            " VALUES ('alice', ?, ?, '', 'run', ?, '')",
            f"run-{run.key}", f"digest-{run.key}", run.key,
        )  # fmt: skip
        return f"token-{run.key}"

    def live_tokens(self) -> int:
        return len(self.database.rows("SELECT id FROM token WHERE revoked_on IS NULL"))

    def order(self, plan: Plan, number: int = 1) -> Run:
        name = self.folders.new()
        (self.folders.path(name) / "birds.txt").write_text("curlew\n")
        order = Order(1, f"20261121-074416-{number:08x}", "api", "curl", "bob", plan, name)
        return self.run_store.queue.submit(order)

    def make(self, build: Build) -> None:
        self.builds.line(build.id, "building")
        threading.Event().wait(0.01)
        self.builds.finish(build.id, "image")

    def runner(self, death: int | None = None) -> Runner:
        ports = Ports(
            runs=mortal(self.run_store, death),
            engine=(self.site.engine or ScriptedAt(self.site.folder / "containers")).opened(),
            folders=self.folders,
            blobs=self.blobs,
            clock=self.clock,
            secrets=lambda run: {},
            credential=self.credential,
            hold_files=NoHoldFiles(),
            mounting=NoSpaces(),
            rights=Shares(),
        )
        settings = RunnerSettings(
            slots=2, drain=60.0, live=0.005, policy=StepPolicy(network=Network.NONE, stop_grace=0.2)
        )
        return Runner(ports, self.builds, self.make, settings)


def work(site: Site, death: int | None) -> None:
    """What a runner's process does: work until it dies, or until nothing is left to be done."""
    with site.opened() as opened:
        stop, ready = threading.Event(), threading.Event()
        loop = threading.Thread(target=opened.runner(death).loop, args=(stop, ready.set))
        loop.start()
        ready.wait(NEVER)
        for run in opened.run_store.retention.open_runs():
            opened.run_store.waits.wait(run.key, lambda status: status.ended, NEVER)
        stop.set()
        loop.join(NEVER)
