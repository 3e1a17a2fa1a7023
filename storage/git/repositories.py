"""GitRepositories: bare git repositories on disk, one for each repo item."""

from __future__ import annotations

import errno
import fcntl
import io
import os
import secrets
import shutil
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import BinaryIO, Literal

from chains.builds.repositories import (
    Commit,
    CommitMark,
    CommitOrder,
    Committed,
    CommittedFile,
    Difference,
    GitRef,
    RepositoryDraft,
    TreeEntry,
    labels,
    ref_bytes,
    ref_text,
)
from chains.files.fsync import settle
from chains.files.removal import RemovalHold
from chains.files.sizes import bytes_below
from storage.git.checkout import Object, export, export_top, objects
from storage.git.command import GitCommand, Output, drop_stale_locks
from storage.git.commits import write_commit
from storage.git.forks import draft_fork, sweep_drafts
from storage.git.history import SHA, History
from vfs.errors import Unavailable, storage_error

HOOK = (sys.executable, "-P", "-m", "handlers.processes.post_receive")
HELD, MAIN = ".held-", "main"
INIT = ("init", "--quiet", "--bare", "--template=", f"--initial-branch={MAIN}")
LARGEST_PUSH = 4 << 30
KINDS: dict[str, Literal["branch", "tag"]] = {"heads": "branch", "tags": "tag"}
REF_FORMAT = "%(HEAD)%00%(refname)%00%(objecttype)%00%(objectname)%00%(*objecttype)%00%(*objectname)"


