"""The port to the git repositories of repo items, and the values read from them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple, Protocol

LATEST = "latest"
SPACES = {"branch": "refs/heads/", "tag": "refs/tags/"}
LONGEST_LABEL = 128
# The characters that both a registry's tag and a chain's reference allow.
LABEL = re.compile(rf"[A-Za-z0-9_][A-Za-z0-9_.-]{{0,{LONGEST_LABEL - 1}}}")


@dataclass(frozen=True, slots=True)
class GitRef:
    """A branch or tag and its commit. `default` marks the branch that a clone checks out.

    The name is text made by `ref_text`, because git's names are bytes.
    """

    name: str
    kind: Literal["branch", "tag"]
    commit: str
    default: bool = False

    @property
    def full(self) -> str:
        """The full name, such as `refs/heads/main`."""
        return f"{SPACES[self.kind]}{self.name}"


@dataclass(frozen=True, slots=True)
class CommitMark:
    """A commit in a listing: its sha and date, and its author's name and first line, shortened."""

    sha: str
    date: str
    author: str = ""
    subject: str = ""


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit: `author` is `Name <address>`, `date` when it was committed, `parents` are shas."""

    sha: str
    message: str
    author: str
    date: str
    parents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """An entry of a folder of a commit. `size` is in bytes, 0 for a folder. A submodule is shown as a link.

    The name is text made by `ref_text`, because git's names are bytes.
    """

    name: str
    type: Literal["dir", "file", "link"]
    size: int


@dataclass(frozen=True, slots=True)
class CommittedFile:
    """A file of a commit. `id` identifies its content (equal content, equal id). `size` is in bytes.

    `open()` returns a stream of the bytes. It cannot seek and may be closed early. The content of a `link` is
    its target path. A submodule is a link whose content is the commit that it names.
    """

    id: str
    size: int
    open: Callable[[], BinaryIO]
    link: bool = False


@dataclass(frozen=True, slots=True)
class FileChange:
    """A change of one path: new content, a move `to` another path, or neither, which is a removal.

    A folder is moved or removed with everything in it. A `fresh` file must not exist yet.
    """

    path: str
    content: bytes | Path | None = None
    to: str = ""
    fresh: bool = False


@dataclass(frozen=True, slots=True)
class CommitOrder:
    """A commit to be made on a branch.

    `parent` is the commit that the changes are based on (None: the current one). `starts`: the order creates
    the branch from its parent.
    """

    branch: str
    changes: Sequence[FileChange]
    message: str
    author: str
    at: datetime
    parent: str | None = None
    starts: bool = False


class Committed(NamedTuple):
    """A commit that was made, and the lines printed by git and its hooks."""

    commit: str
    said: Sequence[str]


def ref_text(spelled: bytes) -> str:
    """Return a git name (bytes) as text. Different bytes give different text; `ref_bytes` is the inverse."""
    return spelled.decode(errors="surrogateescape")


def ref_bytes(name: str) -> bytes:
    """Return the bytes of a name made by `ref_text`."""
    return name.encode(errors="surrogateescape")


def shown_ref(name: str) -> str:
    """Return a git name for people and for the run store. Unprintable characters are percent-encoded."""
    return "".join(sign if sign.isprintable() else percent_bytes(sign) for sign in name)


def percent_bytes(sign: str) -> str:
    """Return the bytes of a character of a name, percent-encoded."""
    return "".join(f"%{byte:02X}" for byte in ref_bytes(sign))


@dataclass(frozen=True, slots=True)
class RepositoryDraft:
    """A copy of a repository that belongs to no item yet, with its references and its size in bytes."""

    item: int
    name: str
    refs: tuple[GitRef, ...]
    size: int


def label(name: str) -> str | None:
    """Return the label of a branch or tag, with `/` as `-` (decisions 23c), or None if it has none."""
    word = name.replace("/", "-")
    return word if LABEL.fullmatch(word) else None


def labels(refs: Iterable[GitRef], head: str | None) -> dict[str, GitRef]:
    """Return the labels with the branch or tag of each. `latest` is the default branch `head`.

    If several refs give the same label, the one with exactly that name wins, then a tag before a branch. Refs
    whose names give no label are left out.
    """
    found: dict[str, GitRef] = {}
    ranked = sorted(refs, key=lambda ref: ("/" in ref.name, ref.kind != "tag", ref.name))
    for ref in ranked:
        if word := label(ref.name):
            found.setdefault(word, ref)
    found.pop(LATEST, None)
    for ref in ranked:
        if ref.kind == "branch" and ref.name == head:
            found[LATEST] = ref
    return found


class Difference(NamedTuple):
    """The changes of a commit against its first parent, in git's format. `cut`: they are not complete."""

    patch: str
    cut: bool = False


