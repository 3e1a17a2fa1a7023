"""Ports, EngineCare and Staff: the book, engine and folders that runs are worked on with, and the helpers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeVar

from chains.builds.image_sweep import ImageStandIns
from chains.engine.port import Engine
from chains.files.run_folders import Folders
from chains.runner.cleanup import Cleaner
from chains.runner.fair_slots import FairSlots, RunSlots
from chains.runner.journal import Flusher
from chains.runs.ports import Rank, Runs
from chains.runs.records import Run
from chains.runs.rights import Rights
from chains.sharing.run_files import RunFiles
from chains.spaces.ports import HoldFiles, Mounting
from vfs.ports.blobs import Blobs
from vfs.ports.clock import Clock

C = TypeVar("C", covariant=True)


class WorkQueue(Protocol[C]):
    """A book that hands out work."""

    def take(self, worker: str, rank: Rank) -> C | None:
        """The next to work on by the rank of its account, which is nobody else's then."""
        ...


class ResultPlaces(Protocol):
    """Writes outputs of runs that succeed where their jobs say."""

    def write(self, run: Run, files: Mapping[str, Path], note: Callable[[Sequence[str]], None]) -> None:
        """Write some of the files, which are given by their names in the result: all of these or none.

        `note` takes the lines for the run's log that tell of it, in the same transaction. Of a run that is
        being canceled nothing is written. Raises VfsError that says why nothing was written.
        """
        ...

    def tell(self, run: Run) -> None:
        """Tell those who want to know that results of a run could not be written."""
        ...


class NoResultPlaces:
    """Nothing is written anywhere (ResultPlaces)."""

    def write(self, run: Run, files: Mapping[str, Path], note: Callable[[Sequence[str]], None]) -> None:
        """Write nothing."""

    def tell(self, run: Run) -> None:
        """Tell nobody."""


@dataclass(frozen=True, slots=True)
class Ports:
    """The ports of runs, the engine, the places of files, the clock.

    `secrets(run)` gives the values of the job's config/env, `credential(run)` a new run credential or None;
    it is revoked with the run. `remarks(run)` are lines for its log about how it came to be, `room(run)` the
    bytes that its result may have. `lost`: the images that are to be built again before a run begins.
    `run_files`: where runners on several hosts share the files of runs.
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
    run_files: RunFiles | None = None
    places: ResultPlaces = field(default_factory=NoResultPlaces)
    lost: ImageStandIns | None = None


@dataclass(frozen=True, slots=True)
class EngineCare:
    """Care of an engine, by its runner.

    `repair()` puts it right where it can, and tells what is wrong with it otherwise: no run is taken
    meanwhile. `repair_builder()` does so for what makes images, where that is no part of the engine; builds
    then wait for it alone. `capacity()` tells how many steps an engine of several hosts runs at once just
    now (None: as many as the settings say).
    """

    repair: Callable[[], str | None] = lambda: None
    repair_builder: Callable[[], str | None] | None = None
    capacity: Callable[[], int] | None = None


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
