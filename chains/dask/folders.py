"""Folders of a step on their way between hosts: their files by RunFiles, the rest of them in words."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from chains.dask.news import LeftFolder
from chains.dask.orders import SentFolder
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
    """Store a folder that a step is shown. Raises VfsError and OSError."""
    manifest = _store(files, mount.source)
    empty = tuple(_empty_folders(mount.source))
    is_output = mount.source == output
    return SentFolder(mount.target, manifest, empty, mount.writable, mount.growth, is_output)


def receive(files: RunFiles, sent: SentFolder, place: Path) -> Mount:
    """Make the new folder `place` as it was sent. Raises VfsError and OSError."""
    _fetch(files, sent.manifest, place)
    for path in sent.empty:
        (place / path).mkdir(parents=True, exist_ok=True)
    return Mount(place, sent.target, sent.writable, sent.growth)


def send_back(files: RunFiles, mount: Mount, *, is_output: bool) -> LeftFolder:
    """Store what a step has left in a folder; what cannot be kept is taken away, and told.

    Raises TooLarge, in the words of who would read that many files on one host; VfsError and OSError.
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
        raise TooLarge(f"{mount.target} has more than {MOST_FILES:,} links and names that cannot be kept.")
    links = tuple(path for path, why in dropped if why == LINK)
    odd = tuple(path for path, why in dropped if why != LINK)
    return LeftFolder(mount.target, _store(files, mount.source), links, odd, tuple(misnamed))


def take_back(files: RunFiles, left: Iterable[LeftFolder], mounts: Iterable[Mount]) -> None:
    """Put what a step has left where its mounts lie; what cannot be kept gets a stand-in of its kind.

    So a reader of the folders drops and refuses the same, in the same words, as after a step on this host.
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
    """The manifest of the files in a folder; empty, and no write, where there is none: so outputs begin."""
    has_any = any(names for _, _, names in os.walk(folder))
    return files.store(folder) if has_any else ""


def _fetch(files: RunFiles, manifest: str, place: Path) -> None:
    if manifest:
        files.fetch(manifest, place)
    else:
        place.mkdir(mode=0o755, parents=True)


def _fill(folder: Path, other: Path) -> None:
    """Give a folder all that is in another one, and nothing else.

    It is there all the time: steps that read it are prepared meanwhile.
    """
    for path in list(folder.iterdir()):
        remove(path)
    for path in list(other.iterdir()):
        path.rename(folder / path.name)
    other.rmdir()


def _make_room(folder: Path, path: str) -> Path:
    """The place of a stand-in, with the folders above it. Raises ValueError for one outside of the folder."""
    if not all(map(plain, path.split("/"))):
        raise ValueError(f"{path!r} leads outside")
    place = folder / path
    place.parent.mkdir(parents=True, exist_ok=True)
    return place


def _empty_folders(folder: Path) -> Iterator[str]:
    """The folders in a folder that have nothing in them, the first of them where there are very many."""
    left = MOST_EMPTY
    for parent, folders, names in os.walk(folder):
        if not folders and not names and parent != str(folder) and left:
            left -= 1
            yield os.path.relpath(parent, folder)
