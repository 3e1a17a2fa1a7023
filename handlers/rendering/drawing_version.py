"""Drawing version: a digest of everything other than the order that affects a render."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = (
    *(f"handlers/{name}" for name in ("render", "rendering", "rules", "services", "words")),
    "chains/language",
)
"""Folders with the code for drawing, for selecting an item's content, and for parsing."""
TYPEFACES = ("/usr/share/fonts", "/usr/local/share/fonts", "/etc/fonts")
"""Folders of fonts in addition to this program's, as in `render/fonts/fonts.conf`."""
LAYOUT_LIBRARIES = ("libpango*.so.*", "libharfbuzz*.so.*", "libfontconfig*.so.*", "libfreetype*.so.*")
SYSTEM_LIBRARIES = ("/usr/lib", "/usr/local/lib")
PACKAGES = {"site-packages", "dist-packages"}
"""Names of folders with installed packages; other import folders depend on the start command."""
COMPILED = ".pyc"


@dataclass(frozen=True, slots=True)
class DrawingParts:
    """Folders of all code, fonts and libraries for drawing: `sources` by content, others by name and size.

    `packages` are folders from which Python imports.
    """

    sources: tuple[Path, ...]
    packages: tuple[Path, ...]
    typefaces: tuple[Path, ...]
    libraries: tuple[Path, ...]

    @property
    def digest(self) -> str:
        """The SHA-256 of the parts as they are now, in hex."""
        made = sha256(sys.version.encode())
        for word in self._words():
            made.update(word)
        return made.hexdigest()

    def _words(self) -> Iterator[bytes]:
        for folder in self.sources:
            for path in files_below(folder):
                if path.suffix != COMPILED:
                    content = sha256(path.read_bytes()).hexdigest()
                    yield f"{folder.name}/{path.relative_to(folder)}\0{content}\n".encode()
        # Names and versions of installed packages are in the names of their metadata folders.
        packages = {path.name for folder in self.packages for path in folder.glob("*.*-info")}
        yield "\n".join(sorted(packages)).encode()
        yield from (stamp(path) for folder in self.typefaces for path in files_below(folder))
        libraries = (
            path
            for folder in self.libraries
            for name in LAYOUT_LIBRARIES
            for path in (*folder.glob(name), *folder.glob(f"*-linux-*/{name}"))
        )
        yield from (stamp(path) for path in sorted(libraries))


def files_below(folder: Path) -> Iterable[Path]:
    """Return all files below a folder, in the same order everywhere; empty without such a folder."""
    return sorted(path for path in folder.rglob("*") if path.is_file())


def stamp(path: Path) -> bytes:
    """Return the name and size of a file, which change with the content of system files."""
    return f"{path}\0{path.stat().st_size}\n".encode()


@cache
def drawing_version() -> str:
    """Return the drawing version, which is computed once: updates take effect after a restart."""
    return installed_parts().digest


def installed_parts() -> DrawingParts:
    """Return the parts of this installation."""
    return DrawingParts(
        tuple(ROOT / folder for folder in SOURCES),
        tuple(folder for folder in map(Path, sys.path) if folder.name in PACKAGES),
        tuple(map(Path, TYPEFACES)),
        tuple(map(Path, SYSTEM_LIBRARIES)),
    )
