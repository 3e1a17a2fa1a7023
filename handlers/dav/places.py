"""Addresses of the drive, and what they show of the tree."""

from __future__ import annotations

from typing import NamedTuple

from handlers.rules.addresses import API, DRIVE
from vfs.errors import NotFound
from vfs.path import Path

SPACES, SHARED, TREE = "spaces", "shared", API[0]
"""Folders of the drive: the caller's spaces, those that others share by owner, and the tree, read-only."""
HERE = Path((DRIVE,))
TOP = (SPACES, SHARED, TREE)


class Place(NamedTuple):
    """An address: its names below `/dav`, and the path in the tree (empty: a folder of the drive itself)."""

    names: Path
    path: Path

    @property
    def depth(self) -> int:
        """The number of names from the one of the space on; 0 if the address is in no space."""
        above = {SPACES: 1, SHARED: 2}.get(self.names[0]) if self.names else None
        return 0 if above is None else max(len(self.names) - above, 0)

    @property
    def item(self) -> Path:
        """The path of the space itself."""
        return Path(self.path[:6])

    @property
    def rest(self) -> str:
        """The path inside the space."""
        return "/".join(self.names[len(self.names) - self.depth + 1 :])


def place_of(path: Path, me: str) -> Place:
    """Return the place of an address of the drive. Raises NotFound for what no drive has."""
    names = Path(path[1:])
    if not names or names == (SHARED,):
        return Place(names, Path())
    if names[0] == TREE:
        return Place(names, API / names[1:])
    if names[0] not in TOP:
        raise NotFound(f"there is no {path}: a drive has the folders {', '.join(TOP)}")
    owner, rest = (me, names[1:]) if names[0] == SPACES else (names[1], names[2:])
    spaces = API / ("users", owner, "code", "spaces")
    return Place(names, spaces / (rest[0], "content", *rest[1:]) if rest else spaces)


def address(names: Path, *, folder: bool) -> str:
    """Return the address of names below `/dav`, that of a folder with a slash at its end."""
    return f"{HERE / names}{'/' * folder}"
