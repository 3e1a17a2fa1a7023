"""Checkout: the tree of a commit as entries, and as files in a folder without links that lead outside."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO

from storage.git.command import GitCommand, kill, refuse_stopped
from vfs.errors import Invalid, NoSpace, NotFound, TooLarge

MOST_FILES = 100_000
MOST_BYTES = 1 << 30
LONGEST_LINE = 1 << 16
LONGEST_TARGET = 4095
PIECE = 1 << 16
MOST_NEAR, LARGEST_NEAR = 2000, 1 << 20
FORBIDDEN = {b"", b".", b"..", b".git"}


@dataclass(frozen=True, slots=True)
class Object:
    """An entry of a tree as git lists it; `size` is the blob's, `path` is relative to the tree's root."""

    mode: bytes
    id: str
    size: int
    path: bytes

    @property
    def link(self) -> bool:
        """Whether it is a symbolic link, whose blob is the target."""
        return self.mode == b"120000"

    @property
    def folder(self) -> bool:
        """Whether it is a tree."""
        return self.mode == b"040000"

    @property
    def submodule(self) -> bool:
        """Whether it is a commit of another repository."""
        return self.mode == b"160000"

    @property
    def file(self) -> bool:
        """Whether it is a regular file, executable or not."""
        return self.mode.startswith(b"100")


def objects(listing: Iterable[bytes]) -> Iterator[Object]:
    """Yield the entries of the output of `git ls-tree -l -z`, split at its NULs."""
    for line in listing:
        about, _, path = line.partition(b"\t")
        mode, _, id, size = about.split()
        yield Object(mode, id.decode(), int(size) if size.isdigit() else 0, path)


def export_top(git: GitCommand, repository: Path, commit: str, folder: Path) -> bool:
    """Write the small files at the root and in packages of a commit, and empty files for others near them.

    Returns False if the commit has links, or too many files for this. Raises as `export` does.
    """
    found = [entry for entry in _list_files(git, repository, commit) if _is_near(entry.path)]
    if len(found) > MOST_NEAR or not all(entry.file and _sound(entry) for entry in found):
        return False
    shown = [entry for entry in found if b"/" not in entry.path or entry.path.endswith(b"/__main__.py")]
    _write(git, repository, [entry for entry in shown if entry.size <= LARGEST_NEAR], folder)
    for entry in found:
        place = Path(os.fsdecode(os.path.join(os.fsencode(folder), entry.path)))
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch()
    return True


def _is_near(path: bytes) -> bool:
    return path.count(b"/") < 3


def export(git: GitCommand, repository: Path, commit: str, folder: Path) -> list[str]:
    """Write the tree of a commit into an empty folder.

    Returns a sentence for each omitted entry: submodules, invalid names, and links that lead outside of the
    folder. Raises NotFound when there is no such commit, TooLarge, NoSpace, and Invalid for a tree that
    cannot be stored in a folder.
    """
    found = _list_files(git, repository, commit)
    dropped = [entry for entry in found if not _sound(entry)]
    try:
        _write(git, repository, [entry for entry in found if entry.file and _sound(entry)], folder)
        stray = _link(git, repository, [entry for entry in found if entry.link and _sound(entry)], folder)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise NoSpace("The server's disk is full; the commit cannot be checked out.") from error
        raise Invalid(f"The commit cannot be checked out: {error.strerror}.") from error
    sentences = [
        f"left out {_text(entry.path)}: a submodule or a name that no file can have" for entry in dropped
    ]
    return sentences + [f"left out {_text(path)}: a link that leads outside of the repo" for path in stray]


def _text(path: bytes) -> str:
    return path.decode(errors="replace")


def _sound(entry: Object) -> bool:
    names = entry.path.split(b"/")
    possible = entry.file or (entry.link and entry.size <= LONGEST_TARGET)
    return possible and not any(name.lower() in FORBIDDEN for name in names)


def _list_files(git: GitCommand, repository: Path, commit: str) -> list[Object]:
    """Return the files of the commit. Stop at the limits, because a small pack can describe a huge tree."""
    found: list[Object] = []
    total = 0
    for entry in list_tree(git, repository, commit, MOST_FILES):
        found.append(entry)
        total += entry.size
        if total > MOST_BYTES:
            raise _too_large(MOST_FILES)
    return found


def list_tree(git: GitCommand, repository: Path, commit: str, most: int) -> Iterator[Object]:
    """Yield the files, links and submodules of a commit. Raises NotFound, TooLarge for more than `most`."""
    process = git.start(repository, "ls-tree", "-r", "-l", "-z", "--full-tree", commit)
    try:
        assert process.stdout is not None
        for number, entry in enumerate(objects(_cut(process.stdout))):
            if number >= most:
                raise _too_large(most)
            yield entry
        if process.wait() != 0:
            refuse_stopped(process.returncode)
            raise NotFound(f"There is no commit {commit} in the repo.")
    finally:
        kill(process)


def _too_large(files: int) -> TooLarge:
    return TooLarge(
        f"The commit is too large here: it holds more than {files} files or {MOST_BYTES >> 20} MiB."
    )


def _cut(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield the pieces of a stream between NULs."""
    rest = b""
    while piece := stream.read(PIECE):
        *lines, rest = (rest + piece).split(b"\0")
        yield from lines
        if len(rest) > LONGEST_LINE:
            raise Invalid("The commit cannot be checked out: a path in it is too long.")


