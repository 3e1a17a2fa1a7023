"""The port to versions: the former contents of leaves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from vfs.ports.blobs import Ref


class Version(NamedTuple):
    """A former content: from when until when the file had it, who wrote it, and its digest and size.

    `digest` is that of the bytes.
    """

    since: str
    until: str
    author: str | None
    digest: str
    size: int
    is_text: bool


class VersionedFile(NamedTuple):
    """A leaf with former contents, present or removed: how many, and when the last one was replaced."""

    rel: str
    number: int
    until: str


class Versions(Protocol):
    """Lists, reads and ends the former contents of leaves."""

    def of(self, item: int, rel: str) -> Sequence[Version]:
        """Return the versions of a leaf, also of one that was removed; the newest first, without contents."""

    def below(self, item: int, folder: str, most: int) -> Sequence[VersionedFile]:
        """Return the leaves below a folder ("": of the whole item) that have versions, the newest first."""

    def with_digest(self, item: int, rel: str, digest: str) -> str | Ref | None:
        """Return the content whose digest begins so, former or present; None if there is none."""

    def at_time(self, item: int, rel: str, moment: str) -> str | Ref | None:
        """Return the content that a leaf had at a time stamp; None if it had none, or its version ended."""

    def forget(self, item: int, rel: str | None = None) -> int:
        """End the versions of a leaf, or (None) of all leaves of an item; return their number."""
