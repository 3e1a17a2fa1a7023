"""What a step reads, a fan-out with its replica for each file, and what the replicas leave together."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from chains.engine.port import Mount
from chains.files.run_folders import Checked, Found, RunFolder
from chains.plan.model import PlannedStep

INPUT = "/input"


def inputs(step: PlannedStep, folder: RunFolder) -> list[Mount]:
    """What a step reads by the plan: the trigger's input,
    its one predecessor's output, or each one's in a folder.
    """
    if not step.predecessors:
        return [Mount(folder.input, INPUT)]
    if len(step.predecessors) == 1:
        return [Mount(folder.output(step.predecessors[0]), INPUT)]
    return [Mount(folder.output(name), f"{INPUT}/{name}") for name in step.predecessors]


def incoming(step: PlannedStep, done: Mapping[str, Checked]) -> list[Found]:
    """The files that a step behind others reads, by their paths in /input (decisions 19)."""
    if len(step.predecessors) == 1:
        return list(done[step.predecessors[0]].files)
    files = [
        Found(f"{name}/{file.rel}", file.path, file.size)
        for name in step.predecessors
        for file in done[name].files
    ]
    return sorted(files, key=lambda file: file.rel)


def alone(folder: RunFolder, step: str, replica: int, file: Found) -> Path:
    """A folder that holds one file at its path: the /input of a replica. Raises OSError."""
    path = folder.input_of(step, replica)
    target = path / file.rel
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists():
        try:
            os.link(file.path, target, follow_symlinks=False)
        except OSError:
            shutil.copyfile(file.path, target, follow_symlinks=False)
    return path


def merge(outputs: Sequence[Checked], target: Path) -> Checked:
    """Move what the replicas left, in their order, into one folder; the files there. Raises OSError.

    A name that several wrote, or that is a file of one and a folder of another, gets the replica's index
    before its suffix.
    """
    counts = Counter(file.rel for output in outputs for file in output.files)
    folders = {str(parent) for rel in counts for parent in PurePosixPath(rel).parents}
    taken = {rel for rel, count in counts.items() if count == 1 and rel not in folders}
    merged: list[Found] = []
    for replica, output in enumerate(outputs):
        for file in output.files:
            rel = file.rel
            if counts[rel] > 1 or rel in folders:
                rel = _numbered(rel, replica)
                while rel in taken or rel in folders:
                    rel = _numbered(rel, replica)
                taken.add(rel)
            place = target / rel
            place.parent.mkdir(parents=True, exist_ok=True)
            file.path.rename(place)
            merged.append(Found(rel, place, file.size))
    dropped = tuple(pair for output in outputs for pair in output.dropped)
    return Checked(tuple(sorted(merged, key=lambda file: file.rel)), dropped)


def _numbered(rel: str, replica: int) -> str:
    path = PurePosixPath(rel)
    return str(path.with_name(f"{path.stem}.{replica}{path.suffix}"))
