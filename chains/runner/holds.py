"""Turn a run to a hold once, even if the answer is lost, and keep the folders of runs that wait."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from chains.files.run_folders import Folders
from chains.plan.model import Hold
from chains.runner.cleanup import Cleaner
from chains.runner.journal import Journal
from chains.runs.ports import RunReader, RunRetention
from chains.runs.records import Entry, Move, Run
from chains.runs.states import Status


@dataclass(slots=True)
class HoldTurn:
    """Turns a run to a hold by calling `keep`. A repeated call calls it only if the first had no effect."""

    runs: RunReader
    journal: Journal
    hold: Hold
    keep: Callable[[Sequence[Move], Sequence[Entry]], Status]
    again: bool = False

    def __call__(self) -> Status:
        if self.again and self._is_done():
            self.journal.forget()
            return Status.WAITING
        self.again = True
        return self.journal.hold(self.keep)

    def _is_done(self) -> bool:
        """Return whether an earlier call took effect in the database although its answer was lost."""
        holds = self.runs.holds(self.journal.run)
        return (self.hold.step, self.hold.phase) in {(one.step, one.phase) for one in holds}


class HoldFolders:
    """The local folders of runs that wait at a hold.

    They are removed here, since a run that is declined, or whose job is removed, ends without a runner.
    """

    def __init__(self, runs: RunRetention, folders: Folders, cleaner: Cleaner) -> None:
        self._runs = runs
        self._folders = folders
        self._cleaner = cleaner
        self._inputs: dict[int, str | None] = {}

    def begin(self) -> None:
        """Add the waiting runs of earlier runners."""
        for run in self._runs.open_runs():
            if run.status is Status.WAITING:
                self.keep(run)

    def keep(self, run: Run) -> None:
        """Keep the folder of a waiting run."""
        self._inputs[run.key] = run.input

    def release(self, run: Run) -> None:
        """Forget the folder of a run that continues: the work on the run now owns it."""
        self._inputs.pop(run.key, None)

    def clear(self) -> None:
        """Remove the folders of runs that have ended."""
        if not self._inputs:
            return
        for key in self._runs.ended_runs(list(self._inputs)):
            self._cleaner.leave(partial(self._folders.clear, key, self._inputs.pop(key)))
