"""The key that all hosts of an installation share, checked by its mark in their shared folder."""

from __future__ import annotations

from pathlib import Path

from chains.files.folder_lock import make_folder
from chains.files.fsync import place_file
from chains.files.keeper import keeper_of
from storage.bytes.seal import FileSeal, seal_of
from vfs.errors import Unavailable

NAME = ".installation-key"
MARKED = "the key of this installation"


def shared_seal(key: Path, folder: Path) -> FileSeal:
    """Return the seal of the key file, which the first host creates and marks in the shared folder.

    Raises Unavailable on a host with another key or none, when the mark cannot be read or written, and as
    `seal_of` does. No key is created when one was marked: other hosts could not open what it seals.
    """
    marked = _read(folder)
    if marked is None:
        mark_key(seal := seal_of(key), folder, replaces=False)
        marked = _read(folder) or ""
    elif key.exists():
        seal = FileSeal(key)
    else:
        raise Unavailable(f"there is no key at {key}, where key_file leads: {_way(folder)}")
    if not seal.is_mark_of(marked, MARKED):
        raise Unavailable(f"the key_file {key} has another key than the other hosts: {_way(folder)}")
    return seal


def mark_key(seal: FileSeal, folder: Path, *, replaces: bool = True) -> None:
    """Mark the newest key as that of all hosts; replace a mark only if it `replaces`. Raises Unavailable."""
    try:
        with keeper_of(folder).acting():
            make_folder(folder)
            place_file(folder / NAME, f"{seal.mark(MARKED)}\n".encode(), replaces=replaces)
    except OSError as error:
        raise Unavailable(f"the key cannot be marked in {folder}: {error.strerror}") from error


def _read(folder: Path) -> str | None:
    try:
        with keeper_of(folder).acting():
            return (folder / NAME).read_text(encoding="ascii", errors="replace").strip()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Unavailable(f"the mark of the key in {folder} cannot be read: {error.strerror}") from error


def _way(folder: Path) -> str:
    return (
        "nothing was started. Copy the key_file of a host that works; only if it is lost, remove "
        f"{folder / NAME}: the key of the next start counts then, and values of config/env are written again"
    )
