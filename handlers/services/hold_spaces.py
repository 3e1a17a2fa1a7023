"""Store the files of a run that waits at a hold in a space, and fetch them when it continues."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from chains.files.names import below
from chains.files.results import media_type
from chains.files.run_folders import FoundFile
from chains.files.tallies import copy_out
from chains.plan.model import Hold
from chains.runs.records import INFO, Entry, Move, Run, RunHold
from chains.runs.states import CANCELED, Status
from handlers.services.run_notices import notify_waiting
from handlers.services.run_people import note_writers, run_people
from handlers.services.world import World
from vfs.errors import NotFound
from vfs.ports.clock import stamp

LONGEST = 200
DIGITS = 12
TITLE = "name"


def space_name(job: str, run: str, hold: Hold) -> str:
    """Return the name of the space of a hold: `<job>-<run>-<step>-<phase>`, at most 200 bytes (R-17)."""
    name = f"{job}-{run}-{hold.step}-{hold.phase}"
    if len(name) <= LONGEST:
        return name
    return f"{name[: LONGEST - DIGITS - 1]}-{sha256(name.encode()).hexdigest()[:DIGITS]}"


@dataclass(frozen=True, slots=True)
class SpaceHoldFiles:
    """Stores files in spaces of the job's owner (chains.spaces.space.HoldFiles)."""

    world: World

    def keep(
        self, run: Run, hold: Hold, files: Iterable[FoundFile], moves: Sequence[Move], lines: Sequence[Entry]
    ) -> Status:
        """See HoldFiles.keep."""
        world = self.world
        files = list(files)
        contents = ((file.pieces(), media_type(file.path.name)) for file in files)
        refs = world.blobs.add_all(contents, run.job)
        kept = {file.rel: ref for file, ref in zip(files, refs, strict=True)}
        name = space_name(run.origin.rpartition("/")[2], run.id, hold)
        with world.atomic():
            item = world.items.create("space", run.origin_owner, name)
            world.leaves.put(item.id, TITLE, self._title(run, hold), None)
            world.code.spaces.fill(item.id, kept)
            note_writers(world, item, run_people(world, run))
            # Recording locks the run's row, so a cancel happens before it or finds the run waiting.
            world.code.runs.states.record(run.key, moves, lines)
            last = [(stamp(world.clock.now()), INFO, self._line(run, hold))]
            status = world.code.runs.states.hold(run.key, hold.step, hold.phase, item.id, (), last)
            if status is not Status.WAITING:
                world.items.remove(item)
            else:
                notify_waiting(world, run, hold)
        return status

    def fetch(self, hold: RunHold, target: Path) -> None:
        """See HoldFiles.fetch."""
        if hold.frozen is None:
            raise NotFound(f"the space of the hold {hold.phase} {hold.step} was gone when it was answered")
        for entry in self.world.code.spaces.below(hold.frozen, ""):
            place = below(target, entry.path)
            if entry.blob is None:
                place.mkdir(parents=True, exist_ok=True)
                continue
            place.parent.mkdir(parents=True, exist_ok=True)
            copy_out(self.world.blobs, entry.blob, place, entry.path)

    def _title(self, run: Run, hold: Hold) -> str:
        """Return the title of the space for lists; its name is for paths."""
        job = self.world.leaves.texts_of([run.job], (TITLE,)).get(run.job, {}).get(TITLE, "").strip()
        return f"Files {hold.phase} {hold.step} of {job or run.origin.rpartition('/')[2]}"[:LONGEST]

    def _line(self, run: Run, hold: Hold) -> str:
        now = self.world.code.runs.reader.by_key(run.key)
        if now is not None and now.status is Status.CANCELING:
            return CANCELED
        return f"The run waits {hold.phase} {hold.step} for an answer to its hold."
