"""BackupWriter: members of a backup as a stream, and their manifest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import BinaryIO

from storage.backup.backup_catalog import BackupCatalog
from storage.backup.tar_format import ENDING, head_of, padding

MANIFEST = "manifest.jsonl"
END = "end.json"


class BackupWriter:
    """Writes a backup to a file, from start to end. Raises OSError."""

    def __init__(self, file: BinaryIO, run_store: BackupCatalog) -> None:
        self._file = file
        self._run_store = run_store

    def add(
        self, name: str, size: int, pieces: Iterable[bytes], mode: int = 0o600, wanted: str | None = None
    ) -> str:
        """Write a member of the given size; return the digest of its bytes.

        Extra bytes are left out; missing ones are filled up and recorded in the manifest, like a digest that
        is not the `wanted` one.
        """
        digest, left, lost = hashlib.sha256(), size, None
        self._file.write(head_of(name, size, mode))
        for piece in pieces:
            piece = piece[:left]
            digest.update(piece)
            self._file.write(piece)
            left -= len(piece)
        while left:
            piece = bytes(min(left, 1 << 20))
            digest.update(piece)
            self._file.write(piece)
            left -= len(piece)
            lost = "it became shorter while it was copied"
        self._file.write(padding(size))
        if wanted is not None and digest.hexdigest() != wanted:
            lost = lost or "it was changed in the server's file store"
        self._run_store.note_member(name, size, digest.hexdigest())
        self._run_store.declare(name, size, digest.hexdigest(), lost)
        return digest.hexdigest()

    def add_text(self, name: str, content: bytes) -> None:
        """Write a small member."""
        self.add(name, len(content), [content])

    def note_lost(self, name: str, why: str) -> None:
        """Record in the manifest that a member should be here and was not readable."""
        self._run_store.declare(name, None, None, why)

    def finish(self, draft: BinaryIO) -> None:
        """Write the manifest, using the empty file `draft`, and the end."""
        for name, size, digest, lost in self._run_store.manifest():
            line = {"name": name, "size": size, "sha256": digest, "lost": lost}
            draft.write(json.dumps({key: value for key, value in line.items() if value is not None}).encode())
            draft.write(b"\n")
        size = draft.tell()
        draft.seek(0)
        digest = self.add(MANIFEST, size, iter(lambda: draft.read(1 << 20), b""))
        count, total = self._run_store.totals()
        self.add_text(END, json.dumps({"manifest": digest, "members": count, "bytes": total}).encode())
        self._file.write(ENDING)
