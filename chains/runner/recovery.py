"""Clean up after runners that are gone: their containers, runs, builds and folders."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from chains.builds.run_store import Builds
from chains.engine.port import EngineError
from chains.runner.ports import Ports
from chains.runs.records import ERROR
from chains.runs.states import Event, Status
from vfs.errors import Conflict, NotFound, VfsError
from vfs.ports.clock import stamp

LOST = (
    "The run was interrupted and cannot be continued: the runner that worked on it is gone. That is no fault "
    "of the job: trigger it again with the same input."
)
GIVEN_UP = "The run is canceled; the runner that tore it down is gone."
PAUSE_SECONDS = 0.5

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Recovery:
    """Recovery by the runner `worker`. Statuses wait at most `patience` seconds for an unavailable engine."""

    ports: Ports
    builds: Builds
    worker: str
    patience: float = 5.0

    def before_work(self, stop: threading.Event) -> None:
        """Clean up containers, runs and folders of earlier runners in this data folder. Retry until `stop`.

        Containers come first, so that nothing of a run is alive when its status says it has ended. But
        statuses wait at most `patience` seconds for an unavailable engine.
        """
        patience = time.monotonic() + self.patience
        while not stop.is_set() and not attempt(self._sweep_containers):
            if time.monotonic() > patience:
                attempt(self.settle)
            stop.wait(PAUSE_SECONDS)
        while not stop.is_set() and not (attempt(self.settle) and attempt(self.sweep_folders)):
            stop.wait(PAUSE_SECONDS)

    def settle(self) -> None:
        """End the runs and builds whose runner is gone (decisions 25). They are never started again."""
        for run in self.ports.runs.leases.lost_runs():
            if run.worker == self.worker:
                continue
            said = GIVEN_UP if run.status is Status.CANCELING else LOST
            line = (stamp(self.ports.clock.now()), ERROR, said)
            try:
                status = self.ports.runs.states.event(run.key, Event.LOSE, lines=[line])
            except (Conflict, NotFound):
                continue
            _log.warning("run %d was lost with the runner %s and is now %s", run.key, run.worker, status)
            self.ports.folders.clear(run.key, run.input)
        self.builds.sweep(self._is_alive)

    def _sweep_containers(self) -> None:
        for run in self.ports.engine.sweep(self._is_anothers):
            _log.warning("removed what was left of the containers of run %s", run)

    def sweep_folders(self) -> None:
        """Remove the folders of ended runs, their inputs, and inputs that were never submitted."""
        for name in self.ports.folders.sweep(self._list_needed, self.ports.runs.retention.spent_inputs):
            _log.warning("removed the folder %s, which nobody needs any more", name)

    def _list_needed(self) -> tuple[set[int], set[str | None]]:
        runs = self.ports.runs.retention.open_runs()
        return {run.key for run in runs}, {run.input for run in runs}

    def _is_anothers(self, run: str) -> bool:
        """Return whether a living runner with another data folder works on the run."""
        found = self.ports.runs.reader.by_key(int(run)) if run.isdigit() else None
        return (
            found is not None and found.worker is not None and self.ports.runs.leases.is_alive(found.worker)
        )

    def _is_alive(self, worker: str) -> bool:
        return worker == self.worker or self.ports.runs.leases.is_alive(worker)


def attempt(act: Callable[[], object]) -> bool:
    """Call `act`. Log any error and return False instead of raising, so that the runner continues."""
    try:
        act()
    except VfsError as error:
        _log.warning("the runner waits: %s", error.detail)
        return False
    except EngineError as error:
        _log.warning("the runner waits for its engine: %s", error)
        return False
    except Exception:
        _log.exception("the runner had an internal error and goes on")
        return False
    return True
