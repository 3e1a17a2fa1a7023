"""Names of files that come out of a book: they lead nowhere but where they seem to, and can be shown."""

from __future__ import annotations

from pathlib import Path

from vfs.errors import Invalid


def plain(name: str) -> bool:
    """Whether it is the name of one file in a folder."""
    return name not in ("", ".", "..") and "/" not in name and "\0" not in name


def below(folder: Path, rel: str) -> Path:
    """The place of a relative path in a folder. Raises Invalid for one that leads out of it."""
    if not all(map(plain, rel.split("/"))):
        raise Invalid(f"The path {printable(rel)[:200]} leads out of its folder; write the file again.")
    return folder / rel


def printable(name: str) -> str:
    """A file name as it may stand in a log."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in name)
