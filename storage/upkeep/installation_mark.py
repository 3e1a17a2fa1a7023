"""The mark of an installation: a row of its database, and a file in each folder that belongs to it.

Blobs that no row names are removed after an hour, and a run whose input is not there fails. So a database
beside the folder of another installation, or beside the empty place of a disk that is not mounted, must be
noticed before anything is served.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from chains.files.fsync import settle
from chains.files.keeper import keeper_of
from chains.files.ownership import make_folder
from storage.database.database import Database
from vfs.errors import Conflict, Unavailable

NAME = ".installation"
DRAFT = ".installation.new"
LONGEST = 200
MARK = re.compile(r"[0-9a-f]{32}")
CONTENTS = ("blobs", "repos", "runs", "curlew.db")
"""What a folder that was used with a database has, some of it at least."""

FIND = "SELECT mark FROM installation WHERE id = 1"
ENTER = "INSERT INTO installation (id, mark) VALUES (1, :mark) ON CONFLICT (id) DO NOTHING"


@dataclass(frozen=True, slots=True)
class MarkedFolder:
    """A folder that belongs to an installation, and what it is called in a refusal.

    `may_join`: while nothing is kept in it, it becomes the installation's, as that of a host that is new.
    """

    path: Path
    about: str
    may_join: bool = False

    @property
    def file(self) -> Path:
        """The file with its mark."""
        return self.path / NAME

    def read(self, name: str = NAME) -> str | None:
        """Its mark; None when it has none. Raises Unavailable when it cannot be read, or is none."""
        file = self.path / name
        try:
            with keeper_of(self.path).acting(), file.open(encoding="ascii", errors="replace") as opened:
                mark = opened.read(LONGEST).strip()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise Unavailable(
                f"the mark of the {self.about}, {file}, cannot be read: {error.strerror}"
            ) from error
        if not MARK.fullmatch(mark):
            raise Unavailable(f"{file} is no mark of an installation: restore it, or move it away")
        return mark

    def write(self, name: str, mark: str) -> None:
        """Mark it durably; a draft that is there stays. Raises Unavailable."""
        draft = self.path / f"{DRAFT}-{secrets.token_hex(4)}"
        try:
            with keeper_of(self.path).acting():
                make_folder(self.path)
                draft.write_text(f"{mark}\n")
                settle(draft)
                if name == NAME:
                    draft.rename(self.file)
                else:
                    with suppress(FileExistsError):
                        os.link(draft, self.path / name)
                    draft.unlink()
                settle(self.path)
        except OSError as error:
            raise Unavailable(f"the {self.about} {self.path} cannot be marked: {error.strerror}") from error

    def forget_draft(self) -> None:
        """Remove the draft of a mark, if there is one."""
        with keeper_of(self.path).acting(), suppress(OSError):
            (self.path / DRAFT).unlink()

    def is_new(self, mark: str) -> bool:
        """Whether it just gets this mark: it began with its database, or may join and nothing is in it."""
        if mark in (self.read(DRAFT), self.read()):
            return True
        return self.may_join and not any((self.path / name).exists() for name in CONTENTS)


def new_mark() -> str:
    """A mark that no other installation has."""
    return secrets.token_hex(16)


def require_own(database: Database, named: str, folders: Sequence[MarkedFolder]) -> None:
    """Have a database and folders marked as one installation's, or see that they are.

    Where none has a mark they all get one, whichever of several processes comes first. `named` is what the
    database is called in a refusal, without a password. Raises Conflict, with both names, when they are not
    of one installation; Unavailable when a mark cannot be read or written.
    """
    marks = [(folder, folder.read()) for folder in folders]
    row = _row(database)
    if row is None and not any(mark for _, mark in marks):
        row = _begin(database, folders)
    for folder, mark in marks:
        if mark == row:
            continue
        if row is not None and mark is None and folder.is_new(row):
            folder.write(NAME, row)
            folder.forget_draft()
            continue
        folder.forget_draft()
        raise Conflict(_refusal(folder, mark, named, row))


def _row(database: Database) -> str | None:
    mark = database.value(FIND)
    return None if mark is None else str(mark)


def _begin(database: Database, folders: Sequence[MarkedFolder]) -> str:
    """Enter a mark in the database; the one that is there then.

    The drafts tell who starts after a power cut that these folders were about to get it.
    """
    first = folders[0]
    first.write(DRAFT, new_mark())
    mark = first.read(DRAFT) or first.read() or new_mark()
    for folder in folders[1:]:
        folder.write(DRAFT, mark)
    database.run(ENTER, mark=mark)
    return _row(database) or mark


def _refusal(folder: MarkedFolder, mark: str | None, named: str, row: str | None) -> str:
    """The sentence that names both, and what to do."""
    shown = f"the {folder.about} {folder.path}"
    if mark is None:
        said = (
            f"{shown} has no mark of an installation, and the database {named} belongs to one ({row}): this "
            "is another folder than the one that was used with it, or its disk is not mounted"
        )
        way = f"write {row} into {folder.file}"
    elif row is None:
        said = f"{shown} belongs to an installation ({mark}), and the database {named} is new"
        way = f"move {folder.file} away"
    else:
        said = f"{shown} belongs to another installation ({mark}) than the database {named} ({row})"
        way = f"write {row} into {folder.file}"
    return (
        f"{said}. Nothing was started. Let the settings name what belongs together (data, database_url, "
        f"repos_folder); only if these two shall from now on, {way}"
    )
