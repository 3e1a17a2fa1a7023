"""Processes whose coverage is not measured: they are quicker, and who is killed says nothing of it anyway."""

from __future__ import annotations

import multiprocessing
import os
import shlex
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from pathlib import Path

import coverage

ROOT = Path(__file__).resolve().parents[2]
LAST = 12_000
MOST_LINES = 1_000
ACCESS = '{"time"'

# One server forks them all, and has imported what any of them needs: the last list that it was given counts.
processes = multiprocessing.get_context("forkserver")
processes.set_forkserver_preload(
    [
        "tests.kit.crashing",
        "tests.kit.hosts.forked",
        "tests.durability.kills.deaths",
        "tests.durability.kills.mail_deaths",
        "tests.storage.signals.test_change_signal",
        "tests.storage.runs.test_run_races",
    ]
)


def environment() -> Mapping[str, str]:
    """The environment without what makes a Python measure itself."""
    return {name: word for name, word in os.environ.items() if not name.startswith("COV")}


def start(process: BaseProcess) -> None:
    """Start one of `processes`, and their server when it is the first."""
    with _unmeasured():
        process.start()


class Beside:
    """A program of the suite that works while tests go on."""

    def __init__(self, *words: object) -> None:
        self._command = [sys.executable, "-m", *map(str, words)]
        self._said = tempfile.TemporaryFile()  # noqa: SIM115
        self._process = subprocess.Popen(
            self._command, cwd=ROOT, env=environment(), stdout=subprocess.DEVNULL, stderr=self._said
        )

    def result(self) -> str:
        """The last line that it wrote to its standard error; its last words if it failed."""
        self._process.wait()
        self._said.seek(0)
        lines = (line.decode(errors="replace").rstrip("\n") for line in self._said)
        said = "\n".join(deque((line for line in lines if not line.startswith(ACCESS)), MOST_LINES))
        assert self._process.returncode == 0, f"{said[-LAST:]}\nagain: {shlex.join(self._command)}"
        return said.rpartition("\n")[2]

    def end(self) -> None:
        """Kill it, if it has not ended."""
        self._process.kill()
        self._process.wait()
        self._said.close()


@contextmanager
def paused_coverage() -> Iterator[None]:
    """Leave this process unmeasured meanwhile, the threads and programs that it begins included."""
    if (measuring := coverage.Coverage.current()) is None:
        yield
        return
    measuring.stop()
    try:
        with _unmeasured():
            yield
    finally:
        measuring.start()


@contextmanager
def _unmeasured() -> Iterator[None]:
    kept = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith("COV")}
    try:
        yield
    finally:
        os.environ.update(kept)
