"""The spaces that the steps of a run see: a copy for each part, written back when it ends well."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from chains.engine.port import Mount
from chains.files.run_folders import RunFolder, check
from chains.plan.model import MountedSpace, PlannedStep
from chains.runner.launch import Part
from chains.runs.retry import patiently
from chains.runs.rights import Permission
from chains.spaces.mounts import Changed, Mounting, Snapshot

MNT = "/mnt"


@dataclass(slots=True)
class SpaceCopies:
    """Copies of spaces in a run's folder.

    A step sees the spaces of the job it belongs to, one of a referenced job that job's.
    """

    mounting: Mounting
    permission: Permission
    folder: RunFolder
    _exported: dict[Part, list[tuple[MountedSpace, Snapshot]]] = field(default_factory=dict)
    _rooms: dict[tuple[Part, str], int] = field(default_factory=dict)

    def spaces(self, step: PlannedStep) -> Sequence[MountedSpace]:
        """The spaces that a step sees."""
        return self.permission.spaces[step.parent]

    def mounts(self, step: PlannedStep, part: Part) -> Iterator[Mount]:
        """The folders of a part's copies, as its container shows them."""
        for space in self.spaces(step):
            folder = self.folder.mount(str(part), space.name)
            room = self._rooms.get((part, space.name)) if space.writable else None
            yield Mount(folder, f"{MNT}/{space.name}", writable=space.writable, growth=room)

    def export(self, step: PlannedStep, part: Part) -> None:
        """Make the copies of a part that begins. Raises VfsError and OSError."""
        if self.spaces(step):
            self.permission.ask([step])
        self._exported[part] = [(space, self._export(space, part)) for space in self.spaces(step)]

    def write_back(self, step: PlannedStep, part: Part) -> None:
        """Write what a part changed into the spaces. Raises VfsError and OSError."""
        changed = [
            Changed(
                space.space,
                self.permission.mount(step, space),
                check(self.folder.mount(str(part), space.name), sys.maxsize, sys.maxsize),
                snapshot,
            )
            for space, snapshot in self._exported.pop(part, ())
            if space.writable
        ]
        if changed:
            # What is there already is not written again, so it may be asked for twice.
            patiently(lambda: self.mounting.write_back(changed))

    def _export(self, space: MountedSpace, part: Part) -> Snapshot:
        target = self.folder.mount(str(part), space.name)
        if space.writable:
            self._rooms[part, space.name] = patiently(lambda: self.mounting.room(space.space))
        return patiently(lambda: self.mounting.export(space.space, target))
