"""The folders of runs: inputs, outputs of steps, and copies of files that another account controls."""

from __future__ import annotations

import errno
import os
import secrets
import stat
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from chains.files.folder_lock import make_folder
from chains.files.fsync import place_file, settle, settle_all
from chains.files.input_manifest import InputManifests
from chains.files.keeper import Keeper, keeper_of
from chains.files.names import DEEPEST, is_bottom, plain, printable, refusal
from chains.files.removal import RemovalHold, remove
from chains.files.run_folder import RunFolder
from chains.files.sizes import size_text
from chains.files.tallies import require_kept, tally_of
from vfs.errors import Gone, Invalid, TooLarge, storage_error
from vfs.ports.blobs import chunks

PIECE = 1 << 20
OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
MAKE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def carry(source: Path, target: Path, keeper: Keeper, largest: int) -> None:
    """Copy the folders and regular files below `source` that its account may read to a new `target`.

    Links and special files are left out. Raises FileNotFoundError without such a folder, OSError (EFBIG)
    beyond `largest` bytes.
    """
    here = _open(source, None, keeper)
    _carry(here, target, keeper, [largest], DEEPEST)


def _carry(here: int, target: Path, keeper: Keeper, left: list[int], levels: int) -> None:
    """Copy the content of the open folder `here`, and close it; `left` are the bytes still allowed."""
    try:
        target.mkdir()
        for name in os.listdir(here) if levels else ():
            try:
                entry = _open(name, here, keeper)
            except OSError:
                continue
            if stat.S_ISDIR(os.fstat(entry).st_mode):
                _carry(entry, target / name, keeper, left, levels - 1)
            else:
                _copy(entry, target / name, left)
    finally:
        os.close(here)


def _copy(entry: int, target: Path, left: list[int]) -> None:
    """Copy an open file up to its current size, and close it."""
    with os.fdopen(entry, "rb", buffering=0) as source:
        found = os.fstat(entry)
        if not stat.S_ISREG(found.st_mode):
            return
        left[0] -= found.st_size
        if left[0] < 0:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
        rest = found.st_size
        with os.fdopen(os.open(target, MAKE, 0o644), "wb", buffering=0) as file:
            while rest and (piece := source.read(min(PIECE, rest))):
                rest -= file.write(piece)


def _open(name: str | Path, folder: int | None, keeper: Keeper) -> int:
    with keeper.acting():
        return os.open(name, OPEN if folder is not None else OPEN | os.O_DIRECTORY, dir_fd=folder)


INPUT = "in-"
RUN = "run-"
ABANDONED_SECONDS = 24 * 3600
MOST_FILES = 10_000

Judge = Callable[[str], str | None]
"""A function that returns why a path cannot be a file's, or None if it can."""


