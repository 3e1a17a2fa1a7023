"""Fan-out: a replica reads one file, and the outputs of all become one."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath

from chains.files.names import printable, refusal
from chains.files.run_folders import Checked, FoundFile
from vfs.errors import Invalid


def place_file(folder: Path, file: FoundFile) -> None:
    """Put a file at its path below a folder, as a link where that can be. Raises OSError."""
    target = folder / file.rel
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists():
        try:
            os.link(file.path, target, follow_symlinks=False)
        except OSError:
            shutil.copyfile(file.path, target, follow_symlinks=False)


def merge(outputs: Sequence[Checked], target: Path) -> Checked:
    """Move what the replicas left, in their order, into one folder; the files there. Raises OSError, Invalid.

    If several left a name, or if it is a file of one and a folder of another, it gets the index of the
    replica before its suffix. If that makes it too long, the name is told.
    """
    counts = Counter(file.rel for output in outputs for file in output.files)
    folders = _folders(counts)
    taken = {rel for rel, count in counts.items() if count == 1 and rel not in folders}
    merged: list[FoundFile] = []
    for replica, output in enumerate(outputs):
        for file in output.files:
            rel = file.rel
            if counts[rel] > 1 or rel in folders:
                rel = _with_index(rel, replica)
                while rel in taken or rel in folders:
                    rel = _with_index(rel, replica)
                taken.add(rel)
            place = target / rel
            place.parent.mkdir(parents=True, exist_ok=True)
            file.path.rename(place)
            merged.append(FoundFile(rel, place, file.size))
    dropped = tuple(pair for output in outputs for pair in output.dropped)
    return Checked(tuple(sorted(merged, key=lambda file: file.rel)), dropped)


def _folders(paths: Iterable[str]) -> set[str]:
    """The folders above files."""
    folders: set[str] = set()
    for path in paths:
        while (path := path.rpartition("/")[0]) and path not in folders:
            folders.add(path)
    return folders


def _with_index(rel: str, replica: int) -> str:
    path = PurePosixPath(rel)
    longer = str(path.with_name(f"{path.stem}.{replica}{path.suffix}"))
    if why := refusal(longer):
        shown = printable(rel)
        raise Invalid(f"several replicas left /output/{shown}, which cannot be numbered: {why}")
    return longer
