"""Settings of a runner, the policy of its steps, and its ports: run store, engine and folders."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol, TypeVar

from chains.builds.image_sweep import ImageStandIns
from chains.engine.port import Engine, Limits, Network
from chains.files.run_folders import Folders
from chains.plan.model import StepConfig
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


@dataclass(frozen=True, slots=True)
class StepPolicy:
    """Limits and network of a step, seconds between SIGTERM and SIGKILL, and bytes of a run's log.

    `api_root` is the address of the API inside a container (decisions 24b). `most`: the largest memory, cpus
    and seconds that the configuration of a step may set (None: those of `limits`).
    """

    limits: Limits = field(default_factory=Limits)
    network: Network = Network.OUTBOUND
    stop_grace: float = 5.0
    log: int = 10 << 20
    api_root: str | None = None
    most: Limits | None = None

    def limits_of(self, config: StepConfig) -> Limits:
        """Return the limits of a step. What its configuration may not set any more is reduced."""
        limits, most = self.limits, self.most or self.limits
        return replace(
            limits,
            memory=min(config.memory, most.memory) if config.memory is not None else limits.memory,
            cpus=min(config.cpus, most.cpus) if config.cpus is not None else limits.cpus,
            seconds=min(config.timeout, most.seconds) if config.timeout is not None else limits.seconds,
        )

    def reach(self, env: Mapping[str, str]) -> Network:
        """Return the network of a step with the variables `env`: at least API if it has a credential."""
        credential = self.api_root and env.get("SVC_API_ROOT") == self.api_root and "SVC_TOKEN" in env
        return Network.API if credential and self.network is Network.NONE else self.network


@dataclass(frozen=True, slots=True)
class RunnerSettings:
    """Maximum numbers of concurrent runs, steps and builds; lease and heartbeat interval in seconds.

    `spare`: slots for steps of accounts that have none running. `accounts`: beyond `slots`, one more run each
    of at most this many accounts is worked on, so that its steps get their turns. `drain`: seconds that runs
    may take to end after the runner is stopped; then they are stopped and end as interrupted. `recheck`:
    seconds between checks of the run store without a signal. `live`: largest delay of log lines in seconds.
    `fences`: other runners may end the runs of a runner that cannot renew its lease.
    """

    slots: int = max(4, 2 * (os.cpu_count() or 1))
    spare: int = 1
    accounts: int = 64
    builds: int = 1
    lease: float = 10.0
    heartbeat: float = 3.0
    drain: float = 10.0
    recheck: float = 5.0
    patience: float = 5.0
    sweep: float = 3600.0
    live: float = 0.05
    fences: bool = False
    policy: StepPolicy = field(default_factory=StepPolicy)


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
