"""A check after the build that tries the imports of a program in its image.

A missing one fails the build.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from chains.buildbox.box import BUILD_LABEL, BuildLimits
from chains.buildbox.tried_imports import MARK
from chains.engine.port import BuildFailed, Limits, Line, Network, StepSpec
from chains.podman.api import Podman
from chains.podman.confined_containers import ConfinedContainers
from chains.podman.confinement import INSTANCE_LABEL, Confinement, step_container
from chains.podman.container_spec import user_of

LONGEST = 120.0
LOG = 1 << 20
MOST_SAID = 8
LONGEST_WORD = 200
PYTHON = re.compile(r"(?:.*/)?(?:python|pypy)[0-9.]*")
SHELLS = frozenset({"sh", "bash", "dash", "ash"})
SIGNS_OF_A_SHELL = re.compile(r"[;|&<>()$`\n*?]")
WITH_VALUES = ("-X", "-W", "--check-hash-based-pycs")
TELLS_BY_ITS_FIRST_LINE = (
    'program=$(command -v -- "$1") || exit 0; read -r line < "$program" || exit 0; '
    'case "$line" in "#!"*python*) ;; *) exit 0;; esac; set -- "$2" ${line#??}; source=$1; shift; '
    'exec "$@" -c "$source" file "$program"'
)
"""Runs the source with the Python in the first line of a program, or does nothing if that is not a Python."""

GLIB = re.compile(r"lib(glib|gio|gobject|gmodule|gthread)-2\.0\.so\.0")


@dataclass(frozen=True, slots=True)
class ImportCheck:
    """A check of imports in containers as confined as steps, without network and input.

    `idle` is an empty folder, `limits` are those of the build.
    """

    service: Podman
    containers: ConfinedContainers
    confinement: Confinement
    instance: str
    idle: Path
    limits: BuildLimits

    def require(self, image: str, seconds: float) -> None:
        """Raise BuildFailed with all missing imports. A program that cannot be found is not checked."""
        answer = self.service.call("get", f"/images/{image}/json")
        config = {} if answer.failed else answer.body.get("Config") or {}
        command = trying_command(config)
        if command is None:
            return
        limits = Limits(
            self.limits.memory, self.limits.cpus, self.limits.pids, min(seconds, LONGEST), log=LOG
        )
        step = StepSpec("build", "imports", image, {}, (), self.idle, limits, Network.NONE)
        spec = replace(
            step_container(step, self.confinement, self.instance, user_of(answer.body, self.confinement.ids)),
            command=command,
            labels={BUILD_LABEL: "yes", INSTANCE_LABEL: self.instance},
        )
        lines: list[Line] = []
        container = self.containers.make(spec, limits, self.idle)
        try:
            container.watch.start(lambda: self.containers.start(container))
            self.containers.wait(container, lines.append)
        finally:
            self.containers.remove(container)
        if said := list(dict.fromkeys(sentences(line.text for line in lines))):
            raise BuildFailed("; ".join(said[:MOST_SAID]))


def trying_command(config: Mapping[str, Any]) -> tuple[str, ...] | None:
    """Return the command that tries the imports of an image's program, or None if it is not Python."""
    words = [str(word) for name in ("Entrypoint", "Cmd") for word in config.get(name) or ()]
    is_shell = words[1:2] == ["-c"] and Path(words[0]).name in SHELLS
    words = _simple_words(words[2:3]) if is_shell else words
    if words and Path(words[0]).name == "env":
        words = words[1:]
    while words and (words[0] == "exec" or re.match(r"\w+=", words[0])):
        words = words[1:]
    if not words:
        return None
    source = files("chains.buildbox").joinpath("tried_imports.py").read_text()
    if PYTHON.fullmatch(words[0]):
        program = _program(words[1:])
        return program and (words[0], "-c", source, *program)
    if is_shell or Path(words[0]).name in SHELLS:
        return None
    return ("sh", "-c", TELLS_BY_ITS_FIRST_LINE, "sh", words[0], source)


def _simple_words(texts: Sequence[str]) -> list[str]:
    """Return the words of a shell line, or none if it is more than a simple command."""
    try:
        return [] if not texts or SIGNS_OF_A_SHELL.search(texts[0]) else shlex.split(texts[0])
    except ValueError:
        return []


def _program(words: Sequence[str]) -> tuple[str, str] | None:
    """Return the kind (`file` or `-m`) and the name of the program that `python` runs, or None."""
    rest = iter(words)
    for word in rest:
        if word == "-m":
            name = next(rest, None)
            return ("-m", name) if name else None
        if word in WITH_VALUES:
            next(rest, None)
        elif word in ("-", "-c"):
            return None
        elif not word.startswith("-"):
            return "file", word
    return None


def sentences(lines: Iterator[str]) -> Iterator[str]:
    """Yield a sentence for each marked line. The lines are untrusted, like all output of a box."""
    for line in lines:
        try:
            failure = json.loads(line.removeprefix(MARK)) if line.startswith(MARK) else None
        except ValueError:
            continue
        if isinstance(failure, dict):
            yield _sentence({key: str(word)[:LONGEST_WORD] for key, word in failure.items()})


def _sentence(failure: Mapping[str, str]) -> str:
    where, module = failure.get("where", ""), failure.get("module", "")
    if library := failure.get("library"):
        return (
            f"{where} imports {module}, which needs {library}, which the image does not have: write a "
            f"Dockerfile with RUN apt-get update && apt-get install -y {library_package(library)}"
        )
    if missing := failure.get("missing"):
        if missing in ("tkinter", "_tkinter"):
            return f"{where} imports tkinter, which the image does not have: apt-get install python3-tk"
        needs = (
            f"{module}, which needs {missing}" if missing.split(".")[0] != module.split(".")[0] else missing
        )
        return (
            f"{where} imports {needs}, which the image does not have: name its package in requirements.txt, "
            "or import it inside of try and except ImportError"
        )
    return f"{where} imports {module}, which fails: {failure.get('why', '')}"


def library_package(library: str) -> str:
    """Return the Debian package of a shared library, by the rule for names (Debian Policy 8.1)."""
    if GLIB.fullmatch(library):
        return "libglib2.0-0"
    name = re.sub(r"([0-9])\.so\.", r"\1-", library)
    return re.sub(r"\.so(\.|$)", "", name).replace("_", "-").lower()
