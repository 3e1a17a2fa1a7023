"""Tallies: what the book says of files that were kept, compared with what is there when they are used."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from chains.files.names import printable
from vfs.errors import Gone

WHOLE = 16 << 20
"""Bytes up to which a tally says what is in the files: they are read again, which costs some milliseconds."""

FEW = 1_000
"""Files up to which a tally says what is in them."""

NO_FILE = -1
LONGEST = 200
AGAIN = (
    "Trigger the job again. For the operator of this server: the files of runs lie in the folder runs of its "
    "data, which a backup has to hold, and which web and runner share"
)

Sizes = Mapping[str, int]
"""Files below a folder: sizes by path. What is neither a file nor a folder has the size NO_FILE."""


def sizes_in(folder: Path) -> dict[str, int]:
    """Return the files below a folder; no link is followed.

    Raises OSError, FileNotFoundError where it is not there.
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
    """The number of files below a folder, their bytes together, and a digest of their paths and sizes.

    Of at most 1,000 files with 16 MiB it is one of what is in them, too.
    """

    count: int
    size: int
    digest: str

    def __str__(self) -> str:
        return f"{self.count} {self.size} {self.digest}"


def tally_of(folder: Path, sizes: Sizes | None = None) -> Tally:
    """The tally of the files below a folder; `sizes` are theirs, when they are known. Raises OSError."""
    sizes = sizes_in(folder) if sizes is None else sizes
    total, digest = sum(sizes.values()), blake2b(digest_size=16)
    inside = len(sizes) <= FEW and total <= WHOLE
    for rel, size in sorted(sizes.items()):
        digest.update(b"%d %d " % (len(os.fsencode(rel)), size) + os.fsencode(rel))
        if inside and size > 0:
            digest.update(_content(folder / rel))
    return Tally(len(sizes), total, digest.hexdigest())


def read_tally(text: str) -> Tally:
    """Return the tally that `str` wrote. Raises ValueError."""
    count, size, digest = text.split(" ")
    return Tally(int(count), int(size), digest)


def require_kept(folder: Path, tally: str | None, about: str, known: Sizes | None = None) -> Sizes:
    """The files below a folder, which are those that were tallied; None, of an older book, asks for no more.

    `known` are the tallied files, where they are known by name. Raises Gone with `about` ("the input of the
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
    """Raise Gone unless just the known files are below a folder, each as long as it was."""
    try:
        found = difference(sizes_in(folder), known)
    except FileNotFoundError:
        raise refusal_of(about, _without_folder(Tally(len(known), sum(known.values()), ""))) from None
    if found is not None:
        raise refusal_of(about, found)


def difference(there: Sizes, kept: Sizes) -> str | None:
    """Return the first of the files that are not as they were kept; None when all are."""
    odd = sorted(rel for rel in there.keys() | kept.keys() if there.get(rel) != kept.get(rel))
    if not odd:
        return None
    rel = odd[0]
    if rel not in there:
        said = "is missing"
    elif rel not in kept:
        said = "is there, which was not"
    elif there[rel] == NO_FILE:
        said = "is no file any more"
    else:
        said = f"has {_bytes(there[rel])} in place of {kept[rel]:,}"
    more = f", and {len(odd) - 1:,} more are not as they were" if len(odd) > 1 else ""
    return f'"{printable(rel)[:LONGEST]}" {said}{more}'


def refusal_of(about: str, what: str) -> Gone:
    """Return the refusal to work with files that are not what the book says of them."""
    return Gone(f"{about[:1].upper()}{about[1:]} is not as it was stored: {what}. {AGAIN}.")


def _content(file: Path) -> bytes:
    """Return the content of a file, however it was changed meanwhile; a link is none. Raises OSError."""
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
