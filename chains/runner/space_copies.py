"""The spaces that the steps of a run see: a copy for each part, written back when it ends well."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from chains.engine.port import Mount
from chains.files.run_folders import RunFolder, check
from chains.plan.model import MountedSpace, PlannedStep
from chains.runner.containers import Part
from chains.runs.retry import patiently
from chains.runs.rights import Permission
from chains.spaces.mounts import Changed, Mounting, Snapshot

MNT = "/mnt"


@dataclass(slots=True)
class Mounts:
    """The copies in a run's folder. A step sees the spaces of the job it belongs to, one of a referenced job
    that job's.
    """

    mounting: Mounting
    permission: Permission
    folder: RunFolder
    _shown: dict[Part, list[tuple[MountedSpace, Snapshot]]] = field(default_factory=dict)

    def seen(self, step: PlannedStep) -> Sequence[MountedSpace]:
        """The spaces that a step sees."""
        return self.permission.spaces[step.parent]

    def of(self, step: PlannedStep, part: Part) -> Iterator[Mount]:
        """Where a part finds its copies."""
        for seen in self.seen(step):
            folder = self.folder.mount(str(part), seen.name)
            yield Mount(folder, f"{MNT}/{seen.name}", writable=seen.writable)

    def show(self, step: PlannedStep, part: Part) -> None:
        """Make the copies of a part that begins. Raises VfsError and OSError."""
        if self.seen(step):
            self.permission.ask([step])
        self._shown[part] = [
            (seen, self._exported(seen, self.folder.mount(str(part), seen.name))) for seen in self.seen(step)
        ]

    def write_back(self, step: PlannedStep, part: Part) -> None:
        """Write what a part changed into the spaces. Raises VfsError and OSError."""
        changed = [
            Changed(
                seen.space,
                self.permission.mount(step, seen),
                check(self.folder.mount(str(part), seen.name), sys.maxsize, sys.maxsize),
                snapshot,
            )
            for seen, snapshot in self._shown.pop(part, ())
            if seen.writable
        ]
        if changed:
            # What is there already is not written again, so it may be asked for twice.
            patiently(lambda: self.mounting.write_back(changed))

    def _exported(self, seen: MountedSpace, target: Path) -> Snapshot:
        return patiently(lambda: self.mounting.export(seen.space, target))
