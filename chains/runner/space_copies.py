"""Copies of spaces for the steps of a run: one for each part, written back when the part succeeds."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from chains.engine.port import Mount
from chains.files.names import printable, refusal
from chains.files.removal import clear
from chains.files.run_folder import RunFolder
from chains.files.run_folders import check
from chains.plan.model import MountedSpace, PlannedStep
from chains.runner.launch import Part
from chains.runs.retry import Patience
from chains.runs.rights import Permission
from chains.spaces.paths import parent
from chains.spaces.space import Changed, Mounting, Snapshot
from vfs.errors import Invalid

MNT = "/mnt"

Dropped = Sequence[tuple[str, str]]
"""The paths that were left out of a copy, with the reasons."""


@dataclass(slots=True)
class SpaceCopies:
    """Copies of spaces in the folder of a run, by the run's number.

    A step sees the spaces of the job it belongs to; a step of a referenced job sees that job's spaces.
    """

    run: int
    mounting: Mounting
    permission: Permission
    folder: RunFolder
    patiently: Patience
    _exported: dict[Part, list[tuple[MountedSpace, Snapshot]]] = field(default_factory=dict)
    _rooms: dict[tuple[Part, str], int] = field(default_factory=dict)

    def spaces(self, step: PlannedStep) -> Sequence[MountedSpace]:
        """Return the spaces that a step sees."""
        return self.permission.spaces[step.parent]

    def mounts(self, step: PlannedStep, part: Part) -> Iterator[Mount]:
        """Yield the mounts of a part's copies."""
        for space in self.spaces(step):
            folder = self.folder.mount(str(part), space.name)
            room = self._rooms.get((part, space.name)) if space.writable else None
            yield Mount(folder, f"{MNT}/{space.name}", writable=space.writable, growth=room)

    def export(self, step: PlannedStep, part: Part) -> None:
        """Make the copies for a part that begins. Raises VfsError and OSError."""
        if self.spaces(step):
            self.permission.ask([step])
        self._exported[part] = [(space, self._export(space, part)) for space in self.spaces(step)]

    def forget(self, step: PlannedStep, part: Part) -> None:
        """Remove the copies of a part that is tried again; nothing is written back. Raises OSError."""
        self._exported.pop(part, None)
        for space in self.spaces(step):
            clear(self.folder.mount(str(part), space.name))

    def write_back(self, step: PlannedStep, part: Part) -> Sequence[tuple[str, Dropped]]:
        """Write a part's changes into the spaces. Return what was dropped, by the path of the copy.

        Raises VfsError and OSError; then nothing was written.
        """
        changed = {
            f"{MNT}/{space.name}": self._compare(step, part, space, snapshot)
            for space, snapshot in self._exported.pop(part, ())
            if space.writable
        }
        if changed:
            # The call may be retried: content that is already there is not written again.
            self.patiently(lambda: self.mounting.write_back(changed.values()))
        return [(shown, change.files.dropped) for shown, change in changed.items()]

    def _compare(self, step: PlannedStep, part: Part, space: MountedSpace, snapshot: Snapshot) -> Changed:
        """Return the changes of a part to a copy. Names that the space already held are not checked.

        Raises Invalid if something other than a file replaces an entry of the space.
        """
        folder, shown = self.folder.mount(str(part), space.name), f"{MNT}/{space.name}"
        found = check(
            folder, sys.maxsize, sys.maxsize, lambda rel: None if rel in snapshot else refusal(rel), shown
        )
        dropped = dict(found.dropped)
        for rel in snapshot if dropped else ():
            if over := next((one for one in _upwards(rel) if one in dropped), None):
                raise Invalid(
                    f"it left {shown}/{printable(over)} where the space has something, and "
                    f"{dropped[over]}: a space holds only files and folders"
                )
        return Changed(self.run, space.space, self.permission.mount(step, space), found, snapshot)

    def _export(self, space: MountedSpace, part: Part) -> Snapshot:
        target = self.folder.mount(str(part), space.name)
        if space.writable:
            self._rooms[part, space.name] = self.patiently(lambda: self.mounting.room(space.space))
        return self.patiently(lambda: self.mounting.export(space.space, target))


def _upwards(path: str) -> Iterator[str]:
    """Yield a path and the folders above it."""
    while path:
        yield path
        path = parent(path)
