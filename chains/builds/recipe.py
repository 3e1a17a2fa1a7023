"""The recipe of a repository: its own Dockerfile, or one written for the program found in it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from chains.builds.bases import OfferedImages, settle_bases
from chains.builds.packages import Installation, RepositoryFiles, installation_of, json_words, path_inside
from chains.builds.recipe_words import refuse_instructions, spell_out_shells
from chains.engine.port import BuildFailed
from chains.language.ast import RepoRef

FIRST = ("main.py", "__main__.py", "app.py")
SCRIPT = "main.sh"
BESIDE = ("setup.py", "conftest.py", "noxfile.py", "fabfile.py")


@dataclass(frozen=True, slots=True)
class Program:
    """The words of a command, and its name in messages to the account that pushed."""

    words: tuple[str, ...]
    title: str


def program_of(files: RepositoryFiles, installed: Installation) -> Program | None:
    """Return the program to run, or None if it is not clear.

    In this order: the only script of a project, main.py or another usual name, the only Python file, the only
    package that can be run, main.sh. Raises BuildFailed for a name that no recipe can contain.
    """
    if len(installed.scripts) == 1:
        return Program(installed.scripts, f"the script {installed.scripts[0]}")
    module = next((name for name in FIRST if name in files), None) or _only_module(files.modules)
    if module is not None:
        return Program(("python3", _word_for(module)), module)
    if len(files.programs) == 1 and (installed.packaged or (files.programs[0] + "/") in files.listing()):
        return Program(("python3", "-m", files.programs[0]), f"the package {files.programs[0]}")
    if SCRIPT in files and not files.modules:
        first = files.data(SCRIPT)[:200].split(b"\n")[0]
        return Program(("bash" if b"bash" in first else "sh", SCRIPT), SCRIPT)
    return None


def _only_module(modules: list[str]) -> str | None:
    own = [name for name in modules if name not in BESIDE and not name.startswith("test_")]
    chosen = own if len(modules) > 1 else modules
    return chosen[0] if len(chosen) == 1 else None


def _word_for(name: str) -> str:
    """Return a file name as a word of a command that cannot be taken for an option."""
    try:
        name.encode()
    except UnicodeEncodeError:
        shown = name.encode(errors="surrogateescape").decode(errors="replace")
        raise BuildFailed(f"the name of the program {shown} is not UTF-8: rename it and push again") from None
    return f"./{name}" if name.startswith("-") else name


START = ("FROM python:3-slim", "WORKDIR /app", "COPY . .")
APT = "RUN apt-get update && apt-get install -y --no-install-recommends"
MAIN = ("python3", "main.py")


@dataclass(frozen=True, slots=True)
class ForeignFile:
    """A file of another tool. `lines` are a Dockerfile's for the same work, `command` runs the program.

    `python`: whether the file belongs to a Python program.
    """

    name: str
    lines: tuple[str, ...]
    command: tuple[str, ...] = MAIN
    python: bool = False

    @property
    def reason(self) -> str:
        """The reason why nothing is built."""
        return f"there is no Dockerfile, and {self.name} is not read here: add a Dockerfile and push again"


KNOWN = (
    ForeignFile("Pipfile", ("RUN pip3 install pipenv && pipenv install --system --deploy",), python=True),
    ForeignFile(
        "poetry.lock",
        ("RUN pip3 install poetry && poetry config virtualenvs.create false && poetry install --only main",),
        python=True,
    ),
    ForeignFile(
        "environment.yml", ("RUN pip3 install the packages that environment.yml names",), python=True
    ),
    ForeignFile(
        "environment.yaml", ("RUN pip3 install the packages that environment.yaml names",), python=True
    ),
    ForeignFile("package.json", (f"{APT} nodejs npm", "RUN npm install --omit=dev"), ("node", "index.js")),
    ForeignFile("go.mod", (f"{APT} golang-go", "RUN go build -o /usr/local/bin/program ."), ("program",)),
)


def find_foreign(files: RepositoryFiles) -> Iterator[ForeignFile]:
    """Yield the files of other tools at the root of a repository."""
    yield from (known for known in KNOWN if known.name in files)
    if script := next((name for name in files.names if name.endswith((".R", ".r"))), None):
        yield ForeignFile(script, (f"{APT} r-base-core",), ("Rscript", script))


def dockerfile_for(found: ForeignFile | None, command: Sequence[str] | None = None) -> list[str]:
    """Return the lines of a Dockerfile for a program."""
    lines = found.lines if found else ()
    return [*START, *lines, f"CMD {json_words(command or (found.command if found else MAIN))}"]


OWN = ("Dockerfile", "Containerfile")
LEFT_OUT = re.compile(rf"left out ({'|'.join(OWN)}): (.*)", re.IGNORECASE | re.DOTALL)
"""Matches a checkout's sentence about a recipe that it did not write."""

MADE = ".curlew.containerfile"
GREATEST = 1 << 20
SHOWN = 12


class Heuristic(StrEnum):
    """The rule by which a recipe was chosen."""

    OWN = "own"
    PROGRAM = "program"


class NoRecipe(BuildFailed):
    """The result when there is no recipe. `lines` is a Dockerfile that would work."""

    def __init__(self, reason: str, lines: Iterable[str]) -> None:
        super().__init__(reason)
        self.lines = ("a Dockerfile that would do:", *(f"    {line}" for line in lines))


@dataclass(frozen=True, slots=True)
class Recipe:
    """The `text` of a Dockerfile, its `path` inside the folder, and the reason for it.

    `edited`: the text is not that of the file at the path.
    """

    path: str
    text: str
    heuristic: Heuristic
    reason: str
    edited: bool = True


def choose(folder: Path, base: str, left_out: Iterable[str] = ()) -> Recipe:
    """Return the recipe for the repository checked out in `folder`. A written one begins with `base`.

    Only the root of the folder is read. A link counts as the file in the folder that it leads to. `left_out`
    are the sentences of the checkout. Raises BuildFailed for an unreadable Dockerfile, and, with the file
    names, if there is neither a Dockerfile nor a program that can be chosen.
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
    return f"no Dockerfile: runs {program.title} on {base}{also}{rest}"


def _own(folder: Path) -> Recipe | None:
    """Return the repository's own recipe. The documented spelling of its name wins over other cases."""
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


def settled_recipe(
    folder: Path,
    left_out: Iterable[str],
    offer: OfferedImages,
    is_repo: Callable[[RepoRef], bool],
    tell: Callable[[str], object],
) -> Recipe:
    """Return the recipe that is built for the repository in `folder`. `tell` gets each decision.

    `left_out` are the sentences of the checkout. `is_repo` returns whether a short name is a repo. Raises
    BuildFailed if no build of the recipe could succeed.
    """
    try:
        recipe = choose(folder, offer.base, left_out)
    except NoRecipe as lacking:
        for line in lacking.lines:
            tell(line)
        raise
    tell(recipe.reason)
    if recipe.heuristic is not Heuristic.OWN:
        return recipe
    refuse_instructions(recipe.text)
    text = settle_bases(spell_out_shells(recipe.text), offer, is_repo, tell)
    return replace(recipe, text=text, edited=text != recipe.text)
