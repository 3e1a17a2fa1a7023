"""Copies from the file store, each compared with its recorded digest."""

from __future__ import annotations

import hashlib
from pathlib import Path

from chains.files.names import printable
from vfs.errors import NotFound
from vfs.ports.blobs import Blobs, Ref, chunks

LONGEST = 200


def copy_out(blobs: Blobs, blob: Ref, place: Path, name: str) -> None:
    """Copy a file while computing its digest. Raises NotFound with its name when the digest differs."""
    if why := try_copy(blobs, blob, place):
        said = f'The file "{printable(name)[:LONGEST]}" is not what was kept: {why}.'
        raise NotFound(f"{said} Write it again, then trigger the job again.")


def try_copy(blobs: Blobs, blob: Ref, place: Path) -> str | None:
    """Copy a file while computing its digest; return what is wrong with it in a clause, or None.

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
