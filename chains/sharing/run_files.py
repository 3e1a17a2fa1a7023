"""RunFiles: the transfer of a run's files to the host that needs them, through the file store."""

from __future__ import annotations

import errno
import json
import os
import re
import secrets
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

from chains.files.names import printable, refusal
from chains.files.removal import remove
from chains.files.results import open_regular
from chains.files.tallies import LONGEST, NO_FILE, sizes_in, try_copy
from chains.runs.retry import Patience
from vfs.errors import Gone, Invalid, NotFound, TooLarge
from vfs.ports.blobs import Blobs, Ref, chunks

FORMAT = 1
DIGEST = re.compile(r"[0-9a-f]{64}")
MEDIA = "application/json"
LARGEST = 256 << 20
"""Maximum size of a manifest in bytes: a hundred thousand files with the longest paths."""


@dataclass(frozen=True, slots=True)
class ManifestFile:
    """A file of a manifest: its relative path, SHA-256 in hex, size in bytes, and executable bit."""

    path: str
    digest: str
    size: int
    executable: bool = False


@dataclass(frozen=True, slots=True)
class Manifest:
    """The files below a folder, ordered by path."""

    files: tuple[ManifestFile, ...] = ()

    @property
    def sizes(self) -> Mapping[str, int]:
        """Their sizes by path (chains.files.tallies.Sizes)."""
        return {file.path: file.size for file in self.files}

    def content(self) -> bytes:
        """Return the manifest as bytes, always the same for the same files."""
        rows = [[file.path, file.digest, file.size, file.executable] for file in self.files]
        return json.dumps(
            {"format": FORMAT, "files": rows}, ensure_ascii=False, separators=(",", ":")
        ).encode()


def read_manifest(content: bytes) -> Manifest:
    """Parse a manifest that `content` wrote. Raises ValueError for anything else, such as unsafe paths."""
    said = json.loads(content)
    if not isinstance(said, dict) or said.get("format") != FORMAT or not isinstance(said.get("files"), list):
        raise ValueError("no manifest")
    files = tuple(map(_file, said["files"]))
    if any(one.path >= other.path for one, other in pairwise(files)):
        raise ValueError("not in order")
    return Manifest(files)


def _file(row: Any) -> ManifestFile:
    path, digest, size, executable = row
    if not (type(path) is str and type(size) is int and size >= 0 and type(executable) is bool):
        raise ValueError("no file")
    if type(digest) is not str or not DIGEST.fullmatch(digest) or refusal(path, labelled=True):
        raise ValueError("no file")
    return ManifestFile(path, digest, size, executable)


class RunFiles(Protocol):
    """A store for the files below folders, as manifests in the file store.

    A manifest is stored like a file, and named by its SHA-256 in hex: 64 letters that fit into a row, a queue
    or a message, for any number of files. A process with the name gets the same files, byte for byte, or
    an error. Paths, sizes and executable bits are kept; empty folders, times and owners are not. All methods
    are thread-safe.

    Stored files stay for at least an hour, and as long as a row with their manifest (`run.input`,
    `step.files`) belongs to a run that has not ended; storing them again restarts the hour.
    """

    def store(self, folder: Path, job: int | None = None) -> str:
        """Store the regular files below a folder durably; return the name of their manifest.

        The bytes count for the owner of the item `job`. Raises Invalid for an invalid path, or anything but
        files and folders; NoSpace, QuotaReached, TooLarge, Unavailable, OSError. After an error, nothing can
        be found under a name.
        """

    def read(self, manifest: str) -> Manifest:
        """Return the manifest with a name. Raises Gone when it is missing or damaged, Unavailable."""

    def fetch(self, manifest: str, target: Path) -> Manifest:
        """Make the new folder `target` with the files of a manifest, each compared with its digest.

        The folder is complete or missing. Its files are copies for this process only: later writes elsewhere
        do not change them. Raises Gone, with the name of the file, for missing or changed files; Unavailable,
        OSError.
        """


class PatientRunFiles:
    """RunFiles that retries calls of another one while it is Unavailable."""

    def __init__(self, files: RunFiles, patiently: Patience) -> None:
        self._files = files
        self._patiently = patiently

    def store(self, folder: Path, job: int | None = None) -> str:
        """Store as RunFiles.store does."""
        return self._patiently(lambda: self._files.store(folder, job))

    def read(self, manifest: str) -> Manifest:
        """Read as RunFiles.read does."""
        return self._patiently(lambda: self._files.read(manifest))

    def fetch(self, manifest: str, target: Path) -> Manifest:
        """Fetch as RunFiles.fetch does."""
        return self._patiently(lambda: self._files.fetch(manifest, target))


