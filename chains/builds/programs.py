"""The program of a repository without a Dockerfile: the command that a step of it runs."""

from __future__ import annotations

from dataclasses import dataclass

from chains.builds.packages import Installation
from chains.builds.repository_files import RepositoryFiles
from chains.engine.port import BuildFailed

FIRST = ("main.py", "__main__.py", "app.py")
SCRIPT = "main.sh"
BESIDE = ("setup.py", "conftest.py", "noxfile.py", "fabfile.py")


@dataclass(frozen=True, slots=True)
class Program:
    """The words of a command, and what it is called to the one who pushes."""

    words: tuple[str, ...]
    told: str


def program_of(files: RepositoryFiles, installed: Installation) -> Program | None:
    """The program to run; None where nothing tells which.

    The only script of a project comes first, then main.py and its like, the only Python file, the only
    package that can be run, main.sh. Raises BuildFailed for a name that no recipe can hold.
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
    """A name as a word of a command that is no option."""
    try:
        name.encode()
    except UnicodeEncodeError:
        shown = name.encode(errors="surrogateescape").decode(errors="replace")
        raise BuildFailed(f"the name of the program {shown} is not UTF-8: rename it and push again") from None
    return f"./{name}" if name.startswith("-") else name
