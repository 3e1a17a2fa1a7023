"""Patches as git writes them, taken apart into files and lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

HEAD, HUNK = "diff --git ", "@@"
SIGNS = {"+": "added", "-": "removed", " ": "same", "@": "hunk", "\\": "note"}
MOST_LINES = 4_000
LONGEST = 1_000


@dataclass(slots=True)
class PatchedLine:
    """A line of a patch: its word (added, removed, same, hunk or note), and what stands behind its sign."""

    word: str
    text: str


@dataclass(slots=True)
class PatchedFile:
    """A file of a patch: its name, what became of it, and its lines."""

    name: str
    deed: str = "changed"
    lines: list[PatchedLine] = field(default_factory=list)

    @property
    def added(self) -> int:
        """The number of lines that came."""
        return sum(line.word == "added" for line in self.lines)

    @property
    def removed(self) -> int:
        """The number of lines that went."""
        return sum(line.word == "removed" for line in self.lines)


def files_of(patch: str) -> list[PatchedFile]:
    """The files of a patch, as far as its first 4,000 lines go; lines are cut at 1,000 characters."""
    found: list[PatchedFile] = []
    in_hunk = False
    for line in patch.split("\n")[:MOST_LINES]:
        if line.startswith(HEAD):
            found.append(PatchedFile(_name(line)))
            in_hunk = False
        elif found:
            in_hunk = in_hunk or line.startswith(HUNK)
            if in_hunk and line:
                found[-1].lines.append(PatchedLine(SIGNS.get(line[0], "note"), line[:LONGEST]))
            else:
                _note(found[-1], line)
    return found


def _name(line: str) -> str:
    """The name that a head tells, where it is the same on both sides: `diff --git a/x b/x`."""
    both = line.removeprefix(HEAD)
    half = len(both) // 2
    return both[half + 3 :] if both[:half].removeprefix("a/") == both[half + 3 :] else both


def _note(file: PatchedFile, line: str) -> None:
    """Note what a line of a file's head tells."""
    for words, deed in _DEEDS:
        if line.startswith(words):
            file.deed = deed
    if line.startswith("rename from "):
        file.name = line.removeprefix("rename from ")
    elif line.startswith("rename to "):
        file.name += f" → {line.removeprefix('rename to ')}"
    elif line.startswith("Binary files "):
        file.lines.append(PatchedLine("note", "It is not text, so its lines are not shown."))


_DEEDS = (("new file", "added"), ("deleted file", "removed"), ("rename from", "renamed"))


def lines_of(text: str, most: int) -> Iterator[str]:
    """The first lines of a file, each cut where it is endless."""
    for line in text.removesuffix("\n").split("\n")[:most]:
        yield line[:LONGEST]
