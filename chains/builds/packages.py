"""The files of a repository without a Dockerfile, the packages that it needs, and their installation."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from chains.engine.port import BuildFailed


def path_inside(folder: Path, name: str) -> str | None:
    """Return the path, without links, of the regular file in the folder that a name leads to, or None."""
    root = Path(os.path.realpath(folder))
    try:
        place = Path(os.path.realpath(folder / name, strict=True))
    except OSError:
        return None
    return str(place.relative_to(root)) if place.is_relative_to(root) and place.is_file() else None


class RepositoryFiles:
    """The files at the root of a folder and the packages in it. A link counts as the file it leads to."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.names = sorted(name for name in os.listdir(folder) if path_inside(folder, name))

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def listing(self) -> list[str]:
        """Return all names at the root, folders with a trailing slash."""
        return sorted(e.name + "/" * (e.is_dir() and not e.is_symlink()) for e in self._folder.iterdir())

    @cached_property
    def modules(self) -> list[str]:
        """The Python files at the root."""
        return [name for name in self.names if name.endswith(".py")]

    @cached_property
    def programs(self) -> list[str]:
        """The names of packages at the root and in `src` that can be run."""
        found = []
        for above in (self._folder, self._folder / "src"):
            if above.is_dir() and (above == self._folder or not above.is_symlink()):
                names = sorted(name for name in os.listdir(above) if name.isidentifier())
                found += [name for name in names if path_inside(above, f"{name}/__main__.py")]
        return found

    def is_plain(self, name: str) -> bool:
        """Return whether a name is that of a regular file, not of a link to one."""
        return path_inside(self._folder, name) == name

    def data(self, name: str) -> bytes:
        """Return the content of a file at the root. Raise BuildFailed if it is too large."""
        file = self._folder / (path_inside(self._folder, name) or name)
        if file.stat().st_size > GREATEST:
            raise BuildFailed(f"{name} is larger than {GREATEST >> 20} MiB: make it smaller and push again")
        return file.read_bytes()

    def text(self, name: str) -> str:
        """Return the content of a file as text. Raise BuildFailed if it is too large or not UTF-8."""
        try:
            return self.data(name).decode("utf-8-sig")
        except UnicodeDecodeError:
            raise BuildFailed(f"{name} is not UTF-8 text: save it as UTF-8 and push again") from None


GREATEST = 1 << 20
LONGEST = 8_000
_ARCHIVE = re.compile(r"[^/]+\.(?:whl|zip|tar|tgz|tbz|txz|tlz|gz|bz2|xz|lzma)", re.IGNORECASE)
_COMMENT = re.compile(r"(^| )#.*")
_ADDRESS = r"(?:(?:git|hg|svn|bzr)\+)?(?:https?|ssh)://[^ $]+"
_VALUE = r"(?: |=| = | =|= )(?!file:|[./])[^ $]+"
_OPTION = (
    r"--(?:pre|require-hashes|prefer-binary|no-index)"
    r"|(?:-i|--index-url|--pypi-url|--extra-index-url|--trusted-host|--no-binary|--only-binary|--use-feature)"
    + _VALUE
)
_PLAIN = re.compile(
    r"[A-Za-z0-9][A-Za-z0-9._-]* ?(?:\[[A-Za-z0-9 ._,-]*\])? ?"
    rf"(?:\(?[<>=!~][A-Za-z0-9 ._,*+!<>=~-]*\)?|@ ?{_ADDRESS})? ?"
    rf"(?:;[^$]*)?(?: --(?:hash|global-option|config-settings?){_VALUE})*"
    rf"|{_ADDRESS}"
    rf"|(?:{_OPTION})(?: (?:{_OPTION}))*"
)
"""Matches a requirement with a name or a network address, and options that name no file."""


def names_files(requirements: bytes) -> bool:
    """Return whether pip may read more files of the repository than this one.

    False only if every line is plainly a package of an index. A wrong True only costs a cached layer.
    """
    if len(requirements) > GREATEST:
        return True
    text = requirements.decode("utf-8-sig", errors="replace")
    return not all(_is_plain(line) for line in _lines(text))


def _is_plain(line: str) -> bool:
    first = re.split(r"[ ;\[]", line, maxsplit=1)[0]
    return len(line) <= LONGEST and not _ARCHIVE.fullmatch(first) and bool(_PLAIN.fullmatch(line))


def _lines(text: str) -> Iterator[str]:
    """Yield the logical lines without comments, with single blanks. A comment line is never continued."""
    held = ""
    for line in (*text.splitlines(), ""):
        words = " ".join(line.split())
        if line.endswith("\\") and not words.startswith("#"):
            held += " ".join(line.removesuffix("\\").split()) + " "
            continue
        whole = _COMMENT.sub("", " ".join((held + words).split()))
        if whole := whole.strip():
            yield whole
        held = ""


PROJECT, LOCK, SETUP, REQUIREMENTS = "pyproject.toml", "uv.lock", "setup.py", "requirements.txt"
MOST, LARGEST, MOST_DOTS = 1000, 256 << 10, 200
INSTALLER = "/usr/local/bin/uv"
"""Path of the installer in each build (handlers.processes.boxes).

It is a full path because builders look up the first word of a list in their own files, not the image's.
"""
INSTALL = (
    *(INSTALLER, "pip", "install", "--system", "--break-system-packages", "--no-cache"),
    *("--no-progress", "--compile-bytecode"),
)
EXPORT = (
    f"RUN {INSTALLER} export --quiet --frozen --no-dev --no-emit-project --no-header "
    f"--output-file /tmp/locked.txt && {' '.join(INSTALL)} --no-deps -r /tmp/locked.txt && rm /tmp/locked.txt"
)
HEADER = ("# /// script", "# ///")