Fetch = Callable[[str, Path], object]
"""A function that makes a new folder with a manifest's files (chains.sharing.run_files.RunFiles.fetch)."""


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A regular file below a folder: its relative path, its path on the host, its size in bytes."""

    rel: str
    path: Path
    size: int

    def pieces(self) -> Iterator[bytes]:
        """Yield its bytes; it is opened when the first are read."""
        with self.path.open("rb") as source:
            yield from chunks(source)


@dataclass(frozen=True, slots=True)
class Checked:
    """The output of a step: regular files ordered by path, and (path, reason) of dropped entries."""

    files: tuple[FoundFile, ...]
    dropped: tuple[tuple[str, str], ...]


class Folders:
    """The folders of all runs below one root; only the service may enter them.

    `root`: the web process writes inputs here. `own`: folders made by the runner, the only ones that steps
    see. It may belong to another account; nothing in it belongs to the web process's account.
    """

    def __init__(
        self,
        root: Path,
        days: int = 30,
        own: Path | None = None,
        largest: int = 1 << 40,
        fetch: Fetch | None = None,
    ) -> None:
        """Set the folders. Lists of inputs are kept for `days`; an input has at most `largest` bytes.

        `fetch` gets files that another host stored, if there may be other hosts.
        """
        self.root = root
        self.own = own or root
        self._keeper = keeper_of(root)
        self._hold = RemovalHold(root.parent)
        self._largest = largest
        self._fetch = fetch
        self.notes = InputManifests(root / ".noted", days)

    def home(self) -> str:
        """Return the name of this runner's folder, the same after each start."""
        file = self.own / ".home"
        with keeper_of(self.own).acting():
            make_folder(self.own)
            if not file.exists():
                place_file(file, secrets.token_hex(8).encode(), replaces=False)
            return file.read_text()

    def new(self) -> str:
        """Return the name of a new input folder; the trigger of a run writes the input below `path(name)`.

        Raises NoSpace when the disk is full, Unavailable when it fails.
        """
        name = INPUT + secrets.token_hex(16)
        try:
            with self._keeper.acting():
                make_folder(self.root)
                self.path(name).mkdir()
        except OSError as error:
            raise storage_error(error, "the input") from error
        return name

    def settle(self, name: str) -> None:
        """Make the entries of an input folder durable. Raises as `new` does."""
        try:
            with self._keeper.acting():
                settle(self.path(name))
                settle(self.root)
        except OSError as error:
            raise storage_error(error, "the input") from error

    def path(self, name: str) -> Path:
        """Return the path of the folder with a name."""
        return self.root / name

    def discard(self, name: str) -> None:
        """Remove an input folder whose run was not submitted."""
        with self._hold.removing() as is_free:
            if is_free and plain(name):
                remove(self.path(name), self._keeper)

    def of(self, run: int) -> RunFolder:
        """Return the folder of a run, by its number."""
        return RunFolder(self.own / f"{RUN}{int(run)}")

    def tally(self, name: str) -> str:
        """Return the tally of an input's files for the run store. Raises Unavailable if it is unreadable."""
        try:
            with self._keeper.acting():
                return str(tally_of(self.path(name)))
        except OSError as error:
            raise storage_error(error, "the input") from error

    def take(
        self, run: int, name: str | None, tally: str | None = None, files: str | None = None
    ) -> RunFolder:
        """Return the folder of a run, with its input moved into it and compared with its tally (None: empty).

        With `files` the input is fetched by that manifest. Raises Gone when it differs, Unavailable, OSError.
        """
        folder = self.of(run)
        folder.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if name is None:
            folder.input.mkdir(exist_ok=True)
            return folder
        if not folder.input.exists():
            if files is not None:
                self.fetch(files, folder.input)
            else:
                with suppress(FileNotFoundError):
                    self._bring(name, folder.input)
        known = self.notes.sizes(name) if plain(name) else None
        folder.input_sizes = require_kept(folder.input, tally, "the input of the run", known)
        return folder

    def fetch(self, files: str, target: Path) -> None:
        """Make a new folder with the files of a manifest. Raises Gone, Unavailable, OSError."""
        if self._fetch is None:
            raise Gone('The run was triggered where hosts = "several" is set; set it for this runner, too.')
        self._fetch(files, target)

    def _bring(self, name: str, target: Path) -> None:
        """Move an input, or copy one that another account controls. Raises FileNotFoundError without one."""
        if not plain(name) or not name.startswith(INPUT):
            raise FileNotFoundError
        if self.own == self.root:
            self.path(name).rename(target)
            return
        draft = target.with_name(".input")
        remove(draft)
        carry(self.path(name), draft, self._keeper, self._largest)
        draft.rename(target)
        self.discard(name)

    def clear(self, run: int, name: str | None) -> None:
        """Remove all folders of a run, and its input if it was not taken.

        They stay while a backup is written, for the next sweep.
        """
        with self._hold.removing() as is_free:
            if is_free:
                remove(self.of(run).path)
        if name is not None:
            self.discard(name)

    def sweep(
        self,
        wanted: Callable[[], tuple[Collection[int], Collection[str | None]]],
        spent: Callable[[Collection[str]], Collection[str]] = lambda inputs: (),
    ) -> list[str]:
        """Remove folders that are not needed any more; return their names.

        `wanted` returns the runs and inputs that are needed. It is called after the folders were listed, so
        that newer folders are safe. An input younger than a day may be about to be submitted and stays,
        unless its run has ended according to `spent`.
        """
        with self._hold.removing() as is_free:
            return self._sweep(wanted, spent) if is_free else []

    def _sweep(
        self,
        wanted: Callable[[], tuple[Collection[int], Collection[str | None]]],
        spent: Callable[[Collection[str]], Collection[str]],
    ) -> list[str]:
        self.notes.sweep()
        there = [path for root in {self.root, self.own} for path in root.glob("[!.]*")]
        runs, inputs = wanted()
        names = {path.name for path in there if path.name.startswith(INPUT)} - set(inputs)
        ended = set(spent(names)) if names else set()
        removed = []
        for path in there:
            number = path.name.removeprefix(RUN)
            if path.name.startswith(RUN) and number.isdigit():
                keep = int(number) in runs
            else:
                young = _age(path) < ABANDONED_SECONDS
                keep = path.name in inputs or (young and path.name not in ended)
            if not keep:
                remove(path, keeper_of(path.parent))
                removed.append(path.name)
        return removed


