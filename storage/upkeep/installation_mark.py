"""The mark of an installation in its database, folders and stores, and the mark of its hosts' key.

Blobs without a row are removed after an hour, and runs whose input is missing fail. So a database that is
used with the folder or bucket of another installation, or with the empty mount point of an unmounted disk,
must be detected before the server starts.
"""

from __future__ import annotations

import logging
import re
import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from chains.files.folder_lock import make_folder
from chains.files.fsync import place_file
from chains.files.keeper import keeper_of
from storage.bytes.seal import FileSeal, seal_of
from storage.database.database import Database
from vfs.errors import Conflict, Unavailable

NAME = ".installation"
DRAFT = ".installation.new"
LONGEST = 200
MARK = re.compile(r"[0-9a-f]{32}")
CONTENTS = ("blobs", "repos", "runs", "curlew.db")
"""A data folder that was used with a database contains at least one of these names."""

FIND = "SELECT mark FROM installation WHERE id = 1"
_log = logging.getLogger(__name__)

ENTER = "INSERT INTO installation (id, mark) VALUES (1, :mark) ON CONFLICT (id) DO NOTHING"


class MarkedPlace(Protocol):
    """A folder or store that belongs to an installation."""

    @property
    def shown(self) -> str:
        """Its name in error messages."""

    @property
    def where(self) -> str:
        """The path or address of its mark, for error messages."""

    @property
    def may_be_away(self) -> bool:
        """Whether the installation starts, and serves its other data, if the place does not answer."""

    def read(self, name: str = NAME) -> str | None:
        """Return its mark, or None. Raises Unavailable if it is unreadable or invalid."""

    def write(self, name: str, mark: str) -> None:
        """Write its mark durably and remove the draft, or write a missing draft. Raises Unavailable."""

    def forget_draft(self) -> None:
        """Remove the draft of a mark, if it exists."""

    def is_new(self, mark: str) -> bool:
        """Return whether it may get this mark: its draft or mark is the same, or it may join and is empty."""


def require_mark(text: str, where: str) -> str:
    """Return the text. Raises Unavailable when it is not a mark."""
    if not MARK.fullmatch(text):
        raise Unavailable(f"{where} is no mark of an installation: restore it, or move it away")
    return text


@dataclass(frozen=True, slots=True)
class MarkedFolder:
    """A folder that belongs to an installation, and its name in error messages.

    `may_join`: while it is empty, it may become part of the installation, as the folder of a new host.
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
        """Return the mark as MarkedPlace.read does."""
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
        """Write the mark as MarkedPlace.write does."""
        try:
            with keeper_of(self.path).acting():
                make_folder(self.path)
                place_file(self.path / name, f"{mark}\n".encode(), replaces=name == NAME)
        except OSError as error:
            raise Unavailable(f"{self.shown} cannot be marked: {error.strerror}") from error
        if name == NAME:
            self.forget_draft()

    def forget_draft(self) -> None:
        """Remove the draft as MarkedPlace.forget_draft does."""
        with keeper_of(self.path).acting(), suppress(OSError):
            (self.path / DRAFT).unlink()

    def is_new(self, mark: str) -> bool:
        """Return whether it may get this mark, as MarkedPlace.is_new does."""
        if mark in (self.read(DRAFT), self.read()):
            return True
        return self.may_join and not any((self.path / name).exists() for name in CONTENTS)


def new_mark() -> str:
    """Return a new random mark."""
    return secrets.token_hex(16)


def require_own(database: Database, named: str, places: Sequence[MarkedPlace]) -> None:
    """Check that a database and places have the same mark. Write one if none has a mark.

    Concurrent processes agree on one mark. The first place must be the one that most of them share. `named`
    is the database's name in error messages, without a password. Raises Conflict, with both names, when they
    belong to different installations; Unavailable when a mark cannot be read or written.
    """
    # Read the row last: a concurrent process inserts it before it marks any place.
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
    """Check again that a place has the mark of the database. Raises Conflict, Unavailable."""
    if (mark := place.read()) != (row := _row(database)):
        raise Conflict(
            f"{place.shown} does not have the mark of the database ({mark or 'none'}, not {row}), so "
            "nothing is removed from it: name the store of this installation, or write "
            f"{row} into {place.where}"
        )


def _marks(places: Sequence[MarkedPlace]) -> tuple[list[tuple[MarkedPlace, str | None]], Unavailable | None]:
    """Return the places that answer, with their marks, and the error of one that may be away."""
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
    """Insert a mark into the database. Return the one that it has then.

    After a power cut, the drafts show the next process that these places should get the mark.
    """
    first = places[0]
    first.write(DRAFT, new_mark())
    mark = first.read(DRAFT) or first.read() or new_mark()
    for place in places[1:]:
        place.write(DRAFT, mark)
    database.run(ENTER, mark=mark)
    return _row(database) or mark


def _refusal(place: MarkedPlace, mark: str | None, named: str, row: str | None) -> str:
    """Return the message that names both marks, and what to do."""
    if mark is None:
        said = (
            f"{place.shown} has no mark of an installation, and the database {named} belongs to one ({row}): "
            "this place was not used with that database, or its disk is not mounted"
        )
        way = f"write {row} into {place.where}"
    elif row is None:
        said = f"{place.shown} belongs to an installation ({mark}), and the database {named} is new"
        way = f"move {place.where} away"
    else:
        said = f"{place.shown} belongs to another installation ({mark}) than the database {named} ({row})"
        way = f"write {row} into {place.where}"
    return (
        f"{said}. Nothing was started. Correct the settings that belong together (data, database_url, "
        f"repos_folder, blobs_url); only to use these two together from now on, {way}"
    )


KEY_MARK = ".installation-key"
MARKED = "the key of this installation"


def shared_seal(key: Path, folder: Path) -> FileSeal:
    """Return the seal of the key file, which the first host creates and marks in the shared folder.

    Raises Unavailable on a host with another key or none, if the mark cannot be read or written, and as
    `seal_of` does. If a key was marked, no new one is created: other hosts could not open texts sealed by it.
    """
    marked = _read_key_mark(folder)
    if marked is None:
        mark_key(seal := seal_of(key), folder, replaces=False)
        marked = _read_key_mark(folder) or ""
    elif key.exists():
        seal = FileSeal(key)
    else:
        raise Unavailable(f"there is no key at {key}, where key_file leads: {_way(folder)}")
    if not seal.is_mark_of(marked, MARKED):
        raise Unavailable(f"the key_file {key} has another key than the other hosts: {_way(folder)}")
    return seal


def mark_key(seal: FileSeal, folder: Path, *, replaces: bool = True) -> None:
    """Mark the newest key as that of all hosts. Replace a mark only if it `replaces`. Raises Unavailable."""
    try:
        with keeper_of(folder).acting():
            make_folder(folder)
            place_file(folder / KEY_MARK, f"{seal.mark(MARKED)}\n".encode(), replaces=replaces)
    except OSError as error:
        raise Unavailable(f"the key cannot be marked in {folder}: {error.strerror}") from error


def _read_key_mark(folder: Path) -> str | None:
    try:
        with keeper_of(folder).acting():
            return (folder / KEY_MARK).read_text(encoding="ascii", errors="replace").strip()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Unavailable(f"the mark of the key in {folder} cannot be read: {error.strerror}") from error


def _way(folder: Path) -> str:
    return (
        "nothing was started. Copy the key_file of a host that works; only if it is lost, remove "
        f"{folder / KEY_MARK}: the key of the next start counts then, and values of config/env are written "
        "again"
    )
