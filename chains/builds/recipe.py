"""The recipe of a pushed repository: its own Dockerfile, or one made for the program in it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from chains.builds.foreign_files import dockerfile_for, find_foreign
from chains.builds.packages import Installation, installation_of, json_words
from chains.builds.programs import Program, program_of
from chains.builds.repository_files import RepositoryFiles, path_inside
from chains.engine.port import BuildFailed

OWN = ("Dockerfile", "Containerfile")
LEFT_OUT = re.compile(rf"left out ({'|'.join(OWN)}): (.*)", re.IGNORECASE | re.DOTALL)
"""What a checkout says of a recipe that it did not write."""

MADE = ".curlew.containerfile"
GREATEST = 1 << 20
SHOWN = 12


class Heuristic(StrEnum):
    """The rule by which a recipe was chosen."""

    OWN = "own"
    PROGRAM = "program"


class NoRecipe(BuildFailed):
    """There is no recipe; `lines` are those of a Dockerfile that would do."""

    def __init__(self, reason: str, lines: Iterable[str]) -> None:
        super().__init__(reason)
        self.lines = ("a Dockerfile that would do:", *(f"    {line}" for line in lines))


@dataclass(frozen=True, slots=True)
class Recipe:
    """A Dockerfile's `text`, its `path` inside the folder, and why this.

    `edited` when the text is not that of a file at the path.
    """

    path: str
    text: str
    heuristic: Heuristic
    reason: str
    edited: bool = True


def choose(folder: Path, base: str, left_out: Iterable[str] = ()) -> Recipe:
    """The recipe for the checked-out repository in `folder`; what is made begins with the image `base`.

    Only the root of the folder is looked at, and a link counts for the file of the folder that it leads to.
    `left_out` are the sentences of the checkout. Raises BuildFailed for a Dockerfile that cannot be read and,
    naming the files seen, when it holds neither a Dockerfile nor a program that can be chosen.
    """
    for sentence in left_out:
        if lost := LEFT_OUT.fullmatch(sentence):
            raise BuildFailed(
                f"{lost[1]} is {lost[2]}: replace it by a file of the repository and push again"
            )
    if own := _own(folder):
        return own
    files = RepositoryFiles(folder)
    installed = installation_of(files)
    program = program_of(files, installed)
    if program is None:
        foreign = next(iter(find_foreign(files)), None)
        raise NoRecipe(foreign.reason if foreign else _neither(files), dockerfile_for(foreign))
    foreign_lock = next((found for found in find_foreign(files) if found.python), None)
    if foreign_lock and not installed.named:
        raise NoRecipe(foreign_lock.reason, dockerfile_for(foreign_lock, program.words))
    return Recipe(
        MADE,
        _write_recipe(base, program, installed),
        Heuristic.PROGRAM,
        _reason(base, program, installed, files),
    )


def _reason(base: str, program: Program, installed: Installation, files: RepositoryFiles) -> str:
    also = f", with {installed.named} installed" if installed.named else ""
    ignored = [found.name for found in find_foreign(files)]
    verb = "are" if len(ignored) > 1 else "is"
    rest = f"; {', '.join(ignored)} {verb} not read" if ignored else ""
    return f"no Dockerfile: runs {program.told} on {base}{also}{rest}"


def _own(folder: Path) -> Recipe | None:
    """The repository's own recipe: one that is spelled like the documented names, else in any case."""
    wanted = [name.lower() for name in OWN]
    there = [name for name in os.listdir(folder) if name.lower() in wanted and not _is_folder(folder / name)]
    if not there:
        return None
    name = min(there, key=lambda name: (name not in OWN, wanted.index(name.lower()), name))
    place = path_inside(folder, name)
    if place is None:
        raise BuildFailed(
            f"{name} is a link that leads to no file of the repository: replace it by one and push again"
        )
    led = "" if place == name else f", which is {place}"
    return Recipe(place, _text(folder / place), Heuristic.OWN, f"built by its {name}{led}", edited=False)


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _write_recipe(base: str, program: Program, installed: Installation) -> str:
    return "\n".join([
        f"FROM {base}",
        "ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1",
        "WORKDIR /app",
        *installed.before,
        "COPY . .",
        *installed.after,
        f"CMD {json_words(program.words)}",
        "",
    ])  # fmt: skip


def _text(file: Path) -> str:
    if file.stat().st_size > GREATEST:
        raise BuildFailed(
            f"the {file.name} is larger than {GREATEST >> 20} MiB: make it smaller and push again"
        )
    try:
        return file.read_text()
    except UnicodeDecodeError:
        raise BuildFailed(f"the {file.name} is not UTF-8 text: save it as UTF-8 and push again") from None


def _neither(files: RepositoryFiles) -> str:
    seen = [name for name in files.listing() if name != ".git/"]
    shown = ", ".join(seen[:SHOWN]) + (f" and {len(seen) - SHOWN} more" if len(seen) > SHOWN else "")
    count = len(files.modules)
    problem = f"{count} Python files, none of them main.py or app.py," if count else "no Python file"
    return (
        f"there is neither a Dockerfile nor a program that can be chosen at the root of the repository "
        f"({problem} among: {shown or 'nothing'}): name the program main.py, or add a Dockerfile that says "
        "how to run it, and push again"
    )
