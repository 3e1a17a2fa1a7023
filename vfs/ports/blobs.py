"""The port that stores bytes by their digest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO, Protocol


@dataclass(frozen=True, slots=True)
class Ref:
    """Stored bytes: SHA-256 in hex, size in bytes, media type."""

    digest: str
    size: int
    media: str


class Blobs(Protocol):
    """A store of bytes by their digest. They are durable when `add` returns."""

    def add(self, chunks: Iterable[bytes], media: str, item: int | None = None) -> Ref:
        """Store the bytes. They count for the owner of `item`, if it is given.

        Raises as `chunks` does, having stored nothing; NoSpace when the disk is full.
        """

    def add_all(
        self, contents: Iterable[tuple[Iterable[bytes], str]], item: int | None = None
    ) -> Sequence[Ref]:
        """Store the bytes of each content and media type, in order, with one disk flush for all.

        Raises as `add` does.
        """

    def open(self, ref: Ref) -> BinaryIO:
        """Return the bytes as a seekable file. Raises NotFound when they are gone."""


def chunks(stream: BinaryIO, size: int = 1 << 16) -> Iterator[bytes]:
    """Return an iterator over the bytes of a stream, in pieces."""
    return iter(lambda: stream.read(size), b"")
