"""Changes of spaces: as events that trigger jobs, and those that steps made in copies of the files."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from chains.files.names import below
from chains.files.results import media_type
from chains.files.tallies import copy_out
from chains.language.trigger_lines import TriggerKind
from chains.plan.model import MountedSpace
from chains.runs.records import Run
from chains.runs.rights import Rights
from chains.spaces.space import Changed, Snapshot
from handlers.services.references import References, Refusal
from handlers.services.run_people import behind_run, note_writers
from handlers.services.world import World
from vfs.errors import Denied, NotFound
from vfs.ports.blobs import Ref
from vfs.ports.quotas import QuotaName


@contextmanager
def noting_changes(world: World, space: int, cause: str) -> Iterator[None]:
    """Store what the block writes into a space as an event; `cause` is the request, "" for a call of our own.

    Call it in the transaction that writes, which has locked the space.
    """
    spaces = world.code.spaces
    before = spaces.usage(space).seq
    yield
    now = spaces.usage(space).seq
    if now > before:
        world.code.triggers.add(TriggerKind.CHANGED, space, cause or f"{now}", f"{before + 1}-{now}")


@dataclass(frozen=True, slots=True)
class SpaceMounting:
    """Mounts the spaces of config/spaces (chains.spaces.space.Mounting)."""

    world: World
    rights: Rights

    def spaces(self, run: Run) -> Sequence[MountedSpace]:
        """See Mounting.spaces."""
        try:
            return References(self.world).mounts(run.origin_owner, run.author, run.spaces)
        except Refusal as refusal:
            raise Denied(str(refusal)) from None

    def room(self, space: int) -> int:
        """See Mounting.room."""
        spaces, found = self.world.code.spaces, self.world.items.at(space, None)
        if found is None:
            return 0
        kept = self.world.service.quotas.one(found.item.owner, QuotaName.STORAGE)
        return max(min(spaces.quota - spaces.usage(space).size, kept.room), 0)

    def export(self, space: int, target: Path) -> Snapshot:
        """See Mounting.export."""
        snapshot: dict[str, str] = {}
        for entry in self.world.code.spaces.below(space, ""):
            place = below(target, entry.path)
            if entry.blob is None:
                place.mkdir(parents=True, exist_ok=True)
                continue
            copy_out(self.world.blobs, entry.blob, place, entry.path)
            snapshot[entry.path] = entry.blob.digest
        return snapshot

    def write_back(self, changes: Iterable[Changed]) -> None:
        """See Mounting.write_back."""
        # Spaces are always locked in the same order, so that no deadlock arises.
        ready = [(change, self._store(change)) for change in sorted(changes, key=lambda change: change.space)]
        with self.world.atomic():
            for change, written in ready:
                self._take(change, written)
            # Checked once the locks are held: no right can be withdrawn before this is written.
            if refusal := self.rights.refusal([change.use for change, _ in ready]):
                raise Denied(refusal)
            cause = secrets.token_hex(8)
            for change, written in ready:
                with noting_changes(self.world, change.space, cause):
                    self._write_back(change, written)

    def _store(self, change: Changed) -> list[tuple[str, Ref]]:
        """Return the files of a copy that differ from the snapshot, with their bytes stored."""
        new = [file for file in change.files.files if change.snapshot.get(file.rel) != _digest(file.path)]
        contents = ((file.pieces(), media_type(file.path.name)) for file in new)
        refs = self.world.blobs.add_all(contents, change.space)
        return [(file.rel, ref) for file, ref in zip(new, refs, strict=True)]

    def _take(self, change: Changed, written: Sequence[tuple[str, Ref]]) -> None:
        """Lock the item before its content is written, as all writers do."""
        found = self.world.items.at(change.space, None) if written or _missing(change) else None
        if found is not None:
            self.world.items.touch(found.item)

    def _write_back(self, change: Changed, written: Sequence[tuple[str, Ref]]) -> None:
        spaces = self.world.code.spaces
        found = self.world.items.at(change.space, None) if written or _missing(change) else None
        if found is not None:
            note_writers(self.world, found.item, behind_run(self.world, change.run))
        for rel in _missing(change):
            # Another run may have removed it meanwhile.
            with suppress(NotFound):
                spaces.remove(change.space, rel)
        for rel, blob in written:
            spaces.put(change.space, rel, blob)


def _missing(change: Changed) -> list[str]:
    """Return the files that a step removed."""
    return sorted(set(change.snapshot) - {file.rel for file in change.files.files})


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