class Repositories(Protocol):
    """The repositories of items, by item id.

    A missing repository reads as an empty one. All methods raise Unavailable if git is missing.
    """

    def create(self, item: int) -> None:
        """Create an empty repository with the default branch `main`, unless there is one.

        Raises Unavailable or NoSpace if the disk does not accept it.
        """

    def size(self, item: int) -> int:
        """Return the size of the repository on disk in bytes."""

    def write(self, item: int, order: CommitOrder, env: Mapping[str, str]) -> Committed:
        """Commit changed files to a branch as a push does, with its hooks, which get `env`.

        Raises Outdated if a changed path is not the same as in the order's `parent`, and Conflict if the
        changes do not fit the current files.
        """

    def draft(self, item: int) -> RepositoryDraft:
        """Return a fork that belongs to no item yet: branches, tags, their objects, the same default branch.

        This may take long. A draft that is not adopted is removed some time later.
        """

    def adopt(self, draft: RepositoryDraft, item: int) -> None:
        """Make a draft the repository of an item that has none. Raise Unavailable or NoSpace."""

    def remove(self, item: int) -> None:
        """Remove the repository, if there is one."""

    def free(self, item: int) -> None:
        """Remove the locks that a killed git process left in the item's repository."""

    def head(self, item: int) -> str | None:
        """Return the default branch, or None if there is none yet."""

    def branches(self, item: int) -> Mapping[str, str]:
        """Return the branches with their commits, the default branch first."""

    def labels(self, item: int) -> dict[str, GitRef]:
        """Return the labels of the item's branches and tags with the ref of each (see `labels`)."""

    def commits(self, item: int, limit: int | None = None) -> Sequence[CommitMark]:
        """Return the commits reachable from branches and tags, newest first, at most `limit`."""

    def commit(self, item: int, sha: str) -> Commit | None:
        """Return a commit by its full sha, or None."""

    def difference(self, item: int, commit: Commit, most: int) -> Difference:
        """Return the changes of a commit, at most `most` bytes of them. Raise Unavailable."""

    def last_changes(
        self, item: int, sha: str, folder: str, names: Collection[str]
    ) -> Mapping[str, CommitMark]:
        """Return the newest commit that changed each of these entries of a folder ("": the root).

        Searches only 1,000 commits up to this one. Entries that none of them changed are left out.
        """

    def entries(self, item: int, sha: str, path: str) -> Sequence[TreeEntry] | None:
        """Return the entries of a folder of a commit ("": the root) by name, or None if there is none."""

    def file(self, item: int, sha: str, path: str) -> CommittedFile | None:
        """Return a file or link of a commit, or None if there is none or the path is a folder."""

    def export(self, item: int, commit: str, folder: Path) -> list[str]:
        """Write a commit's files into an empty folder. Return a sentence per omitted file. Raise VfsError."""


TOLERABLE = (
    *("badDate", "badDateOverflow", "badEmail", "badFilemode", "badName", "badTagName", "badTimezone"),
    *("duplicateEntries", "emptyName", "missingAuthor", "missingCommitter", "missingEmail"),
    *("missingNameBeforeEmail", "missingSpaceBeforeDate", "missingSpaceBeforeEmail", "missingTaggerEntry"),
    *("multipleAuthors", "nullSha1", "treeNotSorted", "zeroPaddedDate", "zeroPaddedFilemode"),
)
"""Defects left by old or careless programs. None of them can be used to attack a clone."""

_BY_LETTERS = {name.lower(): name for name in TOLERABLE}


def canonical(name: str) -> str | None:
    """Return a defect, given in any case, as git spells it, or None if it is not one of these."""
    return _BY_LETTERS.get(name.lower())
