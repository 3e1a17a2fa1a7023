"""Steps played on a real engine: to their end, or in a thread while a test looks on."""

from __future__ import annotations

import threading

from chains.engine.port import Exit, Line, StepSpec
from chains.podman.engine import PodmanEngine
from tests.kit.podman import Bench, texts


def play(bench: Bench, spec: StepSpec) -> tuple[Exit, list[Line]]:
    """Run a step to its end and remove its container."""
    lines: list[Line] = []
    handle = bench.engine.prepare(spec)
    try:
        bench.engine.start(handle)
        return bench.engine.wait(handle, lines.append), lines
    finally:
        bench.engine.remove(handle)


class Running:
    """A step that runs in a thread, with its lines as they come."""

    def __init__(self, bench: Bench, spec: StepSpec) -> None:
        self.lines: list[Line] = []
        self.exit: Exit | None = None
        self._said = threading.Condition()
        self.handle = bench.engine.prepare(spec)
        bench.engine.start(self.handle)
        self._thread = threading.Thread(target=self._wait, args=(bench.engine,))
        self._thread.start()

    def _wait(self, engine: PodmanEngine) -> None:
        self.exit = engine.wait(self.handle, self._tell)

    def _tell(self, line: Line) -> None:
        with self._said:
            self.lines.append(line)
            self._said.notify_all()

    def says(self, text: str) -> None:
        """Return once the step has written the line `text`."""
        with self._said:
            assert self._said.wait_for(lambda: text in texts(self.lines), timeout=120), texts(self.lines)

    def ends(self) -> Exit:
        """How it ended."""
        self._thread.join(timeout=120)
        assert self.exit is not None
        return self.exit
