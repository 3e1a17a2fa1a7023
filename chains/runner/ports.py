"""Ports and Staff: the book, engine and folders that runs are worked on with, and the helpers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass

from chains.engine.port import Engine
from chains.files.run_folders import Folders
from chains.runner.cleanup import Cleaner
from chains.runner.fair_slots import FairSlots, RunSlots
from chains.runner.journal import Flusher
from chains.runs.ports import Runs
from chains.runs.records import Run
from chains.runs.rights import Rights
from chains.spaces.holds import HoldFiles
from chains.spaces.mounts import Mounting
from vfs.ports.blobs import Blobs
from vfs.ports.clock import Clock


@dataclass(frozen=True, slots=True)
class Ports:
    """The ports of runs, the engine, the places of files, the clock.

    `secrets(run)` gives the values of the job's config/env, `credential(run)` a new run credential or None;
    it is revoked with the run. `remarks(run)` are lines for its log about how it came to be, `room(run)` the
    bytes that its result may have.
    """

    runs: Runs
    engine: Engine
    folders: Folders
    blobs: Blobs
    clock: Clock
    secrets: Callable[[Run], Mapping[str, str]]
    credential: Callable[[Run], str | None]
    hold_files: HoldFiles
    mounting: Mounting
    rights: Rights
    remarks: Callable[[Run], Iterable[str]] = lambda run: ()
    room: Callable[[Run], int] = lambda run: 1 << 62


@dataclass(frozen=True, slots=True)
class Staff:
    """Helpers of a process: `steps` runs steps to their end, `ahead` prepares containers meanwhile."""

    flusher: Flusher
    cleaner: Cleaner
    steps: FairSlots
    ahead: Executor

    def of(self, run: Run) -> RunStaff:
        """The helpers as one run has them: its steps have the turns of the account that triggered it."""
        return RunStaff(self.cleaner, self.steps.of(run.by, run.key), self.ahead)


@dataclass(frozen=True, slots=True)
class RunStaff:
    """Helpers of one run."""

    cleaner: Cleaner
    steps: RunSlots
    ahead: Executor
