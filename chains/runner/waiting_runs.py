"""The folders of runs that wait at a hold: they go as soon as their run ends without being taken up again."""

from __future__ import annotations

from functools import partial

from chains.files.run_folders import Folders
from chains.runner.cleanup import Cleaner
from chains.runs.ports import RunRetention
from chains.runs.records import Run
from chains.runs.states import Status


class Parked:
    """Knows which waiting runs have a folder here.

    One that is declined, or whose job is removed, ends without a runner.
    """

    def __init__(self, runs: RunRetention, folders: Folders, cleaner: Cleaner) -> None:
        self._runs = runs
        self._folders = folders
        self._cleaner = cleaner
        self._inputs: dict[int, str | None] = {}

    def begin(self) -> None:
        """Take up what earlier runners left waiting."""
        for run in self._runs.open_runs():
            if run.status is Status.WAITING:
                self.keep(run)

    def keep(self, run: Run) -> None:
        """The run waits from now on."""
        self._inputs[run.key] = run.input

    def take(self, run: Run) -> None:
        """The run goes on: whoever works on it clears up."""
        self._inputs.pop(run.key, None)

    def clear(self) -> None:
        """Have the folders taken away of those that have ended."""
        if not self._inputs:
            return
        for key in self._runs.ended_runs(list(self._inputs)):
            self._cleaner.leave(partial(self._folders.clear, key, self._inputs.pop(key)))
