"""The folder that is built: its copy in a box, and its recipe."""

from __future__ import annotations

import os
import re
import shutil
import stat
from pathlib import Path

from chains.engine.port import BuildFailed


def recipe_of(context: Path, recipe: str) -> str:
    """Return the text of the recipe, which must be a regular file in the folder. Raise BuildFailed."""
    path = Path(recipe)
    found = context
    for part in path.parts:
        found /= part
        if part == ".." or path.is_absolute() or found.is_symlink():
            raise BuildFailed(f"{recipe} is not a plain file of the repository: replace it by one")
    if not found.exists() or not stat.S_ISREG(found.stat().st_mode):
        raise BuildFailed(f"there is no file {recipe} to build by")
    return found.read_text(errors="replace")


def runs_commands(recipe: str) -> bool:
    """Return whether a recipe runs commands. If not, a new build is faster than a cache."""
    return bool(re.search(r"^[^\S\n]*RUN\b", recipe, re.IGNORECASE | re.MULTILINE))


def copy(context: Path, target: Path, owner: int) -> None:
    """Copy the folder for the host's user `owner`: links as links, no devices or pipes. Raise OSError."""
    target.mkdir(mode=0o755)
    os.chown(target, owner, owner)
    for entry in os.scandir(context):
        place = target / entry.name
        if entry.is_symlink():
            place.symlink_to(os.readlink(entry))
        elif entry.is_dir():
            copy(Path(entry), place, owner)
            place.chmod(stat.S_IMODE(entry.stat().st_mode) & 0o777)
        elif entry.is_file():
            shutil.copy2(entry, place)
            os.chown(place, owner, owner)
            place.chmod(stat.S_IMODE(entry.stat().st_mode) & 0o777)
