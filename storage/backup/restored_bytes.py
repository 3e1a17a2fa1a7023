"""RestoredBytes: blobs, repositories, folders of runs and keys, in drafts that are renamed at the end."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from chains.files.folder_lock import make_folder
from chains.files.keeper import Keeper, keeper_of
from chains.files.run_folders import RUN
from storage.backup.backup_scan import BackupTaker
from storage.backup.run_copies import FOLDER_MARK
from storage.bytes.blobs import FileBlobs
from storage.git.copies import unbundle
from storage.git.repositories import GitRepositories
from storage.upkeep.clocks import WallClock
from vfs.errors import Conflict

SMALL = 256 << 10
BATCH = 8 << 20
"""Maximum size of small blobs that are written together, with one sync."""

MAKE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class DraftMove:
    """A draft and its final name."""

    draft: Path
    target: Path
    keeper: Keeper

    def make(self) -> None:
        """Rename it; across file systems it is copied. Raises OSError."""
        with self.keeper.acting():
            make_folder(self.target.parent)
            if self.target.exists():
                raise FileExistsError(f"{self.target} was created meanwhile")
            try:
                os.rename(self.draft, self.target)
            except OSError:
                shutil.move(self.draft, self.target)


class RestoredBytes(BackupTaker):
    """The bytes of a backup besides its rows, in a folder of drafts; blobs may go to an external store."""

    def __init__(self, staging: Path, blobs: str | None, key: Path) -> None:
        self._staging = staging
        self._keeper = keeper_of(staging)
        self._blobs = FileBlobs(blobs or f"osfs://{staging}/blobs", WallClock())
        self._repositories = GitRepositories(staging / "repos")
        self._present = _read(key)
        self._waiting: list[bytes] = []
        self._size = 0

    def key(self, content: bytes) -> None:
        """Store the keys. Raises Conflict when there are other keys."""
        if self._present is not None and self._present != content:
            raise Conflict("there is already another key in its place: move it away, or restore it there")
        self._write(self._staging / "key", [content], 0o600)

    def blob(self, digest: str, pieces: Iterator[bytes], size: int) -> None:
        """Store bytes under their digest. The reader of the backup compares it with the expected one."""
        if size > SMALL:
            self._blobs.add(pieces, "")
            return
        self._waiting.append(b"".join(pieces))
        self._size += size
        if self._size > BATCH:
            self.finish()

    def finish(self) -> None:
        """Store the small blobs that were collected."""
        self._blobs.add_all(([content], "") for content in self._waiting)
        self._waiting, self._size = [], 0

    def repository(self, item: int, head: bytes, pieces: Iterator[bytes], size: int) -> None:
        """Make a repository."""
        self._repositories.create(item)
        if size == 0:
            return
        draft = self._staging / "bundle"
        try:
            self._write(draft, pieces, 0o600)
            unbundle(self._repositories.git, self._repositories.path(item), draft, head)
        finally:
            with self._keeper.acting():
                draft.unlink(missing_ok=True)

    def run_file(self, names: Sequence[str], pieces: Iterator[bytes], mode: int) -> None:
        """Store a file of a run. Another account than this one may read it later."""
        path = (self._staging / ("own" if names[0].startswith(RUN) else "runs")).joinpath(*names)
        folder = path.parent
        with self._keeper.acting():
            folder.mkdir(mode=0o755 if names[0].startswith(RUN) else 0o700, parents=True, exist_ok=True)
        if names[-1] != FOLDER_MARK:
            self._write(path, pieces, mode | 0o444)

    def moves(self, folder: Path, key: Path, own_runs: Path, repos: Path) -> Iterator[DraftMove]:
        """Yield the existing drafts, with their final names."""
        for path in (self._staging / "repos").iterdir():
            if path.suffix != ".git":
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        if (self._staging / "blobs").is_dir():
            yield DraftMove(self._staging / "blobs", folder / "blobs", self._keeper)
        if repos == folder / "repos":
            yield DraftMove(self._staging / "repos", repos, self._keeper)
        else:  # another file system may be mounted there
            for path in sorted((self._staging / "repos").iterdir()):
                yield DraftMove(path, repos / path.name, keeper_of(repos))
        if self._present is None and (self._staging / "key").exists():
            yield DraftMove(self._staging / "key", key, keeper_of(key))
        for part, root in (("runs", folder / "runs"), ("own", own_runs)):
            for path in sorted(self._drafts_in(part)):
                yield DraftMove(path, root / path.name, keeper_of(root))

    def _drafts_in(self, part: str) -> Iterable[Path]:
        found = self._staging / part
        return found.iterdir() if found.is_dir() else ()

    def _write(self, path: Path, pieces: Iterable[bytes], mode: int) -> None:
        with self._keeper.acting():
            file = os.open(path, MAKE, mode)
        with os.fdopen(file, "wb") as target:
            for piece in pieces:
                target.write(piece)


def _read(path: Path) -> bytes | None:
    """Return the content of a file; None without one."""
    try:
        with keeper_of(path).acting():
            return path.read_bytes()
    except FileNotFoundError:
        return None
