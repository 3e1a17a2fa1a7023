"""Spaces as steps see them: copies of their files, and what of these was changed."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from chains.book import Run
from chains.files import Checked, Found
from chains.mounting import MountedSpace, Snapshot
from chains.results import media_type
from handlers.rules.mounts import parse
from handlers.world import World
from vfs.errors import NotFound
from vfs.world import chunks


@dataclass(frozen=True, slots=True)
class SpaceMounting:
    """Mounts the spaces of config/spaces (chains.mounting.Mounting)."""

    world: World

    def spaces(self, run: Run) -> Sequence[MountedSpace]:
        """As Mounting.spaces."""
        mounted = []
        for mount in parse(run.spaces):
            found = self.world.items.find("space", mount.owner, mount.space, run.origin_owner)
            if found is None:
                raise NotFound(f"There is no space /u/{mount.owner}/s/{mount.space} any more.")
            mounted.append(MountedSpace(mount.name, found.item.id, mount.writable))
        return mounted

    def export(self, space: int, target: Path) -> Snapshot:
        """As Mounting.export."""
        snapshot: dict[str, str] = {}
        for entry in self.world.spaces.below(space, ""):
            place = target / entry.path
            if entry.blob is None:
                place.mkdir(parents=True, exist_ok=True)
                continue
            with self.world.blobs.open(entry.blob) as source, place.open("wb") as file:
                shutil.copyfileobj(source, file)
            snapshot[entry.path] = entry.blob.digest
        return snapshot

    def write_back(self, changes: Mapping[int, tuple[Checked, Snapshot]]) -> None:
        """As Mounting.write_back."""
        spaces = self.world.spaces
        written = [
            (space, file.rel, self.world.blobs.add(_pieces(file), media_type(file.path.name)))
            for space, (checked, snapshot) in changes.items()
            for file in checked.files
            if snapshot.get(file.rel) != _digest(file.path)
        ]
        with self.world.atomic():
            for space, (checked, snapshot) in changes.items():
                for rel in sorted(set(snapshot) - {file.rel for file in checked.files}):
                    with suppress(NotFound):
                        spaces.remove(space, rel)
            for space, rel, blob in written:
                spaces.put(space, rel, blob)


def _pieces(file: Found) -> Iterator[bytes]:
    with file.path.open("rb") as source:
        yield from chunks(source)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
