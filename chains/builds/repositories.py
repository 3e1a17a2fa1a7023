"""Repositories: the port to the git repositories of repo items, and the values read from them."""

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
# What both a registry's tag and a chain's reference can spell.
LABEL = re.compile(rf"[A-Za-z0-9_][A-Za-z0-9_.-]{{0,{LONGEST_LABEL - 1}}}")


@dataclass(frozen=True, slots=True)
class GitRef:
    """A branch or tag and the commit it points at; `default` marks the branch that a clone checks out.

    The name is one that `ref_text` made: git's names are bytes.
    """

    name: str
    kind: Literal["branch", "tag"]
    commit: str
    default: bool = False

    @property
    def full(self) -> str:
        """The full name, as `refs/heads/main`."""
        return f"{SPACES[self.kind]}{self.name}"


@dataclass(frozen=True, slots=True)
class CommitMark:
    """A commit in a listing: its sha, when it was committed, and its author's name and first line, cut."""

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
    """An entry of a folder of a commit; `size` in bytes, 0 for a folder. A submodule shows as a link.

    The name is one that `ref_text` made: git's names are bytes.
    """

    name: str
    type: Literal["dir", "file", "link"]
    size: int


@dataclass(frozen=True, slots=True)
class CommittedFile:
    """A file of a commit: `id` names its content (equal content, equal id), `size` is in bytes.

    `open()` gives the bytes as a stream, not seekable; closing it early is fine. The content of a `link` is
    the path that it leads to, that of a submodule, which is a link too, the commit that it names elsewhere.
    """

    id: str
    size: int
    open: Callable[[], BinaryIO]
    link: bool = False


@dataclass(frozen=True, slots=True)
class FileChange:
    """A change of one path: content that is written, a move `to` another path, or neither: a removal.

    A folder is moved and removed with all in it. A `fresh` file is one that must not be there yet.
    """

    path: str
    content: bytes | Path | None = None
    to: str = ""
    fresh: bool = False


@dataclass(frozen=True, slots=True)
class CommitOrder:
    """A commit that is to be made on a branch.

    `parent` is the commit that the changes were made from (None: whatever is there). One that `starts` makes
    the branch, from its parent.
    """

    branch: str
    changes: Sequence[FileChange]
    message: str
    author: str
    at: datetime
    parent: str | None = None
    starts: bool = False


class Committed(NamedTuple):
    """A commit that was made, and the lines that git and its hooks said."""

    commit: str
    said: Sequence[str]


def ref_text(spelled: bytes) -> str:
    """A name of git's, which is bytes, as text that differs where the bytes do; `ref_bytes` undoes it."""
    return spelled.decode(errors="surrogateescape")


def ref_bytes(name: str) -> bytes:
    """The bytes of a name that `ref_text` made."""
    return name.encode(errors="surrogateescape")


def shown_ref(name: str) -> str:
    """A name of git's as people read it and the book keeps it: what is not printable is percent-encoded."""
    return "".join(sign if sign.isprintable() else percent_bytes(sign) for sign in name)


def percent_bytes(sign: str) -> str:
    """The bytes of a character of a name, percent-encoded."""
    return "".join(f"%{byte:02X}" for byte in ref_bytes(sign))


@dataclass(frozen=True, slots=True)
class RepositoryDraft:
    """A copy of an item's repository that no item has yet, its references and its bytes on disk."""

    item: int
    name: str
    refs: tuple[GitRef, ...]
    size: int


def label(name: str) -> str | None:
    """The label of a branch or tag: `/` becomes `-` (decisions 23c); None when the name makes no label."""
    word = name.replace("/", "-")
    return word if LABEL.fullmatch(word) else None


def labels(refs: Iterable[GitRef], head: str | None) -> dict[str, GitRef]:
    """Labels with the branch or tag that has each; `latest` is the default branch `head`.

    Where several refs make one label, the one that is spelled like it has it, and a tag before a branch. Refs
    whose names make no label are left out.
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
    """The changes of a commit against its first parent, as git writes them; `cut` where that is not all."""

    patch: str
    cut: bool = False


class Repositories(Protocol):
    """Reads and keeps the repositories of items, by the items' ids.

    A repository that is not there reads as an empty one. Everything raises Unavailable when git is missing.
    """

    def create(self, item: int) -> None:
        """Make an empty repository whose default branch will be `main`; nothing happens when there is one.

        Raises Unavailable or NoSpace when the disk does not take it.
        """
        ...

    def size(self, item: int) -> int:
        """Bytes of the repository on disk."""
        ...

    def write(self, item: int, order: CommitOrder, env: Mapping[str, str]) -> Committed:
        """Commit changed files to a branch as a push does, with its hooks, which get `env`.

        Raises Outdated when something that is changed is no longer what it was in the order's `parent`,
        Conflict when the changes do not fit what is there.
        """
        ...

    def draft(self, item: int) -> RepositoryDraft:
        """A fork that no item has yet: branches, tags and what they lead to, the same default branch.

        It takes a while. One that is not adopted is gone some time later.
        """
        ...

    def adopt(self, draft: RepositoryDraft, item: int) -> None:
        """Let a draft be the repository of an item that has none. Raises Unavailable or NoSpace."""
        ...

    def remove(self, item: int) -> None:
        """Take the repository away; nothing happens when there is none."""
        ...

    def free(self, item: int) -> None:
        """Remove locks that a git which was killed left in the item's repository."""
        ...

    def head(self, item: int) -> str | None:
        """The default branch, None while there is none."""
        ...

    def branches(self, item: int) -> Mapping[str, str]:
        """The branches with their commits, the default one first."""
        ...

    def labels(self, item: int) -> dict[str, GitRef]:
        """The labels of the item's branches and tags with the ref that has each (`labels`)."""
        ...

    def commits(self, item: int, limit: int | None = None) -> Sequence[CommitMark]:
        """Commits that branches and tags lead to, newest first, at most `limit`."""
        ...

    def commit(self, item: int, sha: str) -> Commit | None:
        """A commit by its full sha; None when there is none."""
        ...

    def difference(self, item: int, commit: Commit, most: int) -> Difference:
        """The changes of a commit, at most so many bytes of them. Raises Unavailable."""
        ...

    def last_changes(
        self, item: int, sha: str, folder: str, names: Collection[str]
    ) -> Mapping[str, CommitMark]:
        """The newest commit that changed each of these entries of a folder ("": the root).

        It is looked for among 1,000 commits up to this one; an entry that none of them changed is left out.
        """
        ...

    def entries(self, item: int, sha: str, path: str) -> Sequence[TreeEntry] | None:
        """The entries of a folder of a commit ("": the root), by name; None when it is none."""
        ...

    def file(self, item: int, sha: str, path: str) -> CommittedFile | None:
        """A file or link of a commit; None when there is none: folders are no files."""
        ...

    def export(self, item: int, commit: str, folder: Path) -> list[str]:
        """Write a commit's files into an empty folder; a sentence for each one left out. Raises VfsError."""
        ...
