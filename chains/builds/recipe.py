"""The recipe of a pushed repository: its own Dockerfile, or one made for a lone Python file."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from chains.engine.port import BuildFailed

OWN = ("Dockerfile", "Containerfile")
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


def choose(folder: Path, base: str) -> Recipe:
    """The recipe for the checked-out repository in `folder`; what is made begins with the image `base`.

    Only the root of the folder is looked at, and links count for nothing: they may lead anywhere. Raises
    BuildFailed, naming the files seen, when it holds neither a Dockerfile nor exactly one Python file.
    """
    files = sorted(entry.name for entry in folder.iterdir() if entry.is_file() and not entry.is_symlink())
    for name in OWN:
        if name in files:
            return Recipe(name, _text(folder / name), Heuristic.OWN, f"built by its {name}")
    programs = [name for name in files if name.endswith(".py")]
    if len(programs) != 1:
        raise BuildFailed(_neither(folder, programs))
    installed = REQUIREMENTS in files
    text = _single(base, programs[0], installed)
    also = f", with {REQUIREMENTS} installed" if installed else ""
    return Recipe(MADE, text, Heuristic.SINGLE_FILE, f"no Dockerfile: runs {programs[0]} on {base}{also}")


def _single(base: str, program: str, installed: bool) -> str:
    install = [
        f"COPY {REQUIREMENTS} ./",
        f"RUN pip3 install --no-cache-dir --no-input -r {REQUIREMENTS}",
    ]
    return "\n".join([
        f"FROM {base}",
        "ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1",
        "WORKDIR /app",
        *(install if installed else []),
        "COPY . .",
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
