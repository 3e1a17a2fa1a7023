"""Fan-out: a replica reads one file, and the outputs of all become one."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from chains.files.run_folders import Checked, FoundFile


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
    """Move what the replicas left, in their order, into one folder; the files there. Raises OSError.

    A name that several wrote, or that is a file of one and a folder of another, gets the replica's index
    before its suffix.
    """
    counts = Counter(file.rel for output in outputs for file in output.files)
    folders = {str(parent) for rel in counts for parent in PurePosixPath(rel).parents}
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


def _with_index(rel: str, replica: int) -> str:
    path = PurePosixPath(rel)
    return str(path.with_name(f"{path.stem}.{replica}{path.suffix}"))
