"""Files of other tools that say what a program needs: they are not read, and a Dockerfile can do it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chains.builds.packages import json_words
from chains.builds.repository_files import RepositoryFiles

START = ("FROM python:3-slim", "WORKDIR /app", "COPY . .")
APT = "RUN apt-get update && apt-get install -y --no-install-recommends"
MAIN = ("python3", "main.py")


@dataclass(frozen=True, slots=True)
class ForeignFile:
    """A file that another tool reads; `lines` of a Dockerfile do what it says, `command` runs the program.

    `python`: whether a program of Python needs it.
    """

    name: str
    lines: tuple[str, ...]
    command: tuple[str, ...] = MAIN
    python: bool = False

    @property
    def reason(self) -> str:
        """Why nothing is built."""
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
    """The files of other tools at the root of a repository."""
    yield from (known for known in KNOWN if known.name in files)
    if script := next((name for name in files.names if name.endswith((".R", ".r"))), None):
        yield ForeignFile(script, (f"{APT} r-base-core",), ("Rscript", script))


def dockerfile_for(found: ForeignFile | None, command: Sequence[str] | None = None) -> list[str]:
    """The lines of a Dockerfile for a program."""
    lines = found.lines if found else ()
    return [*START, *lines, f"CMD {json_words(command or (found.command if found else MAIN))}"]
