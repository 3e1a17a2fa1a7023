"""Processes of the service on this machine, from proc(5), readable by every account."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from handlers.settings.sources import SYSTEM

PROC = Path("/proc")
SERVICES = frozenset({"serve", "web", "runner", "render", "metrics", "mail-in"})
DRAWING = "handlers.rendering.worker"
PAGE, TICKS = os.sysconf("SC_PAGE_SIZE"), os.sysconf("SC_CLK_TCK")
# Fields of `stat` after the program's name: its parent, ticks in user and system mode, its start.
PARENT, IN_USER, IN_SYSTEM, BEGAN = 1, 11, 12, 19


@dataclass(frozen=True, slots=True)
class ServiceProcess:
    """A process: bytes in memory (shared pages count fully), seconds of the processor and of its life."""

    pid: int
    name: str
    memory: int
    processor: float
    age: float


@dataclass(frozen=True, slots=True)
class _KernelEntry:
    parent: int
    words: Sequence[str]
    process: ServiceProcess


def service_processes(folder: Path, config: str = "") -> list[ServiceProcess]:
    """Return the processes of `curlew` services and their descendants, by number.

    Processes with another data folder or settings file (`config`) in their command line or variables are left
    out, as far as this account may read these.
    """
    seen = {one.process.pid: one for one in _all_seen()}
    services = [(pid, one.words) for pid, one in seen.items() if service_of(one.words)]
    mine = {pid for pid, words in services if _is_of(_CommandLine(pid, words), folder, config)}
    return [one.process for pid, one in sorted(seen.items()) if _descends(pid, seen, mine)]


def service_of(words: Sequence[str]) -> str:
    """Return the service that a command line starts; "" if it starts none."""
    for program, word in pairwise(words):
        if program == "handlers" or program.rpartition("/")[2] == "curlew":
            return word if word in SERVICES else ""
    return ""


def _all_seen() -> Iterator[_KernelEntry]:
    since_boot = time.clock_gettime(time.CLOCK_BOOTTIME)
    for place in PROC.iterdir():
        if place.name.isdigit():
            with suppress(OSError, ValueError, IndexError):  # it has ended meanwhile
                yield _look(place, since_boot)


def _look(place: Path, since_boot: float) -> _KernelEntry:
    """Return the data of a process. Raises OSError if it has ended."""
    program, _, rest = (place / "stat").read_text().partition("(")[2].rpartition(")")
    fields = rest.split()
    words = (place / "cmdline").read_bytes().decode(errors="replace").split("\0")
    name = service_of(words) or ("drawing" if DRAWING in words else program)
    memory = int((place / "statm").read_text().split()[1]) * PAGE
    processor = (int(fields[IN_USER]) + int(fields[IN_SYSTEM])) / TICKS
    age = max(0.0, since_boot - int(fields[BEGAN]) / TICKS)
    process = ServiceProcess(int(place.name), name, memory, processor, age)
    return _KernelEntry(int(fields[PARENT]), words, process)


def _descends(pid: int, seen: dict[int, _KernelEntry], mine: set[int]) -> bool:
    """Return whether a process is one of ours or a descendant, not through another `curlew` service."""
    while pid in seen and pid not in mine:
        if service_of(seen[pid].words):
            return False
        pid = seen[pid].parent
    return pid in mine


class _CommandLine:
    """The settings in the command line and variables of a process."""

    def __init__(self, pid: int, words: Sequence[str]) -> None:
        self._words = words
        self._here = Path("/")
        self.is_known = False
        self._variables: dict[str, str] = {}
        with suppress(OSError):
            self._here = Path(os.readlink(PROC / str(pid) / "cwd"))
            said = (PROC / str(pid) / "environ").read_bytes().decode(errors="replace").split("\0")
            self._variables = dict(one.split("=", 1) for one in said if "=" in one)
            self.is_known = True

    def path(self, option: str, variable: str) -> Path | None:
        """Return the path of an option or a variable; None if both are missing."""
        said = next((word for name, word in pairwise(self._words) if name == option), "")
        said = said or self._variables.get(variable, "")
        return self._here / said if said else None

    @property
    def usual(self) -> Path:
        """The data folder of a process without an option or variable for it."""
        return self._here / "var"


def _is_of(command: _CommandLine, folder: Path, config: str) -> bool:
    """Return whether a service uses this data folder, as far as that is visible."""
    if (data := command.path("--data", "CURLEW_DATA")) is not None:
        return data == folder
    if (file := command.path("--config", "CURLEW_CONFIG")) is not None:
        return str(file) == config
    return not command.is_known or command.usual == folder or config == str(SYSTEM)
