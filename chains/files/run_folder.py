"""The folders of one run on disk."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from chains.files.names import plain
from chains.files.removal import remove
from chains.files.tallies import Sizes


class RunFolder:
    """The folders of one run: `input`, and an output for each step, which later steps read as input.

    `input_sizes` are the files of the input.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.input = path / "input"
        self.input_sizes: Sizes = {}
        self._made: set[Path] = set()

    def output(self, step: str, replica: int | None = None) -> Path:
        """Return the /output of a step or replica on the host; make it if it is missing."""
        return self._folder("output", step if replica is None else f"{step}[{replica}]")

    def output_path(self, step: str) -> Path:
        """Return the path of a step's output for its readers, even if it is missing."""
        return self.path / "output" / step

    def replica_input(self, step: str, replica: int) -> Path:
        """Return the /input of one replica on the host; make it if it is missing."""
        return self._folder("replica", f"{step}[{replica}]")

    def mount(self, part: str, name: str) -> Path:
        """Return the copy of a space for one part of the run."""
        return self._folder("mnt", part, name)

    def hold(self, step: str, phase: str) -> Path:
        """Return an empty folder for the files with which a hold was continued."""
        return self._empty_folder("held", f"{step}-{phase}")

    def empty(self, step: str) -> Path:
        """Return a step's /output, emptied."""
        return self._empty_folder("output", step)

    def _empty_folder(self, *names: str) -> Path:
        path = self._folder(*names)
        remove(path)
        self._made.discard(path)
        return self._folder(*names)

    def _folder(self, *names: str) -> Path:
        if not all(map(plain, names)):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        path = self.path.joinpath(*names)
        if path not in self._made:
            path.mkdir(parents=True, exist_ok=True)
            self._made.add(path)
        return path
