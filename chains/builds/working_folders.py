"""Working folders of a Dockerfile's stages, and the mounts that are named below them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from chains.builds.recipe_words import Word
from chains.engine.port import BuildFailed

LONGEST = 4096
"""Characters of a path, as Linux has no longer ones."""
_TARGET = re.compile(r"(?:^|,)(?:target|dst|destination)=(?P<path>[^,]+)")


class WorkingFolders:
    """The folder in which the present stage works. `known`: those of stages, by their names in lower case.

    A stage that begins with an unknown image works in the root.
    """

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._here = "/"
        self._stage = ""

    def begin(self, base: str, stage: str) -> None:
        """Begin a stage on an image or on a stage before."""
        self._here = self._known.get(base.lower(), "/")
        self._stage = stage.lower()
        self._known[self._stage] = self._here

    def change(self, path: str) -> None:
        """Go to a folder (WORKDIR)."""
        self._here = self.place(path.strip("\"'"))
        self._known[self._stage] = self._here

    def place(self, path: str) -> str:
        """The path from the root; one that begins with a variable is left as it is. Raises BuildFailed."""
        found = path if path.startswith(("/", "$")) else posixpath.normpath(posixpath.join(self._here, path))
        if len(found) > LONGEST:
            raise BuildFailed(f"the path of a folder in the recipe is longer than {LONGEST:,} characters")
        return found


def target_of(flag: Word) -> Iterator[Word]:
    """The place in the container that a flag mounts something at."""
    if flag.text.startswith("--mount="):
        start = len("--mount=")
        for found in _TARGET.finditer(flag.text[start:]):
            yield Word(flag.start + start + found.start("path"), found["path"])
