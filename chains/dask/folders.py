"""Transfer of a step's folders between hosts: files through RunFiles, the rest as descriptions."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from chains.dask.orders import LeftFolder, SentFolder
from chains.engine.port import Mount
from chains.files.names import plain, refusal
from chains.files.removal import remove
from chains.files.run_folders import MOST_FILES, check
from chains.sharing.run_files import RunFiles
from vfs.errors import TooLarge

LINK = "it is a link"
OTHER_STORE = (
    "what was stored a moment ago is not in its file store: blobs_url names the same store on the hosts of "
    "runner and workers"
)
MOST_EMPTY = 10_000


def send(files: RunFiles, mount: Mount, output: Path) -> SentFolder:
    """Store a folder for a step. Raise VfsError or OSError."""
    manifest = _store(files, mount.source)
    empty = tuple(_empty_folders(mount.source))
    is_output = mount.source == output
    return SentFolder(mount.target, manifest, empty, mount.writable, mount.growth, is_output)


def receive(files: RunFiles, sent: SentFolder, place: Path) -> Mount:
    """Create the new folder `place` with the sent content. Raise VfsError or OSError."""
    _fetch(files, sent.manifest, place)
    for path in sent.empty:
        (place / path).mkdir(parents=True, exist_ok=True)
    return Mount(place, sent.target, sent.writable, sent.growth)


def send_back(files: RunFiles, mount: Mount, *, is_output: bool) -> LeftFolder:
    """Store the files that a step left in a folder. Remove and report entries that cannot be stored.

    Raises TooLarge, with the same text as on a single host; VfsError and OSError.
    """
    misnamed: list[str] = []

    def judge(path: str) -> str | None:
        if refusal(path):
            misnamed.append(path)
        return None

    most = MOST_FILES if is_output else sys.maxsize
    dropped = check(mount.source, sys.maxsize, most, judge, mount.target).dropped
    for path in misnamed:
        remove(mount.source / path)
    if len(misnamed) + len(dropped) > MOST_FILES:
        raise TooLarge(f"{mount.target} has more than {MOST_FILES:,} links and names that cannot be stored.")
    links = tuple(path for path, why in dropped if why == LINK)
    odd = tuple(path for path, why in dropped if why != LINK)
    return LeftFolder(mount.target, _store(files, mount.source), links, odd, tuple(misnamed))


def take_back(files: RunFiles, left: Iterable[LeftFolder], mounts: Iterable[Mount]) -> None:
    """Put a step's files into its mounts, with a stand-in of the same kind for each entry not stored.

    So a reader of the folders drops and refuses the same entries, with the same texts, as for a local step.
    Raises VfsError and OSError.
    """
    places = {mount.target: mount.source for mount in mounts if mount.writable}
    for folder in left:
        place = places[folder.target]
        _fetch(files, folder.manifest, fetched := place.with_name(f".{place.name}-left"))
        _fill(place, fetched)
        for path in folder.links:
            _make_room(place, path).symlink_to("/nonexistent")
        for path in folder.odd:
            os.mkfifo(_make_room(place, path), 0o600)
        for path in folder.misnamed:
            _make_room(place, path).touch()


def _store(files: RunFiles, folder: Path) -> str:
    """Return the manifest of a folder's files. It is "", and nothing is written, if there are none."""
    has_any = any(names for _, _, names in os.walk(folder))
    return files.store(folder) if has_any else ""


def _fetch(files: RunFiles, manifest: str, place: Path) -> None:
    if manifest:
        files.fetch(manifest, place)
    else:
        place.mkdir(mode=0o755, parents=True)


def _fill(folder: Path, other: Path) -> None:
    """Replace the content of a folder by that of another one.

    The folder itself must not disappear: steps that read it are prepared at the same time.
    """
    for path in list(folder.iterdir()):
        remove(path)
    for path in list(other.iterdir()):
        path.rename(folder / path.name)
    other.rmdir()


def _make_room(folder: Path, path: str) -> Path:
    """Return the path of a stand-in, and create its parents. Raise ValueError for one outside the folder."""
    if not all(map(plain, path.split("/"))):
        raise ValueError(f"{path!r} leads outside")
    place = folder / path
    place.parent.mkdir(parents=True, exist_ok=True)
    return place


def _empty_folders(folder: Path) -> Iterator[str]:
    """Yield the empty folders in a folder, at most MOST_EMPTY of them."""
    left = MOST_EMPTY
    for parent, folders, names in os.walk(folder):
        if not folders and not names and parent != str(folder) and left:
            left -= 1
            yield os.path.relpath(parent, folder)
