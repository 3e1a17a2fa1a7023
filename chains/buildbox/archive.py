"""A safe OCI archive of a build's result: every byte of it is read, checked and written again."""

from __future__ import annotations

import hashlib
import json
import tarfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import IO, Any, NamedTuple

from chains.buildbox.layers import Budget, rewrite
from chains.buildbox.layout import DIGEST, ImageLayout, ImageRefused, configuration, is_root, numbers, user_of

BLOCK = 512
OCI = "application/vnd.oci.image"
LAYER = f"{OCI}.layer.v1.tar"
MANIFEST = f"{OCI}.manifest.v1+json"
NAME = "org.opencontainers.image.ref.name"
BUILT = "curlew.built"
"""The label with the write mode of an image's layers (`WRITTEN`) and their digests in its box."""


WRITTEN = {True: "opened", False: "closed"}


class LayerChain(NamedTuple):
    """The layers of an image, each as its digest in a box and in the engine.

    `opened`: whether everybody may read all of them; None if they are unchanged.
    """

    layers: Sequence[tuple[str, str]]
    opened: bool | None = None


def write_image(
    layout: ImageLayout,
    file: IO[bytes],
    name: str,
    labels: Mapping[str, str],
    known: Iterable[LayerChain],
    budget: Budget,
    *,
    mapped: bool = True,
) -> str:
    """Write the image of `layout` as `name` into `file`. Return its id. Raise ImageRefused.

    `known` are the layers of the images shown to the build and of the one that it replaces. Layers at the
    start of the result that are also at the start of one of these are written without content: the engine has
    it. All others need content; with a digest alone, a build could get the layer of a stranger's image.

    In an image, root may read every file, but no step runs as root. So an image whose user is root becomes
    readable for everybody, and so does any image if steps do not run as the image's user (not `mapped`).
    """
    archive, user = _Archive(file), _user(layout)
    opened = is_root(user) or not mapped
    chains = (chain for chain in known if chain.opened in (None, opened))
    diffs = max((_common_layers(layout, chain.layers) for chain in chains), key=len, default=[])
    described = [_descriptor(LAYER, digest, 0) for digest in diffs]
    for number in range(len(diffs), len(layout)):
        with layout.layer(number) as source:
            digest, size = archive.add_layer(source, budget, opened=opened)
        diffs.append(digest)
        described.append(_descriptor(LAYER, digest, size))
    built = " ".join([WRITTEN[opened], *_digests(layout.diffs)])
    config = _json(configuration(layout.configuration, diffs, {**labels, BUILT: built}, user))
    return archive.finish(config, described, name)


def _user(layout: ImageLayout) -> str:
    """Return the user of the image, as numbers if the box has added its accounts."""
    user = user_of(layout.configuration)
    passwd = layout.text("passwd")
    if is_root(user) or passwd is None:
        return user
    return numbers(user, passwd, layout.text("group") or "")


def _common_layers(layout: ImageLayout, chain: Sequence[tuple[str, str]]) -> list[str]:
    """Return the engine's digests of the layers at the start of both."""
    pairs = zip(layout.diffs, chain, strict=False)
    return [known[1] for _, known in takewhile(lambda pair: pair[0] == pair[1][0], pairs)]


def _digests(said: Iterable[object]) -> Iterator[str]:
    """Yield the digests that a build reported. Raise ImageRefused for a malformed one."""
    for digest in said:
        if not isinstance(digest, str) or not DIGEST.fullmatch(digest):
            raise ImageRefused("a digest of the result is malformed")
        yield digest


def _descriptor(media: str, digest: str, size: int) -> dict[str, Any]:
    return {"mediaType": media, "digest": digest, "size": size}


def _json(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True).encode()


class _Archive:
    """A tar file for layers whose sizes are not known until they are written."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._there: set[str] = set()

    def add(self, name: str, data: bytes) -> None:
        self._file.write(_header(name, len(data)) + data)
        self._pad(len(data))

    def add_blob(self, data: bytes) -> str:
        digest = hashlib.sha256(data).hexdigest()
        self.add(f"blobs/sha256/{digest}", data)
        return f"sha256:{digest}"

    def add_layer(self, source: IO[bytes], budget: Budget, *, opened: bool) -> tuple[str, int]:
        start = self._file.tell()
        self._file.write(bytes(BLOCK))
        digest, size = rewrite(source, self._file, budget, opened=opened)
        if digest in self._there:
            self._file.seek(start)
            self._file.truncate()
            return digest, size
        self._there.add(digest)
        self._pad(size)
        end = self._file.tell()
        self._file.seek(start)
        self._file.write(_header(f"blobs/sha256/{digest.removeprefix('sha256:')}", size))
        self._file.seek(end)
        return digest, size

    def finish(self, config: bytes, layers: Sequence[Mapping[str, Any]], name: str) -> str:
        """Write the files that list the layers (OCI image-spec, image-layout). Return the image's id."""
        identity = self.add_blob(config)
        manifest = _json({
            "schemaVersion": 2,
            "mediaType": MANIFEST,
            "config": _descriptor(f"{OCI}.config.v1+json", identity, len(config)),
            "layers": layers,
        })  # fmt: skip
        top = _descriptor(MANIFEST, self.add_blob(manifest), len(manifest)) | {"annotations": {NAME: name}}
        self.add("index.json", _json({"schemaVersion": 2, "manifests": [top]}))
        self.add("oci-layout", _json({"imageLayoutVersion": "1.0.0"}))
        self._file.write(bytes(2 * BLOCK))
        return identity.removeprefix("sha256:")

    def _pad(self, size: int) -> None:
        self._file.write(bytes(-size % BLOCK))


def _header(name: str, size: int) -> bytes:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = size, 0o644
    return entry.tobuf(tarfile.GNU_FORMAT)
