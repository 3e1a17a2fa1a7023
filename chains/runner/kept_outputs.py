"""Keeps the outputs of finished steps of a run that does not succeed, for runs that go on from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from chains.runner.segment import reason
from chains.runner.step_files import StepFiles
from chains.runs.records import Move
from chains.runs.states import StepStatus
from vfs.errors import Unavailable, VfsError


def keep_outputs(
    files: StepFiles, done: Iterable[str], room: int, now: str, warn: Callable[[str], object]
) -> Iterator[Move]:
    """Store outputs, the last steps' first, while they fit into `room` bytes. Yield a move for each."""
    for name in reversed([*done]):
        try:
            kept, size = files.store(name, room)
        except (VfsError, OSError) as error:
            warn(f"{name}: its output is not kept for another run to go on with: {reason(error)}")
            if isinstance(error, Unavailable):
                return
            continue
        room -= size
        yield Move(name, StepStatus.SUCCESS, now, tally=kept.tally, files=kept.files, kept=size)
