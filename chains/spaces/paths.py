"""Paths of spaces: their form and limits, and the folders that they lie in."""

from __future__ import annotations

from collections.abc import Mapping

from chains.spaces import refusals
from vfs.errors import Invalid
from vfs.ports.world import Ref

DEEPEST = 64
LONGEST_NAME = 255
# What an index of PostgreSQL holds in one key, with room to spare.
LONGEST_PATH = 2048


def clean(path: str) -> str:
    """The path without slashes before and behind it. Raises Invalid on one that nothing may have."""
    path = path.strip("/")
    names = path.split("/") if path else []
    for name in names:
        _check_name(name)
    if len(names) > DEEPEST:
        raise too_deep(len(names))
    if len(path.encode()) > LONGEST_PATH:
        raise too_long()
    return path


def parent(path: str) -> str:
    """The folder that a path lies in."""
    return path.rpartition("/")[0]


def with_folders(files: Mapping[str, Ref]) -> list[tuple[str, Ref | None]]:
    """The entries of files and of the folders above them, each after the one it lies in.

    Raises Conflict when a path leads through a file, Invalid on one that nothing may have.
    """
    entries: dict[str, Ref | None] = {clean(path): blob for path, blob in files.items()}
    for path in list(entries):
        while path := parent(path):
            if entries.setdefault(path, None) is not None:
                raise refusals.file_there(path)
    return sorted(entries.items(), key=lambda entry: entry[0])


def too_deep(levels: int) -> Invalid:
    """The refusal of a path of so many levels."""
    return Invalid(
        f"a path in a space has at most {DEEPEST} levels and this would have {levels}: go less deep"
    )


def too_long() -> Invalid:
    """The refusal of a path of too many bytes."""
    return Invalid(f"a path in a space has at most {LONGEST_PATH} bytes as UTF-8: use shorter names")


def _check_name(name: str) -> None:
    if name in ("", ".", ".."):
        raise Invalid('a path in a space is written out in full, without "//", "." and ".."')
    try:
        size = len(name.encode())
    except UnicodeEncodeError:
        raise Invalid("a name in a space is Unicode text, without halves of surrogate pairs") from None
    if size > LONGEST_NAME:
        raise Invalid(f"a name in a space has at most {LONGEST_NAME} bytes as UTF-8, this one {size}")
    if "\\" in name or any(ord(one) < 32 or ord(one) == 127 for one in name):
        raise Invalid("a name in a space holds no backslash and no control character")
