"""The files of a checked-out repository, for the choice of a recipe."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path

from chains.engine.port import BuildFailed

GREATEST = 1 << 20


def path_inside(folder: Path, name: str) -> str | None:
    """Return the link-free path of the regular file in the folder that a name is or links to, or None."""
    root = Path(os.path.realpath(folder))
    try:
        place = Path(os.path.realpath(folder / name, strict=True))
    except OSError:
        return None
    return str(place.relative_to(root)) if place.is_relative_to(root) and place.is_file() else None


class RepositoryFiles:
    """The files at the root of a folder and the packages in it. A link counts as the file it leads to."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.names = sorted(name for name in os.listdir(folder) if path_inside(folder, name))

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def listing(self) -> list[str]:
        """Return all names at the root, folders with a trailing slash."""
        return sorted(e.name + "/" * (e.is_dir() and not e.is_symlink()) for e in self._folder.iterdir())

    @cached_property
    def modules(self) -> list[str]:
        """The Python files at the root."""
        return [name for name in self.names if name.endswith(".py")]

    @cached_property
    def programs(self) -> list[str]:
        """The names of packages at the root and in `src` that can be run."""
        found = []
        for above in (self._folder, self._folder / "src"):
            if above.is_dir() and (above == self._folder or not above.is_symlink()):
                names = sorted(name for name in os.listdir(above) if name.isidentifier())
                found += [name for name in names if path_inside(above, f"{name}/__main__.py")]
        return found

    def is_plain(self, name: str) -> bool:
        """Return whether a file is itself there, not through a link."""
        return path_inside(self._folder, name) == name

    def data(self, name: str) -> bytes:
        """Return the content of a file at the root. Raise BuildFailed if it is too large."""
        file = self._folder / (path_inside(self._folder, name) or name)
        if file.stat().st_size > GREATEST:
            raise BuildFailed(f"{name} is larger than {GREATEST >> 20} MiB: make it smaller and push again")
        return file.read_bytes()

    def text(self, name: str) -> str:
        """Return the content of a file as text. Raise BuildFailed if it is too large or not UTF-8."""
        try:
            return self.data(name).decode("utf-8-sig")
        except UnicodeDecodeError:
            raise BuildFailed(f"{name} is not UTF-8 text: save it as UTF-8 and push again") from None
