"""The spaces that the steps of a run see: a copy for each part, written back when it ends well."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from chains.containers import Part
from chains.engine import Mount
from chains.files import RunFolder, check
from chains.mounting import MountedSpace, Mounting, Snapshot
from chains.planned import PlannedStep

MNT = "/mnt"


@dataclass(slots=True)
class Mounts:
    """The copies in a run's folder. A step sees its own job's spaces; one of a referenced job sees none."""

    mounting: Mounting
    spaces: Sequence[MountedSpace]
    folder: RunFolder
    _snapshots: dict[Part, dict[int, Snapshot]] = field(default_factory=dict)

    def seen(self, step: PlannedStep) -> Sequence[MountedSpace]:
        """The spaces that a step sees."""
        return self.spaces if step.parent is None else ()

    def of(self, step: PlannedStep, part: Part) -> Iterator[Mount]:
        """Where a part finds its copies."""
        for seen in self.seen(step):
            folder = self.folder.mount(str(part), seen.name)
            yield Mount(folder, f"{MNT}/{seen.name}", writable=seen.writable)

    def show(self, step: PlannedStep, part: Part) -> None:
        """Make the copies of a part that begins. Raises VfsError and OSError."""
        self._snapshots[part] = {
            seen.space: self.mounting.export(seen.space, self.folder.mount(str(part), seen.name))
            for seen in self.seen(step)
        }

    def write_back(self, part: Part) -> None:
        """Write what a part changed into the spaces. Raises VfsError and OSError."""
        snapshots = self._snapshots.pop(part, {})
        changed = {
            seen.space: (
                check(self.folder.mount(str(part), seen.name), sys.maxsize, sys.maxsize),
                snapshots[seen.space],
            )
            for seen in self.spaces
            if seen.writable and seen.space in snapshots
        }
        if changed:
            self.mounting.write_back(changed)
