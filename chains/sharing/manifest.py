"""Manifests: files below a folder by path, SHA-256 and size, as bytes that can be kept."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from chains.files.names import refusal

FORMAT = 1
DIGEST = re.compile(r"[0-9a-f]{64}")
MEDIA = "application/json"
LARGEST = 256 << 20
"""Bytes of a manifest that are read: a hundred thousand files with the longest paths."""


@dataclass(frozen=True, slots=True)
class ManifestFile:
    """A file of a manifest: its relative path, SHA-256 in hex, bytes, and whether it may be executed."""

    path: str
    digest: str
    size: int
    executable: bool = False


@dataclass(frozen=True, slots=True)
class Manifest:
    """The files below a folder, in order of their paths."""

    files: tuple[ManifestFile, ...] = ()

    @property
    def sizes(self) -> Mapping[str, int]:
        """Their sizes by path (chains.files.tallies.Sizes)."""
        return {file.path: file.size for file in self.files}

    def content(self) -> bytes:
        """The manifest as it is kept; of the same files always the same bytes."""
        rows = [[file.path, file.digest, file.size, file.executable] for file in self.files]
        return json.dumps(
            {"format": FORMAT, "files": rows}, ensure_ascii=False, separators=(",", ":")
        ).encode()


def read_manifest(content: bytes) -> Manifest:
    """The manifest that `content` wrote. Raises ValueError for anything else: no path of it leads outside."""
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