FILE = "application/octet-stream"
AT_ONCE = 8
"""Number of files fetched at the same time, because a remote store needs some milliseconds for each."""

ODD = "it is neither a file nor a folder"
AGAIN = "trigger the job again"


class KeptRunFiles:
    """RunFiles in Blobs."""

    def __init__(self, blobs: Blobs) -> None:
        self._blobs = blobs

    def store(self, folder: Path, job: int | None = None) -> str:
        """Store the files below a folder (RunFiles.store)."""
        paths = sorted(sizes_in(folder).items())
        for path, size in paths:
            if why := ODD if size == NO_FILE else refusal(path, labelled=True):
                raise Invalid(f"{printable(path)} cannot be stored: {why}")
        modes: list[int] = []
        refs = self._blobs.add_all(((_pieces(folder / path, modes), FILE) for path, _ in paths), job)
        files = (
            ManifestFile(path, ref.digest, ref.size, bool(mode & stat.S_IXUSR))
            for (path, _), ref, mode in zip(paths, refs, modes, strict=True)
        )
        content = Manifest(tuple(files)).content()
        if len(content) > LARGEST:
            raise TooLarge(f"{len(paths):,} files are too many to send from one host to another")
        return self._blobs.add([content], MEDIA, job).digest

    def read(self, manifest: str) -> Manifest:
        """Return the manifest with a name (RunFiles.read)."""
        if not DIGEST.fullmatch(manifest):
            raise _refuse("its name is not that of a manifest")
        try:
            with self._blobs.open(Ref(manifest, 0, MEDIA)) as stream:
                return read_manifest(stream.read(LARGEST + 1))
        except NotFound:
            raise _refuse("the list of them is gone from the server's file store") from None
        except (ValueError, TypeError):
            raise _refuse("the list of them is damaged in the server's file store") from None

    def fetch(self, manifest: str, target: Path) -> Manifest:
        """Make the new folder `target` with the files of a manifest (RunFiles.fetch)."""
        found = self.read(manifest)
        with _draft(target) as draft:
            for folder in {(draft / file.path).parent for file in found.files}:
                folder.mkdir(parents=True, exist_ok=True)
            self._copy(draft, found.files)
        return found

    def _copy(self, folder: Path, files: Iterable[ManifestFile]) -> None:
        with ThreadPoolExecutor(AT_ONCE, "fetch") as pool:
            try:
                for _ in pool.map(partial(self._copy_one, folder), files):
                    pass
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise

    def _copy_one(self, folder: Path, file: ManifestFile) -> None:
        place = folder / file.path
        if why := try_copy(self._blobs, Ref(file.digest, file.size, FILE), place):
            raise _refuse(f'"{printable(file.path)[:LONGEST]}": {why}')
        place.chmod(0o755 if file.executable else 0o644)


def digests_of(files: RunFiles, manifests: Callable[[], Iterable[str]]) -> set[str]:
    """Return the digests of manifests and of all files in them, if they exist. Raises Unavailable."""
    found = set[str]()
    for manifest in manifests():
        found.add(manifest)
        with suppress(Gone):
            found.update(file.digest for file in files.read(manifest).files)
    return found


def _pieces(path: Path, modes: list[int]) -> Iterator[bytes]:
    """Yield the bytes of a file, and record its mode when it is opened."""
    with open_regular(path) as source:
        modes.append(os.fstat(source.fileno()).st_mode)
        yield from chunks(source)


@contextmanager
def _draft(target: Path) -> Iterator[Path]:
    """Make a folder that gets its name if the block succeeds, and is removed otherwise."""
    if target.exists():
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
    draft = target.with_name(f".{target.name}-{secrets.token_hex(4)}")
    draft.mkdir(mode=0o755, parents=True)
    try:
        yield draft
        draft.rename(target)
    except BaseException:
        remove(draft)
        raise


def _refuse(why: str) -> Gone:
    return Gone(f"The files of the run are not as they were stored: {why}; {AGAIN}.")
