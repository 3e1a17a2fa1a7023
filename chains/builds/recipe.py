"""The recipe of a pushed repository: its own Dockerfile, or one made for a lone Python file."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from chains.builds.requirements import names_files
from chains.engine.port import BuildFailed

OWN = ("Dockerfile", "Containerfile")
LEFT_OUT = re.compile(rf"left out ({'|'.join(OWN)}): (.*)", re.IGNORECASE | re.DOTALL)
"""What a checkout says of a recipe that it did not write."""

MADE = ".curlew.containerfile"
REQUIREMENTS = "requirements.txt"
GREATEST = 1 << 20
SHOWN = 12


class Heuristic(StrEnum):
    """The rule by which a recipe was chosen."""

    OWN = "own"
    SINGLE_FILE = "single-file"


@dataclass(frozen=True, slots=True)
class Recipe:
    """A Dockerfile's `text`, its `path` inside the folder (to be written there when made), and why this."""

    path: str
    text: str
    heuristic: Heuristic
    reason: str


def choose(folder: Path, base: str, left_out: Iterable[str] = ()) -> Recipe:
    """The recipe for the checked-out repository in `folder`; what is made begins with the image `base`.

    Only the root of the folder is looked at, and a link counts for the file of the folder that it leads to.
    `left_out` are the sentences of the checkout. Raises BuildFailed for a Dockerfile that cannot be read and,
    naming the files seen, when it holds neither a Dockerfile nor exactly one Python file.
    """
    for sentence in left_out:
        if lost := LEFT_OUT.fullmatch(sentence):
            raise BuildFailed(
                f"{lost[1]} is {lost[2]}: replace it by a file of the repository and push again"
            )
    if own := _own(folder):
        return own
    programs = sorted(name for name in os.listdir(folder) if name.endswith(".py") and _inside(folder, name))
    if len(programs) != 1:
        raise BuildFailed(_neither(folder, programs))
    installed = _inside(folder, REQUIREMENTS)
    text = _single(base, programs[0], _steps(folder, installed))
    also = f", with {REQUIREMENTS} installed" if installed else ""
    return Recipe(MADE, text, Heuristic.SINGLE_FILE, f"no Dockerfile: runs {programs[0]} on {base}{also}")


def _own(folder: Path) -> Recipe | None:
    """The repository's own recipe: one that is spelled like the documented names, else in any case."""
    wanted = [name.lower() for name in OWN]
    there = [name for name in os.listdir(folder) if name.lower() in wanted and not _is_folder(folder / name)]
    if not there:
        return None
    name = min(there, key=lambda name: (name not in OWN, wanted.index(name.lower()), name))
    place = _inside(folder, name)
    if place is None:
        raise BuildFailed(
            f"{name} is a link that leads to no file of the repository: replace it by one and push again"
        )
    led = "" if place == name else f", which is {place}"
    return Recipe(place, _text(folder / place), Heuristic.OWN, f"built by its {name}{led}")


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _inside(folder: Path, name: str) -> str | None:
    """The path, free of links, of the plain file of the folder that a name is or leads to."""
    root = Path(os.path.realpath(folder))
    try:
        place = Path(os.path.realpath(folder / name, strict=True))
    except OSError:
        return None
    return str(place.relative_to(root)) if place.is_relative_to(root) and place.is_file() else None


def _steps(folder: Path, installed: str | None) -> list[str]:
    """Copying and installing: what pip reads is there before it, and the rest after it where that will do."""
    copy = "COPY . ."
    if installed is None:
        return [copy]
    install = f"RUN pip3 install --no-cache-dir --no-input -r {REQUIREMENTS}"
    if installed != REQUIREMENTS or names_files((folder / REQUIREMENTS).read_bytes()):
        return [copy, install]
    return [f"COPY {REQUIREMENTS} ./", install, copy]


def _single(base: str, program: str, steps: Iterable[str]) -> str:
    return "\n".join([
        f"FROM {base}",
        "ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1",
        "WORKDIR /app",
        *steps,
        f"CMD {_words('python3', program)}",
        "",
    ])  # fmt: skip


def _words(*words: str) -> str:
    """The JSON form of a command; `$` would begin a variable of the recipe's."""
    quoted = (word.replace("\\", "\\\\").replace('"', '\\"').replace("$", "\\$") for word in words)
    return "[" + ", ".join(f'"{word}"' for word in quoted) + "]"


def _text(file: Path) -> str:
    if file.stat().st_size > GREATEST:
        raise BuildFailed(
            f"the {file.name} is larger than {GREATEST >> 20} MiB: make it smaller and push again"
        )
    try:
        return file.read_text()
    except UnicodeDecodeError:
        raise BuildFailed(f"the {file.name} is not UTF-8 text: save it as UTF-8 and push again") from None


def _neither(folder: Path, programs: list[str]) -> str:
    names = sorted(e.name + "/" * (e.is_dir() and not e.is_symlink()) for e in folder.iterdir())
    seen = [name for name in names if name != ".git/"]
    shown = ", ".join(seen[:SHOWN]) + (f" and {len(seen) - SHOWN} more" if len(seen) > SHOWN else "")
    problem = f"{len(programs)} Python files" if programs else "no Python file"
    return (
        f"there is neither a Dockerfile nor exactly one Python file at the root of the repository ({problem} "
        f"among: {shown or 'nothing'}): add a Dockerfile that says how to run it, and push again"
    )
