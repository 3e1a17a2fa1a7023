"""The images that every build may begin with, in a file system that no box can change."""

from __future__ import annotations

import hashlib
import json
import shlex
import shutil
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from chains.buildbox import disk
from chains.buildbox.archive import BUILT, WRITTEN, LayerChain
from chains.buildbox.box import FIRST_ID, BuildBox, BuildLimits, require_success, write_etc
from chains.engine.port import EngineError, Line, Mount
from chains.files.fsync import settle
from chains.host.program import PodmanProgram
from chains.podman.api import Podman

LARGER = 1 << 30
PULL = "buildah pull -q --signature-policy /etc/containers/shown.json docker-archive"
MADE_BY = 1
"""Version number of the way in which the store is made."""


@dataclass(frozen=True, slots=True)
class HostImage:
    """An image in the host's Podman: its id, its names, the digests of its layers, its size in bytes.

    `built` is the mode in which its layers were written, and their digests in the box of its build.
    """

    id: str
    names: tuple[str, ...]
    layers: tuple[str, ...]
    size: int
    built: tuple[str, ...] = ()

    @property
    def chain(self) -> LayerChain:
        """The layers as known to a build that may use the image."""
        return LayerChain([(layer, layer) for layer in self.layers])

    @property
    def replaced(self) -> LayerChain:
        """The layers as known to the next build of the same repo."""
        how, *built = self.built or ("",)
        if len(built) != len(self.layers):
            return self.chain
        return LayerChain(list(zip(built, self.layers, strict=True)), how == WRITTEN[True])

    @classmethod
    def find(cls, service: Podman, name: str) -> HostImage | None:
        """Return the image with this id or name, or None. Raise EngineError if Podman is away."""
        answer = service.call("get", f"/images/{name}/json")
        if answer.failed:
            return None
        found = answer.body
        names = tuple(sorted(found.get("RepoTags") or ()))
        built = (found.get("Labels") or {}).get(BUILT, "").split()
        layers = tuple(found["RootFS"]["Layers"])
        return cls(str(found["Id"]), names, layers, int(found["Size"]), tuple(built))


class SharedStore:
    """A store of a set of images, made once in `folder` and mounted at `place`.

    `images` are the images in it. The first build that needs it makes it, so that the start does not wait.
    """

    def __init__(
        self, box: BuildBox, service: Podman, program: PodmanProgram, folder: Path, place: Path
    ) -> None:
        self._box = box
        self._service = service
        self._program = program
        self._folder = folder
        self.place = place
        self.images: tuple[HostImage, ...] = ()
        self.version = ""
        self._lock = threading.Lock()

    def ensure(self, names: Sequence[str]) -> None:
        """Make the store contain the images with these names, and mount it. Raise EngineError."""
        with self._lock:
            found = tuple(
                image for name in names if (image := HostImage.find(self._service, name)) is not None
            )
            version = _version(found)
            if version == self.version and self.place.is_mount():
                return
            file = self._folder / f"base-{version}.img"
            if not file.exists():
                self._make(file, found)
            self._mount(file)
            self.images, self.version = found, version
            self._remove_others(file)

    def close(self) -> None:
        """Unmount the store."""
        with self._lock:
            if self.version:
                disk.unmount(self._folder / f"base-{self.version}.img", self.place)
                self.version = ""

    def _make(self, file: Path, images: Sequence[HostImage]) -> None:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        fresh = file.with_suffix(".making")
        fresh.unlink(missing_ok=True)
        disk.make(fresh, LARGER + 3 * sum(image.size for image in images), FIRST_ID)
        place = self.place.with_name("making")
        try:
            with tempfile.TemporaryDirectory(dir=self._folder) as scratch:
                shown = save(self._program, {image.id: image.names for image in images}, Path(scratch))
                with disk.temporary_mount(fresh, place):
                    self._fill(place, Path(scratch), shown)
            settle(fresh)
            fresh.rename(file)
        finally:
            fresh.unlink(missing_ok=True)

    def _fill(self, place: Path, scratch: Path, script: str) -> None:
        etc = write_etc(scratch / "etc", "/base", ())
        mounts = (Mount(place, "/base", writable=True), Mount(scratch / "images", "/images"), *etc)
        temporary = place / "tmp"
        temporary.mkdir()
        temporary.chmod(0o1777)
        lines: list[Line] = []
        ended = self._box.run(
            f"export TMPDIR=/base/tmp; mkdir /tmp/t; {script}",
            (*mounts, Mount(temporary, "/var/tmp", writable=True)),
            BuildLimits(),
            tell=lines.append,
        )
        require_success(ended, [line.text for line in lines], "the store of base images could not be made")
        shutil.rmtree(temporary, ignore_errors=True)

    def _mount(self, file: Path) -> None:
        if self.version or self.place.is_mount():
            disk.unmount(file, self.place)
        disk.mount(file, self.place, writable=False)

    def _remove_others(self, file: Path) -> None:
        for other in self._folder.glob("base-*"):
            if other != file:
                with suppress(OSError):
                    other.unlink()


def save(program: PodmanProgram, images: dict[str, tuple[str, ...]], scratch: Path) -> str:
    """Save images into the folder `images` of `scratch`. Return the script by which a box loads them.

    Raises EngineError.
    """
    folder = scratch / "images"
    folder.mkdir()
    words = ["set -e"]
    for number, (identity, names) in enumerate(images.items()):
        trouble = program.trouble(
            "save", "--quiet", "--format", "docker-archive", "-o", str(folder / f"{number}.tar"), identity
        )
        if trouble:
            raise EngineError(f"the image {identity[:12]} cannot be shown to a build: {trouble}")
        words.append(f"id=$({PULL}:/images/{number}.tar)")
        words += [f'buildah tag "$id" {shlex.quote(name)}' for name in names]
    return "; ".join(words)


def _version(images: Sequence[HostImage]) -> str:
    said = json.dumps([MADE_BY, sorted((image.id, *image.names) for image in images)])
    return hashlib.sha256(said.encode()).hexdigest()[:16]
