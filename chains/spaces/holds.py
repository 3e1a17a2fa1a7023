"""HoldFiles: the port through which the files at a hold are kept where people see and change them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

from chains.files.run_folders import FoundFile
from chains.plan.model import Hold
from chains.runs.holds import RunHold
from chains.runs.records import Entry, Move, Run
from chains.runs.states import Status


class HoldFiles(Protocol):
    """Keeps the files of a run that waits at a hold, where people see and change them."""

    def keep(
        self, run: Run, hold: Hold, files: Iterable[FoundFile], moves: Sequence[Move], lines: Sequence[Entry]
    ) -> Status:
        """Keep the files and turn the run with RunStates.hold, in one transaction; the status after it.

        The last line of the log says which: that the run waits, or that it was canceled before.
        """
        ...

    def fetch(self, hold: RunHold, target: Path) -> None:
        """Write the files that a hold was continued with into a folder. Raises NotFound without them."""
        ...
