"""KeptRunFiles: files of runs in the file store that all hosts share."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from chains.files.kept_copies import try_copy
from chains.files.names import printable, refusal
from chains.files.removal import remove
from chains.files.results import open_regular
from chains.files.tallies import LONGEST, NO_FILE, sizes_in
from chains.sharing.manifest import DIGEST, LARGEST, MEDIA, Manifest, ManifestFile, read_manifest
from chains.sharing.run_files import RunFiles
from vfs.errors import Gone, Invalid, NotFound, TooLarge
from vfs.ports.blobs import Blobs, Ref, chunks

FILE = "application/octet-stream"
AT_ONCE = 8
"""Files that are fetched at once: a store across the network answers each after some milliseconds."""

ODD = "it is neither a file nor a folder"
AGAIN = "trigger the job again"


class KeptRunFiles:
    """RunFiles over Blobs."""

    def __init__(self, blobs: Blobs) -> None:
        self._blobs = blobs

    def store(self, folder: Path, job: int | None = None) -> str:
        """Store the files below a folder (RunFiles.store)."""
        paths = sorted(sizes_in(folder).items())
        for path, size in paths:
            if why := ODD if size == NO_FILE else refusal(path, labelled=True):
                raise Invalid(f"{printable(path)} cannot be kept: {why}")
        modes: list[int] = []
        refs = self._blobs.add_all(((_pieces(folder / path, modes), FILE) for path, _ in paths), job)
        files = (
            ManifestFile(path, ref.digest, ref.size, bool(mode & stat.S_IXUSR))
            for (path, _), ref, mode in zip(paths, refs, modes, strict=True)
        )
        content = Manifest(tuple(files)).content()
        if len(content) > LARGEST:
            raise TooLarge(f"{len(paths):,} files are too many to be handed from one host to another")
        return self._blobs.add([content], MEDIA, job).digest

    def read(self, manifest: str) -> Manifest:
        """The manifest of that name (RunFiles.read)."""
        if not DIGEST.fullmatch(manifest):
            raise _refuse("its name is none of a manifest")
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
    """The digests of manifests and of all files in them; one that is gone has none. Raises Unavailable."""
    found = set[str]()
    for manifest in manifests():
        found.add(manifest)
        with suppress(Gone):
            found.update(file.digest for file in files.read(manifest).files)
    return found


def _pieces(path: Path, modes: list[int]) -> Iterator[bytes]:
    """The bytes of a file, whose mode is noted as it is opened."""
    with open_regular(path) as source:
        modes.append(os.fstat(source.fileno()).st_mode)
        yield from chunks(source)


@contextmanager
def _draft(target: Path) -> Iterator[Path]:
    """A folder that gets its name when the block ends well, and goes when it does not."""
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
