"""Mounting: the port through which steps see spaces as folders, and what they change is written back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from chains.files.run_folders import Checked
from chains.plan.model import MountedSpace
from chains.runs.records import Run
from chains.runs.rights import Use

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
        """The spaces that the job of a run, or of a child run, mounts, for plans that do not say so.

        Raises Denied when the people behind the job may not use one of them.
        """
        ...

    def room(self, space: int) -> int:
        """Bytes that the files of a space may take beside those it holds."""
        ...

    def export(self, space: int, target: Path) -> Snapshot:
        """Write a copy of a space's files into a folder that is there."""
        ...

    def write_back(self, changes: Iterable[Changed]) -> None:
        """Write what differs from the snapshots into the spaces, in one transaction, whole files.

        Raises Denied, having written nothing, when one of the uses is allowed no more (decisions 23b).
        """
        ...
