"""Processes whose coverage is not measured: they are quicker, and who is killed says nothing of it anyway."""

from __future__ import annotations

import multiprocessing
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LAST = 12_000
ACCESS = '{"time"'

# One server forks them all, and has imported what any of them needs: the last list that it was given counts.
processes = multiprocessing.get_context("forkserver")
processes.set_forkserver_preload(
    [
        "tests.kit.crashing",
        "tests.durability.kills.deaths",
        "tests.storage.signals.test_bell",
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


def told(*words: object) -> str:
    """The last line that a program of the suite wrote to its standard error; its last words if it failed."""
    command = [sys.executable, "-m", *map(str, words)]
    done = subprocess.run(
        command, cwd=ROOT, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        check=False,
    )  # fmt: skip
    said = "\n".join(line for line in done.stderr.splitlines() if not line.startswith(ACCESS))
    assert done.returncode == 0, f"{said[-LAST:]}\nagain: {shlex.join(command)}"
    return said.rpartition("\n")[2]


@contextmanager
def _unmeasured() -> Iterator[None]:
    kept = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith("COV")}
    try:
        yield
    finally:
        os.environ.update(kept)
