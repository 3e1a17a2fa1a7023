"""Commits that the server makes from changed files: written beside a repository, and pushed to it."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from chains.builds.repositories import CommitOrder, Committed, FileChange, ref_bytes, ref_text
from storage.git.checkout import MOST_FILES, Object, list_tree
from storage.git.command import SECONDS, GitCommand, kill, refuse_stopped
from storage.git.copies import DRAFT, sweep_drafts
from vfs.errors import Conflict, Invalid, NotFound, Outdated, Unavailable

INIT = ("init", "--quiet", "--bare", "--template=")
# One file for all objects: git does not report why it could not write one of several files.
IMPORT = ("-c", "fastimport.unpackLimit=0", "fast-import", "--quiet", "--done")
PACK = ("pack-objects", "--revs", "--stdout", "--thin", "-q")
RECEIVE = ("receive-pack", "--stateless-rpc")
BRANCH = b"refs/heads/made"
NONE = "0" * 40
NO_FILES = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
"""The empty tree, which git knows in every repository."""
PLAIN = b"100644"
ATTEMPTS = 5
MOST_WORDS = 1 << 14
PIECE = 1 << 16
MOVED = b" failed to update ref\n"
NOTHING_CHANGED = "the files are as you send them already: nothing was committed"

Node = Object | dict[str, "Node"]
"""A file or link of a commit, or a folder of them."""


def write_commit(git: GitCommand, repository: Path, order: CommitOrder, env: Mapping[str, str]) -> Committed:
    """Commit the changes of an order and push the commit through git's rules and hooks, which get `env`.

    Raises Outdated when a path of the order was changed since its `parent`, Conflict when the changes do not
    fit the current files, Invalid and Unavailable when git refuses.
    """
    for _ in range(ATTEMPTS):
        tip = _tip(git, repository, order.branch)
        made = _attempt(git, repository, order, tip, env)
        if made is not None:
            return made
    raise Conflict("others push to this branch all the time, and nothing was committed: try again")


def _attempt(
    git: GitCommand, repository: Path, order: CommitOrder, tip: str | None, env: Mapping[str, str]
) -> Committed | None:
    """Make the commit on this tip of the branch; return None when the branch moved meanwhile."""
    base = _base(git, repository, order, tip)
    tree = _tree(git, repository, base) if base else {}
    if order.parent and base and order.parent != base:
        _refuse_outdated(order, _tree(git, repository, order.parent), tree, base)
    commands = list(_plan(order.changes, tree))
    with _scratch(git, repository) as scratch:
        commit = scratch.write(order, base, commands)
        if scratch.same_tree(commit, base or NO_FILES):
            raise Conflict(NOTHING_CHANGED)
        return scratch.push(order.branch, tip, commit, base, env)


def _tip(git: GitCommand, repository: Path, branch: str) -> str | None:
    """Return the commit of a branch, None without. Raises Invalid for an invalid branch name."""
    ref = ref_bytes(f"refs/heads/{branch}")
    if git.run(repository, "check-ref-format", ref) is None or branch.startswith("-"):
        raise Invalid(f'no branch can be called "{branch[:200]}": use letters, digits, "-", "_", "." and "/"')
    printed = git.run(repository, "rev-parse", "--verify", "--quiet", ref + b"^{commit}")
    return printed.decode().strip() if printed else None


def _base(git: GitCommand, repository: Path, order: CommitOrder, tip: str | None) -> str | None:
    """Return the parent of the new commit; None for the first of a repository."""
    if order.starts:
        if tip is not None:
            raise Conflict(f'there is a branch "{order.branch}" already: take another name for a new one')
        return order.parent
    if tip is None and order.parent:
        raise Outdated(
            f'the branch "{order.branch}" is gone meanwhile, and nothing was committed: take another'
        )
    if tip is None and git.run(repository, "for-each-ref", "--count=1", "refs/heads", "refs/tags"):
        raise NotFound(f'there is no branch "{order.branch}": name one that is there, or start it')
    return tip


def _tree(git: GitCommand, repository: Path, commit: str) -> dict[str, Node]:
    """Return all files of a commit, in nested folders. Raises NotFound and TooLarge."""
    root: dict[str, Node] = {}
    for entry in list_tree(git, repository, commit, MOST_FILES):
        *above, name = ref_text(entry.path).split("/")
        folder = root
        for one in above:
            inner = folder.setdefault(one, {})
            assert isinstance(inner, dict)
            folder = inner
        folder[name] = entry
    return root


def _at(tree: dict[str, Node], path: str) -> Node | None:
    """Return the file or folder at a path; None for a missing one or a folder that lost all its files."""
    node: Node | None = tree
    for name in path.split("/"):
        node = node.get(name) if isinstance(node, dict) else None
    return node or None


def _refuse_outdated(order: CommitOrder, before: dict[str, Node], now: dict[str, Node], tip: str) -> None:
    """Raise Outdated when a path of the order was changed meanwhile."""
    touched = {path for change in order.changes for path in (change.path, change.to) if path}
    if changed := sorted(path for path in touched if _at(before, path) != _at(now, path)):
        named = ", ".join(f'"{path}"' for path in changed[:5])
        raise Outdated(
            f"somebody changed {named} meanwhile, and nothing was committed", changed=changed, commit=tip
        )


def _plan(changes: Sequence[FileChange], tree: dict[str, Node]) -> Iterator[bytes | FileChange]:
    """Yield the fast-import commands of each change. A change with content follows its command.

    Raises Conflict for a change that does not fit the current files.
    """
    for change in changes:
        there = _at(tree, change.path)
        if change.content is not None:
            yield b"M %s inline %s\n" % (_mode(change, there), _quote(change.path))
            yield change
            _put(tree, change.path, Object(PLAIN, "", 0, b""))
            continue
        if there is None:
            raise Conflict(f'there is no "{change.path}" in this branch; nothing was committed')
        _drop(tree, change.path)
        if not change.to:
            yield b"D %s\n" % _quote(change.path)
            continue
        if _at(tree, change.to) is not None or change.to == change.path:
            raise Conflict(f'there is a "{change.to}" already: take another path')
        _put(tree, change.to, there)
        yield b"R %s %s\n" % (_quote(change.path), _quote(change.to))


def _mode(change: FileChange, there: Node | None) -> bytes:
    """Return the mode of a file to write: that of the file it replaces. Raises Conflict."""
    if there is None:
        return PLAIN
    if change.fresh:
        raise Conflict(f'there is a "{change.path}" already: take another name, or edit that one')
    if isinstance(there, dict):
        raise Conflict(f'"{change.path}" is a folder: a file needs another name')
    if not there.file:
        raise Conflict(f'"{change.path}" is a link or a submodule: change it with git')
    return there.mode


def _put(tree: dict[str, Node], path: str, node: Node) -> None:
    *above, name = path.split("/")
    folder = tree
    for one in above:
        inner = folder.setdefault(one, {})
        if not isinstance(inner, dict):
            raise Conflict(f'"{one}" is a file, and "{path}" would be in it: take another path')
        folder = inner
    folder[name] = node


def _drop(tree: dict[str, Node], path: str) -> None:
    above, _, name = path.rpartition("/")
    folder = _at(tree, above) if above else tree
    assert isinstance(folder, dict)
    del folder[name]


def _quote(path: str) -> bytes:
    """Return a path in the quoted form of fast-import, in which any character is allowed."""
    return b'"' + b"".join(b"\\%03o" % byte for byte in ref_bytes(path)) + b'"'


@dataclass(frozen=True, slots=True)
class _Scratch:
    """A temporary repository for a new commit, which uses the objects of the real one."""

    git: GitCommand
    folder: Path
    repository: Path

    def __enter__(self) -> _Scratch:
        if self.git.run(self.folder, *INIT) is None:
            raise Unavailable("git could not begin the commit; see whether the server's disk is full.")
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def write(self, order: CommitOrder, base: str | None, commands: Sequence[bytes | FileChange]) -> str:
        """Write the commit and return its sha. Raises Invalid when git refuses it."""
        with tempfile.TemporaryFile(dir=self.repository.parent) as stream:
            at = int(order.at.timestamp())
            stream.write(b"commit %s\ncommitter " % BRANCH)
            stream.write(f"{order.author} <{order.author}> {at} +0000\n".encode())
            _data(stream, order.message.encode())
            if base:
                stream.write(f"from {base}\n".encode())
            for one in commands:
                if isinstance(one, FileChange):
                    _content(stream, one)
                else:
                    stream.write(one)
            stream.write(b"done\n")
            stream.seek(0)
            made = self._run(*IMPORT, stdin=stream)
        printed = self._run("rev-parse", "--verify", "--quiet", BRANCH) if made is not None else None
        if not printed:
            raise Invalid("git takes no commit of these files; nothing was committed")
        return printed.decode().strip()

    def same_tree(self, one: str, other: str) -> bool:
        """Return whether two commits, or a commit and a tree, have the same files."""
        printed = self._run("rev-parse", f"{one}^{{tree}}", f"{other}^{{tree}}") or b""
        return len(set(printed.split())) == 1

    def push(
        self, branch: str, tip: str | None, commit: str, base: str | None, env: Mapping[str, str]
    ) -> Committed | None:
        """Push the commit to the repository as any client does. Return None if its branch has moved."""
        with tempfile.TemporaryFile(dir=self.repository.parent) as sent:
            ref = ref_bytes(f"refs/heads/{branch}")
            line = b"%s %s %s\0 report-status\n" % ((tip or NONE).encode(), commit.encode(), ref)
            sent.write(b"%04x%s0000" % (len(line) + 4, line))
            sent.flush()
            self._pack(commit, base, sent)
            sent.seek(0)
            report, said = _receive(self.git, self.repository, sent, env)
        if any(line.startswith(b"ok ") for line in report):
            return Committed(commit, said)
        if any(
            line.startswith(b"ng ") and line.rstrip().endswith(b"failed to update ref") for line in report
        ):
            return None
        if not said:
            raise Unavailable("git could not store the commit; see whether the server's disk is full.")
        raise Conflict(f"the commit was refused: {' '.join(said)[:1_000]}")

    def _pack(self, commit: str, base: str | None, sent: IO[bytes]) -> None:
        with os.fdopen(os.memfd_create("wanted"), "w+b") as wanted:
            wanted.write(f"{commit}\n".encode() + (f"^{base}\n".encode() if base else b""))
            wanted.seek(0)
            process = self.git.start(self.folder, *PACK, stdin=wanted, env=self._borrowed)
            assert process.stdout is not None
            try:
                shutil.copyfileobj(process.stdout, sent)
                if code := process.wait(SECONDS):
                    refuse_stopped(code)
                    raise Unavailable("git could not pack the commit; see whether the server's disk is full.")
            finally:
                kill(process)

    def _run(self, *words: str | bytes, stdin: IO[bytes] | int = subprocess.DEVNULL) -> bytes | None:
        return self.git.run(self.folder, *words, stdin=stdin, env=self._borrowed)

    @property
    def _borrowed(self) -> dict[str, str]:
        return {"GIT_ALTERNATE_OBJECT_DIRECTORIES": str(self.repository / "objects")}


def _scratch(git: GitCommand, repository: Path) -> _Scratch:
    folder = repository.parent
    sweep_drafts(folder)
    return _Scratch(git, folder / f"{DRAFT}{secrets.token_hex(8)}", repository)


def _data(stream: IO[bytes], raw: bytes) -> None:
    stream.write(b"data %d\n%s\n" % (len(raw), raw))


def _content(stream: IO[bytes], change: FileChange) -> None:
    """Write the content of a file, piece by piece if it is on disk."""
    if not isinstance(change.content, Path):
        _data(stream, change.content or b"")
        return
    with change.content.open("rb") as file:
        stream.write(b"data %d\n" % os.fstat(file.fileno()).st_size)
        shutil.copyfileobj(file, stream, PIECE)
        stream.write(b"\n")


def _receive(
    git: GitCommand, repository: Path, sent: IO[bytes], env: Mapping[str, str]
) -> tuple[list[bytes], list[str]]:
    """Return the lines of git's report, and the messages of git and its hooks. Raises Unavailable."""
    with os.fdopen(os.memfd_create("said"), "w+b") as heard:
        process = git.start(repository, *RECEIVE, str(repository), stdin=sent, stderr=heard, env=env)
        try:
            printed, _ = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            raise Unavailable(f"git did not answer within {SECONDS} seconds; try again later.") from None
        finally:
            kill(process)
        heard.seek(0)
        words = heard.read(MOST_WORDS)
    report = list(_packets(printed))
    is_taken = any(line.startswith(b"ok ") for line in report)
    refuse_stopped(process.returncode or int(not is_taken), words)
    return report, [line for line in words.decode(errors="replace").split("\n") if line]


def _packets(printed: bytes) -> Iterator[bytes]:
    """Yield the lines of a report in packets (gitprotocol-common)."""
    while len(printed) >= 4 and (size := int(printed[:4], 16)) >= 4:
        yield printed[4:size]
        printed = printed[size:]