@dataclass(frozen=True, slots=True)
class Installation:
    """The lines of a recipe before and after the repository is copied, and the file they install from.

    `scripts`: the commands that it installs. `packaged`: whether it installs the repository's own packages.
    """

    named: str = ""
    before: Sequence[str] = ()
    after: Sequence[str] = ()
    scripts: tuple[str, ...] = ()
    packaged: bool = False


def installation_of(files: RepositoryFiles) -> Installation:
    """Return the installation for the first of: a project, setup.py, requirements, a module's header.

    Raises BuildFailed for a file that cannot be read.
    """
    if PROJECT in files and (found := _project(files)):
        return found
    if SETUP in files:
        return Installation(SETUP, after=[_run(".")], packaged=True)
    if REQUIREMENTS in files:
        return _requirements(files)
    return _header(files)


def json_words(words: Iterable[str]) -> str:
    """Return a recipe's command in JSON form, in which no character has a special meaning."""
    return json.dumps(list(words), ensure_ascii=not all(word.isprintable() for word in words))


def _run(*what: str) -> str:
    return f"RUN {json_words((*INSTALL, *what))}"


def _project(files: RepositoryFiles) -> Installation | None:
    """Return the installation of a project, or None if its file names nothing to install."""
    found = _toml(files.text(PROJECT), PROJECT)
    project, tool = _table(found, "project"), _table(found, "tool")
    poetry, scripts = _table(tool, "poetry"), _table(project, "scripts")
    commands = tuple(scripts or _table(poetry, "scripts"))
    listed = _requirements_in(project.get("dependencies", []), PROJECT)
    packaged = bool(commands or poetry or "build-system" in found or project.get("dynamic"))
    packaged = packaged and _table(tool, "uv").get("package") is not False
    if not packaged and not listed:
        return None
    is_locked = LOCK in files
    before = [f"COPY {PROJECT} {LOCK} ./", EXPORT] if is_locked else [_run(*listed)] * bool(listed)
    if is_locked and not (files.is_plain(PROJECT) and files.is_plain(LOCK)):
        before = []
    if any("file:" in word for word in listed):
        before = []
    after = [EXPORT] * (is_locked and not before) + [_run(*["--no-deps"] * is_locked, ".")] * packaged
    named = f"{PROJECT} by {LOCK}" if is_locked else PROJECT
    return Installation(named, before, after, commands if packaged else (), packaged)


def _requirements(files: RepositoryFiles) -> Installation:
    """Return the installation of requirements.txt, before the repository is copied if pip reads no more."""
    install = f"RUN {' '.join(INSTALL)} -r {REQUIREMENTS}"
    if not files.is_plain(REQUIREMENTS) or names_files(files.data(REQUIREMENTS)):
        return Installation(REQUIREMENTS, after=[install])
    return Installation(REQUIREMENTS, before=[f"COPY {REQUIREMENTS} ./", install])


def _header(files: RepositoryFiles) -> Installation:
    """Return the installation of the packages named in headers of modules at the root (PEP 723)."""
    for name in ("main.py", "__main__.py", "app.py", *files.modules):
        if name in files and (block := _block(files.data(name).decode(errors="replace"))):
            where = f"the header of {name}"
            if listed := _requirements_in(_toml(block, where).get("dependencies", []), where):
                return Installation(where, before=[_run(*listed)])
            break
    return Installation()


def _block(text: str) -> str:
    """Return the TOML in the first header of a program, or "" if there is none."""
    lines = iter(text.split("\n"))
    if not any(line.rstrip() == HEADER[0] for line in lines):
        return ""
    block: list[str] = []
    end = 0
    for line in lines:
        bare = line.rstrip("\r")
        if bare != "#" and not bare.startswith("# "):
            break
        if bare.rstrip() == HEADER[1]:
            end = len(block)
        block.append(bare[2:])
    return "\n".join(block[:end])


def _toml(text: str, where: str) -> dict[str, Any]:
    # The parser's time grows with the square of the number of parts in a key.
    if len(text) > LARGEST or any(line.count(".") > MOST_DOTS for line in text.split("\n")):
        raise BuildFailed(
            f"{where} is larger than {LARGEST >> 10} KiB or has a line with more than {MOST_DOTS} dots: "
            "make it simpler and push again"
        )
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BuildFailed(f"{where} is not TOML: {error}. Correct it and push again") from error


def _table(above: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = above.get(name)
    return found if isinstance(found, dict) else {}


def _requirements_in(found: object, where: str) -> list[str]:
    """Return the requirements of a list. Raise BuildFailed for anything else."""
    if not isinstance(found, list) or len(found) > MOST:
        raise BuildFailed(f"dependencies in {where} has to be a list of at most {MOST} packages")
    for one in found:
        if not isinstance(one, str) or not one[:1].isalnum() or not one.isprintable():
            raise BuildFailed(f"dependencies in {where} has an entry that is no package: {str(one)[:80]!r}")
    return [str(one) for one in found]
