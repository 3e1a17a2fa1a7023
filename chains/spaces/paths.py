"""Paths of spaces: the rule of names as refusals, and the folders that they lie in."""

from __future__ import annotations

from collections.abc import Mapping

from chains.files.names import deep, long, refusal
from chains.spaces import refusals
from vfs.errors import Invalid
from vfs.ports.blobs import Ref


def clean(path: str, *, labelled: bool = False) -> str:
    """The path without slashes at its beginning and end. Raises Invalid for a path that nothing may have.

    `labelled`: the files wait at a hold, so the label of the step that left them may stand before the path.
    """
    path = path.strip("/")
    if path and (why := refusal(path, labelled=labelled)):
        raise Invalid(why)
    return path


def parent(path: str) -> str:
    """Return the folder that a path lies in."""
    return path.rpartition("/")[0]


def with_folders(files: Mapping[str, Ref]) -> list[tuple[str, Ref | None]]:
    """Return the entries of files and of the folders above them, each after the one it lies in.

    Raises Conflict when a path leads through a file, Invalid on one that nothing may have.
    """
    entries: dict[str, Ref | None] = {clean(path, labelled=True): blob for path, blob in files.items()}
    for path in list(entries):
        while path := parent(path):
            if entries.setdefault(path, None) is not None:
                raise refusals.file_there(path)
    return sorted(entries.items(), key=lambda entry: entry[0])


def too_deep(levels: int) -> Invalid:
    """Return the refusal of a path of so many levels."""
    return Invalid(deep(levels))


def too_long(size: int) -> Invalid:
    """Return the refusal of a path of so many bytes."""
    return Invalid(long(size))
