"""The ports of the runner: run store, engine and folders; EngineCare and the helpers (Staff)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeVar

from chains.builds.image_sweep import ImageStandIns
from chains.engine.port import Engine
from chains.files.run_folders import Folders
from chains.runner.cleanup import Alarm, Cleaner
from chains.runner.fair_slots import FairSlots, RunSlots
from chains.runner.journal import Flusher
from chains.runs.ports import Rank, Runs
from chains.runs.records import Run
from chains.runs.rights import Rights
from chains.sharing.run_files import RunFiles
from chains.spaces.space import HoldFiles, Mounting
from vfs.ports.blobs import Blobs
from vfs.ports.clock import Clock

C = TypeVar("C", covariant=True)


class WorkQueue(Protocol[C]):
    """A store that hands out work."""

    def take(self, worker: str, rank: Rank) -> C | None:
        """Return the next item, chosen by the rank of its account. No other worker gets it."""


class ResultPlaces(Protocol):
    """Writes the outputs of successful runs to the paths that their jobs name."""

    def write(self, run: Run, files: Mapping[str, Path], note: Callable[[Sequence[str]], None]) -> None:
        """Write some of `files` (keys: names in the result), in one transaction: all of these or none.

        `note` adds lines about it to the run's log, in the same transaction. Nothing is written for a run
        that is being canceled. Raises VfsError with the reason when nothing was written.
        """

    def notify(self, run: Run) -> None:
        """Notify the subscribers that results of a run could not be written."""


class NoResultPlaces:
    """A ResultPlaces that writes nothing."""

    def write(self, run: Run, files: Mapping[str, Path], note: Callable[[Sequence[str]], None]) -> None:
        """Write nothing."""

    def notify(self, run: Run) -> None:
        """Notify nobody."""


@dataclass(frozen=True, slots=True)
class Ports:
    """The ports of runs, the engine, the file stores and the clock.

    `secrets(run)` returns the values of the job's config/env; `credential(run)` a new run credential or None,
    revoked with the run; `remarks(run)` lines for its log about its origin; `room(run)` the most bytes of its
    result. `lost`: images to build again before a run begins. `run_files`: the shared files of runs, if there
    are several hosts. `outputs`: stores what steps of runs left that do not succeed, at most `kept_room(run)`
    bytes.
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
    outputs: RunFiles | None = None
    kept_room: Callable[[Run], int] = lambda run: 1 << 62
    places: ResultPlaces = field(default_factory=NoResultPlaces)
    lost: ImageStandIns | None = None


@dataclass(frozen=True, slots=True)
class EngineCare:
    """The runner's functions to monitor and repair an engine.

    `repair()` repairs the engine if possible, else returns what is wrong; no run is taken meanwhile.
    `repair_builder()` does the same for an image builder that is not part of the engine; then builds wait
    only for it. `capacity()` returns how many steps an engine of several hosts can run now (None: use the
    settings).
    """

    repair: Callable[[], str | None] = lambda: None
    repair_builder: Callable[[], str | None] | None = None
    capacity: Callable[[], int] | None = None


@dataclass(frozen=True, slots=True)
class Staff:
    """Helpers of a process: `steps` runs steps to their end, `ahead` prepares containers meanwhile.

    `alarm`: wakes runs whose steps wait for another attempt.
    """

    flusher: Flusher
    cleaner: Cleaner
    steps: FairSlots
    ahead: Executor
    alarm: Alarm

    def of(self, run: Run) -> RunStaff:
        """Return the helpers for one run. Its steps get the turns of the account that triggered it."""
        return RunStaff(self.cleaner, self.steps.of(run.by, run.key), self.ahead, self.alarm)


@dataclass(frozen=True, slots=True)
class RunStaff:
    """The helpers of one run."""

    cleaner: Cleaner
    steps: RunSlots
    ahead: Executor
    alarm: Alarm
