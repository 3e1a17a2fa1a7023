"""The folders of one run on the disk."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from chains.files.names import plain
from chains.files.removal import remove
from chains.files.tallies import Sizes


class RunFolder:
    """The folders of one run: `input`, and an output per step, which is also what the steps after it read.

    `brought` are the files of the input.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.input = path / "input"
        self.brought: Sizes = {}
        self._made: set[Path] = set()

    def output(self, step: str, replica: int | None = None) -> Path:
        """Return a step's (or a replica's) /output on the host, made when it is not there."""
        return self._folder("output", step if replica is None else f"{step}[{replica}]")

    def output_path(self, step: str) -> Path:
        """Return the path of a step's output for those that read it, whether it is there or not."""
        return self.path / "output" / step

    def replica_input(self, step: str, replica: int) -> Path:
        """Return the /input of one replica on the host, made when it is not there."""
        return self._folder("replica", f"{step}[{replica}]")

    def mount(self, part: str, name: str) -> Path:
        """Return the copy of a space that one part of the run sees."""
        return self._folder("mnt", part, name)

    def hold(self, step: str, phase: str) -> Path:
        """Return the folder for the files that a hold was continued with, with nothing in it."""
        return self._empty_folder("held", f"{step}-{phase}")

    def empty(self, step: str) -> Path:
        """Return a step's /output, with nothing in it."""
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