def _blobs(git: GitCommand, repository: Path, entries: list[Object]) -> Iterator[tuple[Object, BinaryIO]]:
    """Yield each entry with a stream at its first byte; the caller reads `size` bytes."""
    with tempfile.TemporaryFile() as wanted:
        wanted.write(b"".join(f"{entry.id}\n".encode() for entry in entries))
        wanted.seek(0)
        process = git.start(repository, "cat-file", "--batch", "--buffer", stdin=wanted)
        assert process.stdout is not None
        try:
            for entry in entries:
                header = process.stdout.readline().split()
                if not header:
                    refuse_stopped(process.wait())
                if header[-1:] != [str(entry.size).encode()]:
                    raise Invalid(f"The repo lacks the content of {_text(entry.path)}; push it again.")
                yield entry, process.stdout  # type: ignore[misc]
                process.stdout.read(1)
        finally:
            kill(process)


def _write(git: GitCommand, repository: Path, entries: list[Object], folder: Path) -> None:
    made: set[bytes] = set()
    root = os.fsencode(folder)
    for entry, content in _blobs(git, repository, entries):
        path = os.path.join(root, entry.path)
        parent = os.path.dirname(path)
        if parent not in made:
            os.makedirs(parent, exist_ok=True)
            made.add(parent)
        mode = 0o755 if entry.mode == b"100755" else 0o644
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode), "wb") as file:
            os.fchmod(file.fileno(), mode)  # independent of the server's umask
            left = entry.size
            while left and (piece := content.read(min(PIECE, left))):
                left -= file.write(piece)
            if left:
                raise Invalid(f"The repo lacks the content of {_text(entry.path)}; push it again.")


def _link(git: GitCommand, repository: Path, entries: list[Object], folder: Path) -> list[bytes]:
    """Make the links, after the files so that no file is written through one. Return the removed links."""
    root = os.path.realpath(os.fsencode(folder))
    for entry, content in _blobs(git, repository, entries):
        path = os.path.join(root, entry.path)
        parent = os.path.dirname(path)
        if os.path.realpath(parent) != parent:
            raise Invalid(f"The commit cannot be checked out: {_text(entry.path)} is below a link.")
        os.makedirs(parent, exist_ok=True)
        os.symlink(content.read(entry.size), path)
    stray = [entry.path for entry in entries if _leaves(os.path.join(root, entry.path), root)]
    for name in stray:
        os.unlink(os.path.join(root, name))
    return stray


def _leaves(link: bytes, root: bytes) -> bool:
    """Return whether a link leads out of the root, directly or through others."""
    return os.readlink(link).startswith(b"/") or not (os.path.realpath(link) + b"/").startswith(root + b"/")