class GitRepositories:
    """Bare repositories in a folder, each named by its item's id and by nothing that a user chose.

    A repository that is not there reads as an empty one. Everything raises Unavailable when git is missing.
    """

    def __init__(
        self, folder: Path, hook: Sequence[str] = HOOK, largest: int = LARGEST_PUSH,
        hold: RemovalHold | None = None,
    ) -> None:  # fmt: skip
        """`hook` runs after a push, `largest`: the bytes of one; the `hold` of backups is else one above."""
        self.folder = folder.absolute()
        self.git = GitCommand(self.folder, hook, largest)
        self._hold = hold or RemovalHold(self.folder.parent)

    def path(self, item: int) -> Path:
        """The folder of the item's repository."""
        return self.folder / f"{int(item)}.git"

    def create(self, item: int) -> None:
        """Make an empty repository whose default branch will be `main`; nothing happens when there is one.

        Raises Unavailable or NoSpace when the disk does not take it.
        """
        if self.path(item).is_dir():
            return
        draft = self.folder / f".new-{secrets.token_hex(8)}"
        try:
            if self.git.run(draft, *INIT) is None:
                raise Unavailable("git could not make the repository; see whether the server's disk is full.")
            self._place(draft, self.path(item))
        except OSError as error:
            raise storage_error(error, "the repository") from error
        finally:
            shutil.rmtree(draft, ignore_errors=True)

    def remove(self, item: int) -> None:
        """Take the repository away; nothing happens when there is none."""
        with self._hold.removing() as is_free:
            grave = self.folder / (f".old-{secrets.token_hex(8)}" if is_free else f"{HELD}{int(item)}")
            try:
                self.path(item).rename(grave)
            except FileNotFoundError:
                return
            for gone in (grave, *self.folder.glob(f"{HELD}*")) if is_free else ():
                shutil.rmtree(gone, ignore_errors=True)

    def kept_path(self, item: int) -> Path:
        """The folder of the item's repository, also when it was removed while a backup is written."""
        path, grave = self.path(item), self.folder / f"{HELD}{int(item)}"
        return grave if grave.is_dir() and not path.is_dir() else path

    def free(self, item: int) -> None:
        """Remove locks that a git which was killed left in the item's repository."""
        drop_stale_locks(self.path(item))

    def forget_held(self) -> None:
        """Take away what was removed while a backup was written, unless another is."""
        with self._hold.removing() as is_free:
            for grave in self.folder.glob(f"{HELD}*") if is_free else ():
                shutil.rmtree(grave, ignore_errors=True)

    def write(self, item: int, order: CommitOrder, env: Mapping[str, str]) -> Committed:
        """Commit changed files, as storage.git.commits.write_commit does."""
        return write_commit(self.git, self.path(item), order, env)

    def draft(self, item: int) -> RepositoryDraft:
        """A fork of a repository that no item has yet: its branches and tags, and nothing else of it.

        Raises Unavailable where git cannot make it.
        """
        sweep_drafts(self.folder)
        draft = draft_fork(self.git, self.path(item), self.folder)
        refs, size = self._refs_at(draft), bytes_below(draft)
        return RepositoryDraft(item, draft.name, tuple(refs), size)

    def adopt(self, draft: RepositoryDraft, item: int) -> None:
        """Give a draft to an item. Raises Unavailable or NoSpace when the disk does not take it."""
        try:
            self._place(self.folder / draft.name, self.path(item))
        except OSError as error:
            raise storage_error(error, "the repository") from error

    def refs(self, item: int) -> list[GitRef]:
        """Branches and tags that lead to a commit, by name, branches first."""
        return self._refs_at(self.path(item))

    def _refs_at(self, path: Path) -> list[GitRef]:
        printed = self.git.run(path, "for-each-ref", f"--format={REF_FORMAT}", "refs/heads", "refs/tags")
        found = []
        for line in _lines(printed):
            star, full, kind, id, peeled_kind, peeled = line.split("\0")
            _, space, name = full.split("/", 2)
            commit = {
                "commit": id,
                "tag": peeled if peeled_kind == "commit" else self._peel(path, full),
            }.get(kind)
            if commit:
                found.append(GitRef(name, KINDS[space], commit, star == "*"))
        return found

    def head(self, item: int) -> str | None:
        """The default branch, None while there is none."""
        return next((ref.name for ref in self.refs(item) if ref.default), None)

    def branches(self, item: int) -> dict[str, str]:
        """The branches with their commits, the default one first."""
        branches = [ref for ref in self.refs(item) if ref.kind == "branch"]
        return {ref.name: ref.commit for ref in sorted(branches, key=lambda ref: not ref.default)}

    def labels(self, item: int) -> dict[str, GitRef]:
        """The labels of the item's branches and tags with the ref that has each; `latest` is the default."""
        refs = self.refs(item)
        return labels(refs, next((ref.name for ref in refs if ref.default), None))

    def settle_head(self, item: int, pushed: Sequence[str] = ()) -> str | None:
        """Let HEAD name a branch that exists, and return it (None: there is no branch, it is `main` again).

        The present one stays if it exists; else `main`, `master`, the first of `pushed`, the first by name.
        """
        branches = {ref.name: ref for ref in self.refs(item) if ref.kind == "branch"}
        if present := next((name for name, ref in branches.items() if ref.default), None):
            return present
        wanted = next((name for name in (MAIN, "master", *pushed, *branches) if name in branches), None)
        self._git(item, "symbolic-ref", "HEAD", ref_bytes(f"refs/heads/{wanted or MAIN}"))
        return wanted

    @contextmanager
    def push_lock(self, item: int) -> Iterator[None]:
        """Keep other processes that ask for this lock of the repository waiting. Raises Unavailable."""
        try:
            folder = os.open(self.path(item), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise storage_error(error, "the repository") from error
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)

    def commits(self, item: int, limit: int | None = None) -> list[CommitMark]:
        """Commits that branches and tags lead to, newest first, at most `limit`."""
        return self._history(item).marks(limit)

    def commit(self, item: int, sha: str) -> Commit | None:
        """A commit by its full sha; None when there is none."""
        return self._history(item).commit(sha)

    def difference(self, item: int, commit: Commit, most: int) -> Difference:
        """The changes of a commit against its first parent, at most so many bytes of them."""
        return self._history(item).difference(commit, most)

    def last_changes(self, item: int, sha: str, folder: str, names: Collection[str]) -> dict[str, CommitMark]:
        """The newest commit that changed each of these entries of a folder, of 1,000 up to this commit."""
        return self._history(item).last_changes(sha, folder, names)

    def entries(self, item: int, sha: str, path: str) -> list[TreeEntry] | None:
        """The entries of a folder of a commit ("" is the root), by name; None when it is no folder."""
        if not SHA.fullmatch(sha) or (path and not _clean(path)):
            return None
        printed = self._git(item, "ls-tree", "-l", "-z", ref_bytes(f"{sha}:{path}"))
        return None if printed is None else [_entry(entry) for entry in _objects(printed)]

    def file(self, item: int, sha: str, path: str) -> CommittedFile | None:
        """A file or link of a commit; None when there is none: folders are no files, no link is followed."""
        if not SHA.fullmatch(sha) or not _clean(path):
            return None
        parent, _, name = path.rpartition("/")
        printed = self._git(item, "ls-tree", "-l", "-z", ref_bytes(f"{sha}:{parent}"))
        for entry in _objects(printed or b""):
            if entry.path != ref_bytes(name) or entry.folder:
                continue
            if entry.submodule:
                return CommittedFile(
                    entry.id, len(entry.id), partial(io.BytesIO, entry.id.encode()), link=True
                )
            return CommittedFile(entry.id, entry.size, partial(self._open, item, entry.id), entry.link)
        return None

    def export(self, item: int, sha: str, folder: Path) -> list[str]:
        """Write the tree of a commit into an empty folder, as storage.checkout.export does."""
        return export(self.git, self.path(item), sha, folder)

    def export_top(self, item: int, sha: str, folder: Path) -> bool:
        """Write what a recipe is chosen by into an empty folder, as storage.checkout.export_top does."""
        return export_top(self.git, self.path(item), sha, folder)

    def size(self, item: int) -> int:
        """Bytes of the repository on disk."""
        return bytes_below(self.path(item))

    def _place(self, draft: Path, path: Path) -> None:
        """Give a draft its name, for good. Raises OSError."""
        for folder, _, names in os.walk(draft):
            for name in (*names, ""):
                settle(Path(folder) / name)
        try:
            draft.rename(path)
        except OSError as error:
            if error.errno not in (errno.EEXIST, errno.ENOTEMPTY):  # another request made it first
                raise
        settle(self.folder)

    def _git(self, item: int, *words: str | bytes) -> bytes | None:
        return self.git.run(self.path(item), *words)

    def _peel(self, path: Path, ref: str) -> str | None:
        """The commit that a tag of a tag leads to."""
        printed = self.git.run(path, "rev-parse", "--verify", "--quiet", ref_bytes(f"{ref}^{{commit}}"))
        return printed.decode().strip() if printed else None

    def _open(self, item: int, blob: str) -> BinaryIO:
        return self._output(item, "cat-file", "blob", blob)

    def _history(self, item: int) -> History:
        return History(self.git, self.path(item))

    def _output(self, item: int, *words: str) -> io.BufferedReader:
        return io.BufferedReader(Output(self.git.start(self.path(item), *words)))


def _lines(printed: bytes | None) -> list[str]:
    return ref_text(printed or b"").split("\n")[:-1]


def _objects(printed: bytes) -> list[Object]:
    return list(objects(printed.split(b"\0")[:-1]))


def _entry(entry: Object) -> TreeEntry:
    name = ref_text(entry.path)
    if entry.folder:
        return TreeEntry(name, "dir", 0)
    return TreeEntry(name, "file" if entry.file else "link", entry.size)


def _clean(path: str) -> bool:
    return not any(name in ("", ".", "..") or "\0" in name for name in path.split("/"))
