"""Results that a hostile build could leave: OCI layouts made by hand, for the importer."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tarfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

KNOWN = "sha256:" + hashlib.sha256(b"the layer of the base image").hexdigest()
STRANGE = "sha256:" + hashlib.sha256(b"the layer of a stranger's image").hexdigest()

Member = tuple[tarfile.TarInfo, bytes]


def member(
    name: str, kind: bytes = tarfile.REGTYPE, link: str = "", data: bytes = b"", **more: Any
) -> Member:
    """An entry of a layer."""
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname, entry.size, entry.mode = kind, link, len(data), 0o755
    for word, value in more.items():
        setattr(entry, word, value)
    return entry, data


def tar(members: Sequence[Member], form: int = tarfile.PAX_FORMAT) -> bytes:
    """A layer with these entries."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as file:
        for entry, data in members:
            file.addfile(entry, io.BytesIO(data))
    return out.getvalue()


def sha256(data: bytes) -> str:
    """A digest as OCI writes it."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


@dataclass
class Result:
    """A layout with the base image's layer and another one, by default."""

    layer: bytes = field(default_factory=lambda: tar([]))
    layers: Sequence[Any] | None = None
    diffs: Sequence[Any] | None = None
    config: Any = field(default_factory=dict)
    manifests: Callable[[list[Any]], Any] = lambda found: found
    compressed: bool = True

    def write(self, folder: Path) -> Path:
        """Write it below `folder` as a builder would; the path of the layer's blob."""
        blobs = folder / "out/blobs/sha256"
        blobs.mkdir(parents=True)

        def put(data: bytes) -> dict[str, str]:
            (blobs / hashlib.sha256(data).hexdigest()).write_bytes(data)
            return {"digest": sha256(data)}

        blob = gzip.compress(self.layer, mtime=0) if self.compressed else self.layer
        own = put(blob)
        layers = [{"digest": KNOWN}, own] if self.layers is None else self.layers
        diffs = [KNOWN, sha256(self.layer)] if self.diffs is None else self.diffs
        config = {"architecture": "amd64", "config": self.config, "rootfs": {"diff_ids": diffs}}
        manifest = {"schemaVersion": 2, "config": put(json.dumps(config).encode()), "layers": layers}
        index = {"manifests": self.manifests([put(json.dumps(manifest).encode())])}
        (folder / "out/index.json").write_text(json.dumps(index))
        return blobs / own["digest"].removeprefix("sha256:")


@dataclass
class Archive:
    """What the importer wrote, read again."""

    files: dict[str, bytes]

    @classmethod
    def read(cls, data: bytes) -> Archive:
        """The archive with all its files."""
        with tarfile.open(fileobj=io.BytesIO(data)) as file:
            return cls({entry.name: file.extractfile(entry).read() for entry in file})  # type: ignore[union-attr]

    @property
    def manifest(self) -> Any:
        """The image's manifest."""
        top = json.loads(self.files["index.json"])["manifests"][0]
        return json.loads(self.blob(top["digest"]))

    @property
    def config(self) -> Any:
        """The image's configuration."""
        return json.loads(self.blob(self.manifest["config"]["digest"]))

    def blob(self, digest: str) -> bytes:
        """A file by its digest, which is looked at again."""
        data = self.files[f"blobs/sha256/{digest.removeprefix('sha256:')}"]
        assert sha256(data) == digest
        return data

    def members(self, number: int) -> list[tarfile.TarInfo]:
        """The entries of a layer."""
        data = self.blob(self.manifest["layers"][number]["digest"])
        with tarfile.open(fileobj=io.BytesIO(data)) as file:
            return file.getmembers()
