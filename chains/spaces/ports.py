"""The ports that provide spaces as folders to steps, and store files at a hold."""

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
    """A space's copy after a step of a run, its files when the step began, and the permission to write it."""

    run: int
    space: int
    use: Use
    files: Checked
    snapshot: Snapshot


class Mounting(Protocol):
    """Copies spaces for steps."""

    def spaces(self, run: Run) -> Sequence[MountedSpace]:
        """Return the spaces that the job of a run, or of a child run, mounts, for plans without them.

        Raises Denied when the people behind the job may not use one of them.
        """

    def room(self, space: int) -> int:
        """Return how many bytes may be added to a space."""

    def export(self, space: int, target: Path) -> Snapshot:
        """Write a copy of a space's files into an existing folder."""

    def write_back(self, changes: Iterable[Changed]) -> None:
        """Write the differences to the snapshots into the spaces, whole files in one transaction.

        Raises Denied, without writing, when one of the uses is no longer allowed (decisions 23b).
        """


class HoldFiles(Protocol):
    """Stores the files of a run that waits at a hold, where people see and change them."""

    def keep(
        self, run: Run, hold: Hold, files: Iterable[FoundFile], moves: Sequence[Move], lines: Sequence[Entry]
    ) -> Status:
        """Store the files and turn the run with RunStates.hold in one transaction; return its new status.

        The last log line says whether the run waits, or was canceled before.
        """

    def fetch(self, hold: RunHold, target: Path) -> None:
        """Write the files with which a hold was continued into a folder. Raises NotFound without them."""
