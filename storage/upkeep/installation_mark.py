"""The mark of an installation: a row of its database, and a file in each place that belongs to it.

Blobs that no row names are removed after an hour, and a run whose input is not there fails. So a database
beside the folder or the bucket of another installation, or beside the empty place of a disk that is not
mounted, must be noticed before anything is served.
"""

from __future__ import annotations

import logging
import os
import re
import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from chains.files.folder_lock import make_folder
from chains.files.fsync import settle
from chains.files.keeper import keeper_of
from storage.database.database import Database
from vfs.errors import Conflict, Unavailable

NAME = ".installation"
DRAFT = ".installation.new"
LONGEST = 200
MARK = re.compile(r"[0-9a-f]{32}")
CONTENTS = ("blobs", "repos", "runs", "curlew.db")
"""What a folder that was used with a database has, some of it at least."""

FIND = "SELECT mark FROM installation WHERE id = 1"
_log = logging.getLogger(__name__)

ENTER = "INSERT INTO installation (id, mark) VALUES (1, :mark) ON CONFLICT (id) DO NOTHING"


class MarkedPlace(Protocol):
    """A place that belongs to an installation."""

    @property
    def shown(self) -> str:
        """Its name in a refusal."""
        ...

    @property
    def where(self) -> str:
        """The place of its mark, for people."""
        ...

    @property
    def may_be_away(self) -> bool:
        """Whether the installation starts when the place does not answer, as what else it has is served."""
        ...

    def read(self, name: str = NAME) -> str | None:
        """Its mark; None when it has none. Raises Unavailable when it cannot be read, or is none."""
        ...

    def write(self, name: str, mark: str) -> None:
        """Mark it durably, its draft is forgotten then; a draft that is there stays. Raises Unavailable."""
        ...

    def forget_draft(self) -> None:
        """Remove the draft of a mark, if there is one."""
        ...

    def is_new(self, mark: str) -> bool:
        """Whether it just gets this mark: it began with its database, or may join and nothing is in it."""
        ...


def require_mark(text: str, where: str) -> str:
    """The text, which is a mark. Raises Unavailable when it is none."""
    if not MARK.fullmatch(text):
        raise Unavailable(f"{where} is no mark of an installation: restore it, or move it away")
    return text


@dataclass(frozen=True, slots=True)
class MarkedFolder:
    """A folder that belongs to an installation, and what it is called in a refusal.

    `may_join`: while nothing is kept in it, it becomes the installation's, as that of a host that is new.
    """

    path: Path
    about: str
    may_join: bool = False
    may_be_away: bool = False

    @property
    def shown(self) -> str:
        """Its name and path."""
        return f"the {self.about} {self.path}"

    @property
    def where(self) -> str:
        """The path of its mark."""
        return str(self.path / NAME)

    def read(self, name: str = NAME) -> str | None:
        """As MarkedPlace.read."""
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
        return require_mark(mark, str(file))

    def write(self, name: str, mark: str) -> None:
        """As MarkedPlace.write."""
        draft = self.path / f"{DRAFT}-{secrets.token_hex(4)}"
        try:
            with keeper_of(self.path).acting():
                make_folder(self.path)
                draft.write_text(f"{mark}\n")
                settle(draft)
                if name == NAME:
                    draft.rename(self.path / NAME)
                else:
                    with suppress(FileExistsError):
                        os.link(draft, self.path / name)
                    draft.unlink()
                settle(self.path)
        except OSError as error:
            raise Unavailable(f"{self.shown} cannot be marked: {error.strerror}") from error
        if name == NAME:
            self.forget_draft()

    def forget_draft(self) -> None:
        """As MarkedPlace.forget_draft."""
        with keeper_of(self.path).acting(), suppress(OSError):
            (self.path / DRAFT).unlink()

    def is_new(self, mark: str) -> bool:
        """As MarkedPlace.is_new."""
        if mark in (self.read(DRAFT), self.read()):
            return True
        return self.may_join and not any((self.path / name).exists() for name in CONTENTS)


def new_mark() -> str:
    """A mark that no other installation has."""
    return secrets.token_hex(16)


def require_own(database: Database, named: str, places: Sequence[MarkedPlace]) -> None:
    """Have a database and places marked as one installation's, or see that they are.

    Where none has a mark they all get one, whichever of several processes comes first; the first place is the
    one that most of these share. `named` is what the database is called in a refusal, without a password.
    Raises Conflict, with both names, when they are not of one installation; Unavailable when a mark cannot be
    read or written.
    """
    # The row is read last: a process that begins meanwhile enters it before any place has its mark.
    marks, away = _marks(places)
    row = _row(database)
    if row is None and away is not None:
        raise away
    if row is None and not any(mark for _, mark in marks):
        row = _begin(database, places)
    for place, mark in marks:
        if mark == row:
            continue
        if row is not None and mark is None and place.is_new(row):
            place.write(NAME, row)
            continue
        place.forget_draft()
        raise Conflict(_refusal(place, mark, named, row))


def require_same(database: Database, place: MarkedPlace) -> None:
    """See just now that a place has the mark of the database. Raises Conflict, Unavailable."""
    if (mark := place.read()) != (row := _row(database)):
        raise Conflict(
            f"{place.shown} has not the mark of the database ({mark or 'none'}, not {row}), so nothing is "
            f"removed from it: name the store of this installation, or write {row} into {place.where}"
        )


def _marks(places: Sequence[MarkedPlace]) -> tuple[list[tuple[MarkedPlace, str | None]], Unavailable | None]:
    """The places that answer with their marks, and why one does not that may be away."""
    found: list[tuple[MarkedPlace, str | None]] = []
    away: Unavailable | None = None
    for place in places:
        try:
            found.append((place, place.read()))
        except Unavailable as error:
            if not place.may_be_away:
                raise
            _log.warning("%s was not compared with the database: %s", place.shown, error.detail)
            away = error
    return found, away


def _row(database: Database) -> str | None:
    mark = database.value(FIND)
    return None if mark is None else str(mark)


def _begin(database: Database, places: Sequence[MarkedPlace]) -> str:
    """Enter a mark in the database; the one that is there then.

    The drafts tell who starts after a power cut that these places were about to get it.
    """
    first = places[0]
    first.write(DRAFT, new_mark())
    mark = first.read(DRAFT) or first.read() or new_mark()
    for place in places[1:]:
        place.write(DRAFT, mark)
    database.run(ENTER, mark=mark)
    return _row(database) or mark


def _refusal(place: MarkedPlace, mark: str | None, named: str, row: str | None) -> str:
    """The sentence that names both, and what to do."""
    if mark is None:
        said = (
            f"{place.shown} has no mark of an installation, and the database {named} belongs to one ({row}): "
            "this is another place than the one that was used with it, or its disk is not mounted"
        )
        way = f"write {row} into {place.where}"
    elif row is None:
        said = f"{place.shown} belongs to an installation ({mark}), and the database {named} is new"
        way = f"move {place.where} away"
    else:
        said = f"{place.shown} belongs to another installation ({mark}) than the database {named} ({row})"
        way = f"write {row} into {place.where}"
    return (
        f"{said}. Nothing was started. Let the settings name what belongs together (data, database_url, "
        f"repos_folder, blobs_url); only if these two shall from now on, {way}"
    )
