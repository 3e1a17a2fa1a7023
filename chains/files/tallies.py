"""Tallies: recorded summaries of files, compared with the files before these are used; digests of copies."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from chains.files.names import printable
from vfs.errors import Gone, NotFound
from vfs.ports.blobs import Blobs, Ref, chunks

WHOLE = 16 << 20
"""Bytes up to which a tally covers the content: all of it is read again, which takes some milliseconds."""

FEW = 1_000
"""Number of files up to which a tally covers their content."""

NO_FILE = -1
LONGEST = 200
AGAIN = (
    "Trigger the job again. For the operator of this server: the files of runs are in the folder runs of its "
    "data, which a backup must contain, and which web and runner share"
)

Sizes = Mapping[str, int]
"""Files below a folder: sizes by path. Special files have the size NO_FILE."""


def sizes_in(folder: Path) -> dict[str, int]:
    """Return the files below a folder; links are not followed.

    Raises OSError; FileNotFoundError without the folder.
    """
    sizes: dict[str, int] = {}
    waiting = [(str(folder), "")]
    while waiting:
        path, prefix = waiting.pop()
        with os.scandir(path) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append((entry.path, f"{prefix}{entry.name}/"))
                    continue
                found = entry.stat(follow_symlinks=False)
                sizes[prefix + entry.name] = found.st_size if stat.S_ISREG(found.st_mode) else NO_FILE
    return sizes


@dataclass(frozen=True, slots=True)
class Tally:
    """The number of files below a folder, their total size, and a digest of their paths and sizes.

    For at most 1,000 files and 16 MiB the digest covers their content, too.
    """

    count: int
    size: int
    digest: str

    def __str__(self) -> str:
        return f"{self.count} {self.size} {self.digest}"


def tally_of(folder: Path, sizes: Sizes | None = None) -> Tally:
    """Return the tally of the files below a folder; `sizes` if they are known. Raises OSError."""
    sizes = sizes_in(folder) if sizes is None else sizes
    total, digest = sum(sizes.values()), blake2b(digest_size=16)
    inside = len(sizes) <= FEW and total <= WHOLE
    for rel, size in sorted(sizes.items()):
        digest.update(b"%d %d " % (len(os.fsencode(rel)), size) + os.fsencode(rel))
        if inside and size > 0:
            digest.update(_content(folder / rel))
    return Tally(len(sizes), total, digest.hexdigest())


def read_tally(text: str) -> Tally:
    """Parse a tally that `str` made. Raises ValueError."""
    count, size, digest = text.split(" ")
    return Tally(int(count), int(size), digest)


def require_kept(folder: Path, tally: str | None, about: str, known: Sizes | None = None) -> Sizes:
    """Return the files below a folder after comparing them with their tally (None: recorded before tallies).

    `known` are the recorded files, if their names are known. Raises Gone with `about` ("the input of the
    run") and what is missing, OSError.
    """
    kept = read_tally(tally) if tally is not None else None
    try:
        sizes = sizes_in(folder)
        if kept is None or tally_of(folder, sizes) == kept:
            return sizes
    except FileNotFoundError:
        raise refusal_of(about, _without_folder(kept)) from None
    named = difference(sizes, known) if known is not None and len(known) == kept.count else None
    raise refusal_of(about, named or _unlike(Tally(len(sizes), sum(sizes.values()), ""), kept))


def require_files(folder: Path, known: Sizes, about: str) -> None:
    """Raise Gone unless the folder has just the known files, with their sizes."""
    try:
        found = difference(sizes_in(folder), known)
    except FileNotFoundError:
        raise refusal_of(about, _without_folder(Tally(len(known), sum(known.values()), ""))) from None
    if found is not None:
        raise refusal_of(about, found)


def difference(there: Sizes, kept: Sizes) -> str | None:
    """Return the first file that differs from its record; None if there is none."""
    odd = sorted(rel for rel in there.keys() | kept.keys() if there.get(rel) != kept.get(rel))
    if not odd:
        return None
    rel = odd[0]
    if rel not in there:
        said = "is missing"
    elif rel not in kept:
        said = "is there, but was not stored"
    elif there[rel] == NO_FILE:
        said = "is not a file any more"
    else:
        said = f"has {_bytes(there[rel])} in place of {kept[rel]:,}"
    more = f", and {len(odd) - 1:,} more are not as they were" if len(odd) > 1 else ""
    return f'"{printable(rel)[:LONGEST]}" {said}{more}'


def refusal_of(about: str, what: str) -> Gone:
    """Return the refusal to use files that differ from their record."""
    return Gone(f"{about[:1].upper()}{about[1:]} is not as it was stored: {what}. {AGAIN}.")


def _content(file: Path) -> bytes:
    """Return the content of a file, even if it is changed meanwhile; links are refused. Raises OSError."""
    handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as opened:
        return opened.read(WHOLE + 1)


def _without_folder(kept: Tally | None) -> str:
    had = f", which held {_files(kept.count)} with {_bytes(kept.size)}" if kept is not None else ""
    return f"its folder is not there{had}"


def _unlike(there: Tally, kept: Tally) -> str:
    if there.count != kept.count:
        return f"{_files(there.count)} {'is' if there.count == 1 else 'are'} there in place of {kept.count:,}"
    if there.size != kept.size:
        return f"it has {_bytes(there.size)} in place of {kept.size:,}"
    return "there are as many files and bytes, but they are not the same"


def _files(count: int) -> str:
    return f"{count:,} {'file' if count == 1 else 'files'}"


def _bytes(count: int) -> str:
    return f"{count:,} {'byte' if count == 1 else 'bytes'}"


def copy_out(blobs: Blobs, blob: Ref, place: Path, name: str) -> None:
    """Copy a file while computing its digest. Raises NotFound with its name when the digest differs."""
    if why := try_copy(blobs, blob, place):
        said = f'The file "{printable(name)[:LONGEST]}" is not what was kept: {why}.'
        raise NotFound(f"{said} Write it again, then trigger the job again.")


def try_copy(blobs: Blobs, blob: Ref, place: Path) -> str | None:
    """Copy a file while computing its digest. Return its fault in a clause, or None.

    Raises Unavailable, OSError.
    """
    hashed, size = hashlib.sha256(), 0
    try:
        with blobs.open(blob) as source, place.open("wb") as file:
            for piece in chunks(source):
                hashed.update(piece)
                size += len(piece)
                file.write(piece)
    except NotFound:
        return "it is gone from the server's file store"
    if hashed.hexdigest() == blob.digest:
        return None
    said = f"it has {size:,} bytes in place of {blob.size:,}" if size != blob.size else "it was changed"
    return f"in the server's file store {said}"
