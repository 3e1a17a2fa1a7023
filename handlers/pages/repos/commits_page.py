"""The commits of a repository, newest first, and the parsed patch of one of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from handlers.pages.items.item_path import ItemPath
from handlers.pages.repos.repo_facts import COMMITS, repo_facts
from handlers.pages.request import PageRequest
from handlers.pages.result import Page

HEAD, HUNK = "diff --git ", "@@"
SIGNS = {"+": "added", "-": "removed", " ": "same", "@": "hunk", "\\": "note"}
MOST_LINES = 4_000
LONGEST = 1_000


@dataclass(slots=True)
class PatchedLine:
    """A line of a patch: its word (added, removed, same, hunk or note), and the text after its sign."""

    word: str
    text: str


@dataclass(slots=True)
class PatchedFile:
    """A file of a patch: its name, its kind of change, and its lines."""

    name: str
    change: str = "changed"
    lines: list[PatchedLine] = field(default_factory=list)

    @property
    def added(self) -> int:
        """The number of added lines."""
        return sum(line.word == "added" for line in self.lines)

    @property
    def removed(self) -> int:
        """The number of removed lines."""
        return sum(line.word == "removed" for line in self.lines)


def files_of(patch: str) -> list[PatchedFile]:
    """Return the files in the first 4,000 lines of a patch; lines are cut at 1,000 characters."""
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
    """Return the name in a head line if both sides are equal: `diff --git a/x b/x`."""
    both = line.removeprefix(HEAD)
    half = len(both) // 2
    return both[half + 3 :] if both[:half].removeprefix("a/") == both[half + 3 :] else both


def _note(file: PatchedFile, line: str) -> None:
    """Update a file from a line of its head."""
    for words, change in _ACTIONS:
        if line.startswith(words):
            file.change = change
    if line.startswith("rename from "):
        file.name = line.removeprefix("rename from ")
    elif line.startswith("rename to "):
        file.name += f" → {line.removeprefix('rename to ')}"
    elif line.startswith("Binary files "):
        file.lines.append(PatchedLine("note", "Binary file: its lines are not shown."))


_ACTIONS = (("new file", "added"), ("deleted file", "removed"), ("rename from", "renamed"))


def lines_of(text: str, most: int) -> Iterator[str]:
    """Yield the first lines of a text, each cut at a maximum length."""
    for line in text.removesuffix("\n").split("\n")[:most]:
        yield line[:LONGEST]


MOST = 50


def show_all(at: ItemPath, request: PageRequest) -> Page:
    """Return the page of the commits, 50 at a time. Raises as `repo_facts`; Denied without read access."""
    repo = repo_facts(request, at)
    rows = request.read(at.api / COMMITS)
    after = request.query.get("after", "")
    names = [row.name for row in rows]
    begin = names.index(after) + 1 if after in names else 0
    labels: dict[str, list[str]] = {}
    for row in repo.labels or ():
        labels.setdefault(row["commit"], []).append(row["label"])
    facts = {
        "repo": repo,
        "head": repo.head,
        "rows": rows[begin : begin + MOST],
        "labels": labels,
        "newer": begin > 0,
        "older": len(rows) > begin + MOST,
    }
    return Page("commits.html", facts)


def show_one(at: ItemPath, sha: str, request: PageRequest) -> Page:
    """Return the page of a commit. Raises as `show_all`, and NotFound if there is no such commit."""
    repo = repo_facts(request, at)
    api = at.api / (COMMITS, sha)
    patch = str(request.read(api / "diff"))
    subject, _, rest = str(request.read(api / "message")).partition("\n")
    files = files_of(patch)
    facts = {
        "repo": repo,
        "head": repo.head,
        "sha": sha,
        "subject": subject,
        "message": rest.strip(),
        "author": str(request.read(api / "author")).partition(" <")[0],
        "date": str(request.read(api / "date")).strip(),
        "files": files,
        "cut": patch.count("\n") > MOST_LINES or patch.rstrip().endswith("git shows all of it"),
        "api": api,
    }
    return Page("commit.html", facts)
