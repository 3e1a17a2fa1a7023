"""GitRepositories: bare git repositories on disk, one for each repo item."""

from __future__ import annotations

import errno
import fcntl
import io
import os
import secrets
import shutil
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
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
from chains.files.fsync import place_file, settle, settle_all
from chains.files.removal import RemovalHold
from chains.files.sizes import bytes_below
from storage.git.checkout import Object, export, export_top, objects
from storage.git.command import GitCommand, Output, drop_stale_locks
from storage.git.commits import write_commit
from storage.git.copies import draft_fork, sweep_drafts
from storage.git.history import SHA, History
from vfs.errors import Unavailable, storage_error

HOOK = (sys.executable, "-P", "-m", "handlers.processes.post_receive")
HELD, MAIN = ".held-", "main"
INIT = ("init", "--quiet", "--bare", "--template=", f"--initial-branch={MAIN}")
LARGEST_PUSH = 4 << 30
KINDS: dict[str, Literal["branch", "tag"]] = {"heads": "branch", "tags": "tag"}
REF_FORMAT = "%(HEAD)%00%(refname)%00%(objecttype)%00%(objectname)%00%(*objecttype)%00%(*objectname)"


def settle_refs(repository: Path, refs: Iterable[str]) -> None:
    """Make changed references durable, and the objects that arrived with them.

    git syncs the content of files, but not their names. Raises Unavailable or NoSpace.
    """
    objects = (repository / "objects/pack", repository / "objects")
    folders = {folder for ref in refs for folder in (repository / os.fsdecode(ref_bytes(ref))).parents}
    below = sorted((folder for folder in folders if folder.is_relative_to(repository / "refs")), reverse=True)
    places = (*objects, *below, repository)
    try:
        settle_all(repository, [place for place in places if place.exists()])
    except OSError as error:
        raise storage_error(error, "the repository") from error


class GitRepositories:
    """Bare repositories in a folder, each named by its item's id, never by user input.

    A missing repository reads as an empty one. All methods raise Unavailable when git is not installed.
    """

    def __init__(
        self, folder: Path, hook: Sequence[str] = HOOK, largest: int = LARGEST_PUSH,
        hold: RemovalHold | None = None,
    ) -> None:  # fmt: skip
        """Set the program that runs after a push, the maximum bytes of a push, and the hold of backups."""
        self.folder = folder.absolute()
        self.git = GitCommand(self.folder, hook, largest)
        self._hold = hold or RemovalHold(self.folder.parent)

    def path(self, item: int) -> Path:
        """Return the folder of the item's repository."""
        return self.folder / f"{int(item)}.git"

    def create(self, item: int) -> None:
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
        """Remove the repository if it exists; while a backup is written, keep it under another name."""
        with self._hold.removing() as is_free:
            grave = self.folder / (f".old-{secrets.token_hex(8)}" if is_free else f"{HELD}{int(item)}")
            try:
                self.path(item).rename(grave)
            except FileNotFoundError:
                return
            for gone in (grave, *self.folder.glob(f"{HELD}*")) if is_free else ():
                shutil.rmtree(gone, ignore_errors=True)

    def kept_path(self, item: int) -> Path:
        """Return the folder of the item's repository, even if it was removed while a backup is written."""
        path, grave = self.path(item), self.folder / f"{HELD}{int(item)}"
        return grave if grave.is_dir() and not path.is_dir() else path

    def free(self, item: int) -> None:
        drop_stale_locks(self.path(item))

    def forget_held(self) -> None:
        """Delete the repositories that were removed during a backup, unless another backup runs."""
        with self._hold.removing() as is_free:
            for grave in self.folder.glob(f"{HELD}*") if is_free else ():
                shutil.rmtree(grave, ignore_errors=True)

    def write(self, item: int, order: CommitOrder, env: Mapping[str, str]) -> Committed:
        try:
            return write_commit(self.git, self.path(item), order, env)
        except OSError as error:
            raise storage_error(error, "the commit") from error

    def draft(self, item: int) -> RepositoryDraft:
        """Make a fork of the repository that no item has yet, with its branches and tags only.

        Raises Unavailable when git cannot make it.
        """
        sweep_drafts(self.folder)
        draft = draft_fork(self.git, self.path(item), self.folder)
        refs, size = self._refs_at(draft), bytes_below(draft)
        return RepositoryDraft(item, draft.name, tuple(refs), size)

    def adopt(self, draft: RepositoryDraft, item: int) -> None:
        try:
            self._place(self.folder / draft.name, self.path(item))
        except OSError as error:
            raise storage_error(error, "the repository") from error

    def refs(self, item: int) -> list[GitRef]:
        """Return the branches and tags that point at a commit, by name, branches first."""
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
        return next((ref.name for ref in self.refs(item) if ref.default), None)

    def branches(self, item: int) -> dict[str, str]:
        branches = [ref for ref in self.refs(item) if ref.kind == "branch"]
        return {ref.name: ref.commit for ref in sorted(branches, key=lambda ref: not ref.default)}

    def labels(self, item: int) -> dict[str, GitRef]:
        refs = self.refs(item)
        return labels(refs, next((ref.name for ref in refs if ref.default), None))

    def settle_head(self, item: int, pushed: Sequence[str] = ()) -> str | None:
        """Set HEAD to an existing branch and return it. Without branches, set it to `main` and return None.

        The first that exists is used: the current one, `main`, `master`, those of `pushed`, the rest by name.
        """
        branches = {ref.name: ref for ref in self.refs(item) if ref.kind == "branch"}
        if present := next((name for name, ref in branches.items() if ref.default), None):
            return present
        wanted = next((name for name in (MAIN, "master", *pushed, *branches) if name in branches), None)
        # `git symbolic-ref` renames a file without syncing it: after a power cut, git may find no repository.
        try:
            place_file(
                self.path(item) / "HEAD", b"ref: refs/heads/%s\n" % ref_bytes(wanted or MAIN), mode=0o666
            )
        except OSError as error:
            raise storage_error(error, "the default branch") from error
        return wanted

    @contextmanager
    def push_lock(self, item: int) -> Iterator[None]:
        """Hold the repository's exclusive lock; other processes wait for it. Raises Unavailable."""
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
        return self._history(item).marks(limit)

    def commit(self, item: int, sha: str) -> Commit | None:
        return self._history(item).commit(sha)

    def difference(self, item: int, commit: Commit, most: int) -> Difference:
        return self._history(item).difference(commit, most)

    def last_changes(self, item: int, sha: str, folder: str, names: Collection[str]) -> dict[str, CommitMark]:
        return self._history(item).last_changes(sha, folder, names)

    def entries(self, item: int, sha: str, path: str) -> list[TreeEntry] | None:
        if not SHA.fullmatch(sha) or (path and not _clean(path)):
            return None
        printed = self._git(item, "ls-tree", "-l", "-z", ref_bytes(f"{sha}:{path}"))
        return None if printed is None else [_entry(entry) for entry in _objects(printed)]

    def file(self, item: int, sha: str, path: str) -> CommittedFile | None:
        """Return a file or link of a commit; None for a folder or a missing one. Links are not followed."""
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
        return export(self.git, self.path(item), sha, folder)

    def export_top(self, item: int, sha: str, folder: Path) -> bool:
        """Write the files that select a recipe into an empty folder, as storage.checkout.export_top does."""
        return export_top(self.git, self.path(item), sha, folder)

    def size(self, item: int) -> int:
        return bytes_below(self.path(item))

    def _place(self, draft: Path, path: Path) -> None:
        """Sync a draft to the disk and rename it. Raises OSError."""
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
        """Return the commit that a tag of a tag points at."""
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
