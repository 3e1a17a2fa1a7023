"""Processes that die at any moment of their writes: a runner, and a web worker that was sent one request."""

from __future__ import annotations

import itertools
import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from chains.runner.ports import RunnerSettings, StepPolicy
from chains.runner.runner import Runner
from handlers.processes.runner import ports_of
from handlers.processes.web import application
from handlers.processes.world import LiveWorld, build
from handlers.settings.settings import Settings
from handlers.settings.sources import load
from tests.kit.client import call
from tests.kit.fake_engine import FakeEngine
from tests.kit.unmeasured import processes, start
from tests.kit.world import each_port

NEVER = 120.0
PORTS = {"": ("items", "leaves"), "code": ("spaces",), "people": ("tokens",)}
QUICK = {"password_memory": "8", "password_time": "1", "synchronous": "normal", "registrations": "1000"}


@dataclass(frozen=True)
class Site:
    """The place of a service; `scripts` are what the steps of each image do."""

    folder: Path
    url: str | None
    scripts: Mapping[str, Mapping[str, str]]

    def settings(self) -> Settings:
        return load({}, data=str(self.folder), database_url=self.url or "", **QUICK)

    def engine(self) -> FakeEngine:
        return FakeEngine({name: dict(script) for name, script in self.scripts.items()}, self.containers)

    @property
    def containers(self) -> Path:
        """A file for each container that there is."""
        return self.folder / "containers"


class Moments:
    """Kills the process at its `death`-th moment."""

    def __init__(self, death: int | None) -> None:
        self._death = death
        self._moments = itertools.count(1)
        self._lock = threading.Lock()

    def pass_one(self) -> None:
        with self._lock:
            if next(self._moments) == self._death:
                os.kill(os.getpid(), signal.SIGKILL)

    def around(self, act: Callable[..., Any]) -> Callable[..., Any]:
        """The call, between two moments."""

        def call(*given: Any, **named: Any) -> Any:
            self.pass_one()
            answer = act(*given, **named)
            self.pass_one()
            return answer

        return call

    @contextmanager
    def transaction(self, live_world: LiveWorld) -> Iterator[None]:
        """A transaction: a moment before its commit, and one after it."""
        with live_world.database.atomic():
            yield
            self.pass_one()
        self.pass_one()


class Mortal:
    """A port whose every call is between two moments."""

    def __init__(self, port: Any, moments: Moments) -> None:
        self._port = port
        self._moments = moments

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._port, name)
        return self._moments.around(found) if callable(found) else found


def mortal(live_world: LiveWorld, death: int | None) -> LiveWorld:
    """The house in a process that dies at a moment of its work."""
    moments = Moments(death)
    groups: dict[str, Any] = {
        group: replace(whole, **{name: Mortal(getattr(whole, name), moments) for name in PORTS[group]})
        for group, whole in (("code", live_world.world.code), ("people", live_world.world.people))
    }
    runs = each_port(live_world.world.code.runs, lambda port: Mortal(port, moments))
    groups["code"] = replace(groups["code"], runs=runs)
    own = {name: Mortal(getattr(live_world.world, name), moments) for name in PORTS[""]}
    world = replace(live_world.world, **own, **groups, atomic=lambda: moments.transaction(live_world))
    return replace(live_world, world=world)


def work(site: Site, death: int | None, ready: Any, stop: Any) -> None:
    """Be the runner: until it is killed or stopped."""
    live_world = build(site.settings())
    here = mortal(live_world, death) if death is not None else live_world
    over = threading.Event()
    policy = StepPolicy(stop_grace=0.2)
    runner = Runner(
        ports_of(here, site.engine()),
        here.world.code.builds,
        lambda build: None,
        RunnerSettings(slots=8, drain=30.0, live=0.005, policy=policy),
    )
    loop = threading.Thread(target=runner.loop, args=(over, ready.set))
    loop.start()
    stop.wait()
    over.set()
    loop.join(NEVER)
    live_world.close()


def ask(site: Site, death: int | None, token: str, path: str, body: str, said: Any) -> None:
    """Be a web worker that is sent one request, and says what it answered."""
    live_world = build(site.settings())
    app = application(site.settings(), mortal(live_world, death))
    headers = [("Authorization", f"Bearer {token}"), ("Content-Type", "text/plain")]
    said.put(call(app, "POST", path, headers, body.encode()).status)
    live_world.close()


class Living:
    """A runner in a separate process."""

    def __init__(self, site: Site, death: int | None = None) -> None:
        ready, self._stop = processes.Event(), processes.Event()
        self._process = started(work, site, death, ready, self._stop)
        self.ready = ready.wait

    def kill(self) -> None:
        """kill -9, wherever it stands."""
        self._process.kill()
        self._process.join(NEVER)

    def died(self, seconds: float) -> bool:
        """Whether it died within this time."""
        self._process.join(seconds)
        return not self._process.is_alive()

    def end(self) -> None:
        """In order."""
        self._stop.set()
        self._process.join(NEVER)
        assert self._process.exitcode == 0, self._process.exitcode


def started(act: Callable[..., None], *given: Any) -> BaseProcess:
    """A process that does this."""
    process = processes.Process(target=act, args=given)
    start(process)
    return process
