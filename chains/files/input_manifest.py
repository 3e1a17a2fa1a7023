"""Lists of the input files of runs: names and sizes, kept as long as the log."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from chains.files.folder_lock import make_folder
from chains.files.keeper import keeper_of

MOST = 200
DAY = 24 * 3600


def list_files(files: Iterator[tuple[str, int]]) -> dict[str, Any]:
    """Return a summary of files for people: their number, their total size, the first 200 of them."""
    rows = [{"name": name, "size": size} for name, size in files]
    return {"count": len(rows), "size": sum(int(str(row["size"])) for row in rows), "files": rows[:MOST]}


class InputManifests:
    """Lists in files beside the input folders, which are removed when their run ends."""

    def __init__(self, root: Path, days: int) -> None:
        self._root = root
        self._keeper = keeper_of(root)
        self._days = days

    def take(self, name: str, folder: Path) -> None:
        """Write the list of an input folder, unless the disk is full: it is only a convenience."""
        file = self._file(name)
        with contextlib.suppress(OSError), self._keeper.acting():
            make_folder(file.parent)
            file.write_text(json.dumps(list_files(_below(folder))))

    def read(self, name: str) -> dict[str, Any] | None:
        """Return the list of an input; None when it is missing or expired."""
        try:
            manifest: dict[str, Any] = json.loads(self._file(name).read_text())
        except (OSError, ValueError):
            return None
        return manifest

    def sizes(self, name: str) -> dict[str, int] | None:
        """Return sizes of the files of an input by path; None unless all of them are listed."""
        with self._keeper.acting():
            manifest = self.read(name)
        try:
            sizes = {str(row["name"]): int(row["size"]) for row in manifest["files"]} if manifest else None
            return sizes if manifest and len(sizes or ()) == manifest["count"] else None
        except (KeyError, TypeError, ValueError):
            return None

    def sweep(self) -> None:
        """Remove the expired lists."""
        for file in self._root.glob("*/*"):
            with contextlib.suppress(OSError), self._keeper.acting():
                if time.time() - file.stat().st_mtime > self._days * DAY:
                    file.unlink()

    def _file(self, name: str) -> Path:
        """Return the path of a list; the ends of the random names spread the files over folders."""
        return self._root / name[-2:] / name


def _below(folder: Path) -> Iterator[tuple[str, int]]:
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = Path(parent, name)
            yield str(path.relative_to(folder)), path.stat().st_size
