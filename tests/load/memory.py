"""Memory of the processes of a service over a load: at its start, its middle and its end."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.kit.processes import tree

MIB = 1 << 20
OWN = re.compile(r"^Pss_Anon:\s+(\d+) kB", re.MULTILINE)
FREE_GROWTH, SHARE = 24 * MIB, 0.2
"""By so much, or by so large a part, may a process grow from the middle to the end: what allocators keep."""


@dataclass(frozen=True, slots=True)
class Process:
    """A process by its id, and what it is called."""

    pid: int
    name: str


Sizes = Mapping[Process, int]


def sizes(pid: int) -> dict[Process, int]:
    """The bytes of each that descends from a process: no files, and of what is shared its part."""
    found = {}
    for one in tree(pid)[1:]:
        with suppress(OSError):
            own = OWN.search(Path(f"/proc/{one}/smaps_rollup").read_text())
            if own is not None:
                found[Process(one, _name(one))] = int(own[1]) << 10
    return found


def _name(pid: int) -> str:
    """What a process does, by the words of its command line: `web`, `runner`, `drawing`, else its program."""
    words = Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    if "handlers" in words:
        return words[words.index("handlers") + 1]
    if "handlers.rendering.worker" in words:
        return "drawing"
    return Path(words[2 if words[1:2] == ["-P"] else 0]).stem.replace("scripted_runner", "runner (scripted)")


def grown(middle: Sizes, end: Sizes) -> list[str]:
    """A sentence for each process that grew by more than it may from the middle to the end."""
    return [
        f"{process.name} ({process.pid}) grew from {size / MIB:.0f} to {end[process] / MIB:.0f} MiB"
        for process, size in middle.items()
        if process in end and end[process] - size > max(FREE_GROWTH, SHARE * size)
    ]
