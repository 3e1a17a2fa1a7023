"""An engine whose steps end by a script, and a runner that dies between any two calls of its ports."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from typing import Any

from chains.engine.port import Cause, EngineError, Exit, Handle, StepSpec
from chains.runner.ports import Ports
from tests.kit.fake_engine import SIGTERM_CODE, FakeEngine
from tests.kit.world import each_port

SECONDS = 120.0
HEARD_SECONDS = 2.0
STOPPED = {"STOPPED": "yes"}
AWAITED = ("prepare", "refusal", "start", "wait")
BLOCKING = ("wait", "await_work")

Key = tuple[str, str, int | None]


class Stage(FakeEngine):
    """The scripted engine; a step plays on until `tell` says how it goes on, or until it is stopped.

    Steps of runs that are `stubborn` do not react to a stop: they too end by a script.
    """

    def __init__(self) -> None:
        super().__init__()
        self.stubborn: set[str] = set()
        self._changed = threading.Condition()
        self._scripts: dict[Key, Mapping[str, str]] = {}
        self._reading: dict[Key, dict[str, str]] = {}
        self._stops: set[Key] = set()

    def tell(self, key: Key, script: Mapping[str, str]) -> None:
        """Let a step end by this script; as one that was stopped when that was asked for."""
        with self._changed:
            if "STOPPED" in script:
                self._changed.wait_for(lambda: key in self._stops, HEARD_SECONDS)
            self._scripts[key] = script
            self._changed.notify_all()

    def reading(self, key: Key) -> dict[str, str]:
        """What a running step found in /input."""
        with self._changed:
            assert self._changed.wait_for(lambda: key in self._reading, SECONDS), f"{key} never started"
            return self._reading[key]

    def runs(self) -> set[str]:
        """The runs that have containers."""
        with self._lock:
            return {container.spec.run for container in self._containers.values()}

    def forget(self) -> None:
        """Forget all scripts and inputs."""
        with self._changed:
            self._scripts.clear()
            self._reading.clear()
            self._stops.clear()
            self.stubborn.clear()

    def stop(self, handle: Handle, grace: float) -> None:
        """As Engine.stop."""
        if handle.spec.run not in self.stubborn:
            super().stop(handle, grace)
        self._stops.add((handle.spec.run, handle.spec.step, handle.spec.replica))
        self._notify()

    def remove(self, handle: Handle) -> None:
        """As Engine.remove."""
        super().remove(handle)
        self._notify()

    def sweep(self, keep: Callable[[str], bool]) -> list[str]:
        """As Engine.sweep."""
        swept = super().sweep(keep)
        self._notify()
        return swept

    def _notify(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _act(self, container: Any, script: Mapping[str, str]) -> Exit:
        spec = container.spec
        key = spec.run, spec.step, spec.replica
        found = {}
        with suppress(FileNotFoundError):  # when the run was taken away at this moment
            found = read(spec)
        with self._changed:
            self._reading[key] = found
            self._changed.notify_all()
            self._changed.wait_for(
                lambda: key in self._scripts or container.stopping.is_set() or container.killed.is_set()
            )
            own = self._scripts.pop(key, STOPPED)
        if "STOPPED" in own:
            return Exit(SIGTERM_CODE, Cause.STOPPED)
        return super()._act(container, {**script, **own})


def read(spec: StepSpec) -> dict[str, str]:
    """What a step finds in /input, by path."""
    return {
        str(
            path.relative_to(mount.source.parent if mount.target != "/input" else mount.source)
        ): path.read_text()
        for mount in spec.mounts
        if mount.target.startswith("/input")
        for path in mount.source.rglob("*")
        if path.is_file()
    }


class Life:
    """A runner's life: it ends at once, or at the n-th moment from now."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._left: int | None = None
        self._calls = 0
        self._none = threading.Condition(self._lock)
        self.over = threading.Event()

    def end(self) -> None:
        """End it; nothing of it goes on afterwards."""
        self.over.set()
        with self._none:
            assert self._none.wait_for(lambda: self._calls == 0, SECONDS)

    @contextmanager
    def calls(self) -> Iterator[None]:
        """A call that is made in this life, which cannot end within it."""
        with self._none:
            if self.over.is_set():
                raise SystemExit("the runner was killed")
            self._calls += 1
        try:
            yield
        finally:
            with self._none:
                self._calls -= 1
                self._none.notify_all()

    def end_at(self, moment: int) -> None:
        with self._lock:
            self._left = moment

    def go_on(self) -> None:
        """End the calling thread when it is over."""
        with self._lock:
            if self._left is not None:
                self._left -= 1
                if self._left <= 0:
                    self.over.set()
        if self.over.is_set():
            raise SystemExit("the runner was killed")


class Mortal:
    """A port that ends the thread which calls it once the life of its runner is over."""

    def __init__(self, port: Any, life: Life) -> None:
        self._port = port
        self._life = life

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._port, name)
        return mortal(found, self._life, name) if callable(found) else found


def mortal(act: Callable[..., Any], life: Life, name: str = "") -> Callable[..., Any]:
    """The call, between two moments of a life. A thread that others wait for cannot just end: it hears an
    error.
    """

    def call(*given: Any, **named: Any) -> Any:
        try:
            life.go_on()
            with nullcontext() if name in BLOCKING else life.calls():
                answer = act(*given, **named)
            life.go_on()
            return answer
        except SystemExit:
            if name in AWAITED:
                raise EngineError("The runner was killed.") from None
            raise

    return call


@contextmanager
def quiet_deaths() -> Iterator[None]:
    """Threads of a killed runner end without a word meanwhile; no other may break."""
    before = threading.excepthook
    broken: list[str] = []

    def hear(given: Any) -> None:
        if given.exc_type is not SystemExit:
            broken.append(f"{given.thread}: {given.exc_value!r}")
            before(given)

    threading.excepthook = hear
    try:
        yield
        assert not broken, broken
    finally:
        threading.excepthook = before


def mortals(ports: Ports, life: Life) -> Ports:
    """The ports as a runner of that life has them."""
    return replace(
        ports,
        **{
            name: Mortal(getattr(ports, name), life)
            for name in ("engine", "folders", "hold_files", "mounting", "rights")
        },
        runs=each_port(ports.runs, lambda port: Mortal(port, life)),
        credential=mortal(ports.credential, life),
    )
