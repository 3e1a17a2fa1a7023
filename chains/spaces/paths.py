"""Paths of spaces: the rule for names, its refusals, and parent folders."""

from __future__ import annotations

from collections.abc import Mapping

from chains.files.names import deep, long, refusal
from chains.spaces import refusals
from vfs.errors import Invalid
from vfs.ports.blobs import Ref


def clean(path: str, *, labelled: bool = False) -> str:
    """Return the path without slashes at its ends. Raises Invalid for a path that is not allowed.

    `labelled`: the files are at a hold, so the label of their step may precede the path.
    """
    path = path.strip("/")
    if path and (why := refusal(path, labelled=labelled)):
        raise Invalid(why)
    return path


def parent(path: str) -> str:
    """Return the parent folder of a path."""
    return path.rpartition("/")[0]


def with_folders(files: Mapping[str, Ref]) -> list[tuple[str, Ref | None]]:
    """Return the entries of files and of their parent folders, parents first.

    Raises Conflict when a path leads through a file, Invalid for a path that is not allowed.
    """
    entries: dict[str, Ref | None] = {clean(path, labelled=True): blob for path, blob in files.items()}
    for path in list(entries):
        while path := parent(path):
            if entries.setdefault(path, None) is not None:
                raise refusals.file_there(path)
    return sorted(entries.items(), key=lambda entry: entry[0])


def too_deep(levels: int) -> Invalid:
    """Return the refusal of a path with too many levels."""
    return Invalid(deep(levels))


def too_long(size: int) -> Invalid:
    """Return the refusal of a path with too many bytes."""
    return Invalid(long(size))
