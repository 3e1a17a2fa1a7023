"""The base image that is made on this host: of its Debian packages, else of its Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from chains.host.config import PATH
from chains.host.debian_packages import PackageDatabase, fingerprint
from chains.host.debian_tree import choose_packages, debian_tree, lacking
from chains.host.rootfs import Fill, PythonInstallation, python_tree

LABEL, MADE_BY = "curlew.base", 3
"""Version of the way to make the base image: images made by another version are made again."""

SETTINGS = (f"ENV PATH={PATH}", "ENV LANG=C.UTF-8", "ENV PYTHONUNBUFFERED=1", 'CMD ["python3"]')


@dataclass(frozen=True, slots=True)
class ImageRecipe:
    """A way to make a base image: the function that makes its files, and its `source`.

    `mark` changes when its parts change, `lacking` are the packages without which it has only Python.
    """

    fill: Fill
    source: str
    mark: str
    lacking: Sequence[str] = ()

    @property
    def settings(self) -> list[str]:
        """The image's settings, its label among them."""
        return [*SETTINGS, f"LABEL {LABEL}={self.mark}"]

    @property
    def advice(self) -> str:
        """The command that makes a better one possible; empty if there is none."""
        return f"apt-get install {' '.join(self.lacking)}, and start again" if self.lacking else ""

    @classmethod
    def of_host(cls, python: Path, packages: Path) -> ImageRecipe:
        """Choose the recipe for this host.

        It uses the Debian packages in the database `packages` if none is missing, else `python`.
        """
        database = PackageDatabase(packages)
        missing = lacking(database)
        if not missing:
            found = choose_packages(database)
            source = f"{len(found)} Debian packages of this machine"
            return cls(lambda root: debian_tree(root, database), source, f"{MADE_BY}-{fingerprint(found)}")
        mark = f"{MADE_BY}-python-{python.stat().st_mtime_ns if python.exists() else 0}"
        return cls(
            lambda root: python_tree(root, PythonInstallation.at(python)),
            f"the Python of this machine, {python}",
            mark,
            missing if "dpkg" in database else (),
        )
