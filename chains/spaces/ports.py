"""The ports through which steps see spaces as folders, and files at a hold are kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from chains.files.run_folders import Checked, FoundFile
from chains.plan.model import Hold, MountedSpace
from chains.runs.records import Entry, Move, Run, RunHold
from chains.runs.rights import Use
from chains.runs.states import Status

Snapshot = Mapping[str, str]
"""The files of an exported copy: digests by path."""


@dataclass(frozen=True, slots=True)
class Changed:
    """A copy of a space as a step of a run left it, what it held when the step began, and by what right."""

    run: int
    space: int
    use: Use
    files: Checked
    snapshot: Snapshot


class Mounting(Protocol):
    """Keeps spaces for steps."""

    def spaces(self, run: Run) -> Sequence[MountedSpace]:
        """Return the spaces that the job of a run, or of a child run, mounts, for plans that do not say so.

        Raises Denied when the people behind the job may not use one of them.
        """
        ...

    def room(self, space: int) -> int:
        """Return bytes that the files of a space may take beside those it holds."""
        ...

    def export(self, space: int, target: Path) -> Snapshot:
        """Write a copy of a space's files into a folder that is there."""
        ...

    def write_back(self, changes: Iterable[Changed]) -> None:
        """Write what differs from the snapshots into the spaces, in one transaction, whole files.

        Raises Denied, having written nothing, when one of the uses is allowed no more (decisions 23b).
        """
        ...


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
