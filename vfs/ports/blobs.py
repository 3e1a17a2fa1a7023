"""The port that keeps bytes by their digest."""

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
    """Keeps bytes by their digest, durable before `add` returns."""

    def add(self, chunks: Iterable[bytes], media: str, item: int | None = None) -> Ref:
        """Store the bytes, which come for an item, if it is said, whose owner they count for.

        Raises whatever `chunks` raises, having stored nothing; NoSpace when the disk is full.
        """
        ...

    def add_all(
        self, contents: Iterable[tuple[Iterable[bytes], str]], item: int | None = None
    ) -> Sequence[Ref]:
        """Store the bytes of each content and media type, in order; the wait for the disk is one for all.

        Raises as `add` does.
        """
        ...

    def open(self, ref: Ref) -> BinaryIO:
        """The bytes, seekable. Raises NotFound when they are gone."""
        ...


def chunks(stream: BinaryIO, size: int = 1 << 16) -> Iterator[bytes]:
    """The bytes of a stream, piece by piece."""
    return iter(lambda: stream.read(size), b"")
