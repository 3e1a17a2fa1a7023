"""Two accounts on one machine: root's own things, and a data folder in the hands of somebody else."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

SOMEBODY = 12_345
SECRET = "root's alone\n"


@dataclass(frozen=True, slots=True)
class TwoAccounts:
    """A folder that everybody passes through. `data` is somebody's; `treasure` (a file), `vault` (a folder
    with a file in it) and `own` (an empty folder) are root's.
    """

    place: Path

    @property
    def data(self) -> Path:
        """The data folder."""
        return self.place / "data"

    @property
    def own(self) -> Path:
        """The folder of the runner."""
        return self.place / "own"

    @property
    def treasure(self) -> Path:
        """A file that only root may read."""
        return self.place / "treasure"

    @property
    def vault(self) -> Path:
        """A folder that only root may enter."""
        return self.place / "vault"

    def plant(self, rel: str, target: Path) -> Path:
        """A link of somebody's in the data folder."""
        link = self.data / rel
        self.folder(link.parent)
        link.symlink_to(target)
        os.chown(link, SOMEBODY, SOMEBODY, follow_symlinks=False)
        return link

    def folder(self, path: Path) -> Path:
        """A folder of somebody's."""
        if not path.exists():
            self.folder(path.parent)
            path.mkdir(mode=0o700)
            os.chown(path, SOMEBODY, SOMEBODY)
        return path

    def write(self, rel: str, text: str) -> Path:
        """A file of somebody's."""
        file = self.folder((self.data / rel).parent) / Path(rel).name
        file.write_text(text)
        os.chown(file, SOMEBODY, SOMEBODY)
        return file

    def kept(self) -> list[object]:
        """The state of the files that belong to root."""
        things = [self.treasure, self.vault, *sorted(self.vault.rglob("*"))]
        facts = [(thing, thing.lstat()) for thing in things]
        return [
            (str(thing), found.st_mode, found.st_uid, found.st_gid, found.st_size, found.st_mtime_ns)
            for thing, found in facts
        ]


@contextmanager
def two_accounts() -> Iterator[TwoAccounts]:
    """Such a world, gone afterwards; root alone can make it."""
    place = Path(tempfile.mkdtemp(prefix="curlew-accounts-"))
    place.chmod(0o711)
    accounts = TwoAccounts(place)
    try:
        accounts.data.mkdir(mode=0o700)
        os.chown(accounts.data, SOMEBODY, SOMEBODY)
        for folder in (accounts.vault, accounts.own):
            folder.mkdir(mode=0o700)
        for file in (accounts.treasure, accounts.vault / "file"):
            file.write_text(SECRET)
            file.chmod(0o600)
        yield accounts
    finally:
        shutil.rmtree(place, ignore_errors=True)
