"""The folders of runs that are queued or wait, as members of a backup."""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from chains.files.keeper import Keeper, keeper_of
from chains.files.names import DEEPEST
from chains.files.run_folders import INPUT, RUN, Folders

NOTES = ".noted"
FOLDER_MARK = ".folder"
"""Suffix of the member that stands for a folder, which may contain no file."""

OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class RunMember:
    """A file below the folders of runs, opened when it is copied. `lost`: why it cannot be copied."""

    name: str
    path: Path
    keeper: Keeper
    size: int = 0
    mode: int = 0o600
    lost: str | None = None

    def open(self) -> BinaryIO:
        """Open the file, which must not be a link. Raises OSError."""
        if self.name.endswith(f"/{FOLDER_MARK}"):
            return io.BytesIO()
        with self.keeper.acting():
            return os.fdopen(os.open(self.path, OPEN), "rb")


def run_members(
    folders: Folders, runs: Iterable[tuple[int, str | None, Sequence[str]]]
) -> Iterator[RunMember]:
    """Yield inputs of open runs, outputs of their done steps, and the input lists of all runs.

    Other files of a run may be newer than the rows. Raises PermissionError when this account may not read a
    folder.
    """
    yield from _below(folders.root / NOTES, f"runs/{NOTES}", keeper_of(folders.root))
    for key, input, steps in runs:
        own, name, keeper = folders.of(key), f"runs/{RUN}{key}", keeper_of(folders.own)
        if input is not None and input.startswith(INPUT) and _is_there(folders.path(input)):
            yield from _below(folders.path(input), f"runs/{input}", keeper_of(folders.root))
        elif input is not None and not _is_there(own.input):
            yield RunMember(f"runs/{input}", folders.path(input), Keeper(), lost="the input of a run is gone")
        yield from _below(own.input, f"{name}/input", keeper)
        for step in steps:
            yield from _below(own.output_path(step), f"{name}/output/{step}", keeper)


def _below(folder: Path, name: str, keeper: Keeper, levels: int = DEEPEST + 8) -> Iterator[RunMember]:
    """Yield all regular files below a folder, and a mark for each folder; links and others are left out."""
    with keeper.acting():
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except FileNotFoundError:
            return
        facts = [(entry, entry.stat(follow_symlinks=False)) for entry in entries]
    yield RunMember(f"{name}/{FOLDER_MARK}", folder, keeper, mode=0o755)
    for entry, found in facts:
        path, rel = folder / entry.name, f"{name}/{entry.name}"
        if stat.S_ISDIR(found.st_mode) and levels:
            yield from _below(path, rel, keeper, levels - 1)
        elif stat.S_ISREG(found.st_mode) and entry.name != FOLDER_MARK:
            yield RunMember(rel, path, keeper, found.st_size, stat.S_IMODE(found.st_mode) & 0o777)


def _is_there(path: Path) -> bool:
    with keeper_of(path.parent).acting():
        return path.is_dir()