def check(
    folder: Path, largest: int, most: int = MOST_FILES, judge: Judge = refusal, shown: str = "/output"
) -> Checked:
    """Return the regular files below a folder that no process writes to; empty folders are ignored.

    Links, devices, pipes and sockets are removed. Raises Invalid for a file that `judge` refuses, naming it
    below `shown`, TooLarge for more than `largest` bytes or `most` files.
    """
    files: list[FoundFile] = []
    dropped: list[tuple[str, str]] = []
    for entry, rel, facts in _walk(folder):
        if reason := _odd(facts.st_mode):
            dropped.append((rel, reason))
            remove(Path(entry.path))
        elif why := judge(rel):
            raise Invalid(f"it left {shown}/{printable(rel)}, which cannot be stored: {why}")
        else:
            files.append(FoundFile(rel, Path(entry.path), facts.st_size))
            if len(files) > most:
                raise TooLarge(f"The output has more than {most:,} files.")
    if sum(file.size for file in files) > largest:
        raise TooLarge(f"The output has more than {size_text(largest)}.")
    return Checked(tuple(sorted(files, key=lambda file: file.rel)), tuple(dropped))


def outlast(folder: Path, files: Iterable[FoundFile]) -> None:
    """Make the files below a step's folder durable. Raises OSError."""
    found = [file.path for file in files]
    folders = {place for path in found for place in path.parents if place.is_relative_to(folder)}
    settle_all(folder, (*found, *sorted({folder.parent.parent, folder.parent, folder} | folders)))


def _walk(folder: Path) -> Iterator[tuple[os.DirEntry[str], str, os.stat_result]]:
    """Yield every entry below a folder that is not a folder: the entry, its relative path, its lstat.

    Links are not followed. Folders that are too deep for files are yielded, too, and not opened.
    """
    waiting = [(str(folder), "")]
    while waiting:
        path, prefix = waiting.pop()
        bottom, folders = is_bottom(prefix.rstrip("/")), []
        with os.scandir(path) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                facts, rel = entry.stat(follow_symlinks=False), prefix + entry.name
                if stat.S_ISDIR(facts.st_mode) and not bottom:
                    folders.append((entry.path, rel + "/"))
                else:
                    yield entry, rel, facts
        waiting += reversed(folders)


def _odd(mode: int) -> str | None:
    """Return why an entry is dropped regardless of its name; None for a regular file or a folder."""
    if stat.S_ISLNK(mode):
        return "it is a link"
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        return "it is neither a file nor a folder"
    return None


def _age(path: Path) -> float:
    """Return the seconds since a folder changed, or 0.0 if it was removed."""
    with suppress(FileNotFoundError):
        return time.time() - path.stat().st_mtime
    return 0.0
