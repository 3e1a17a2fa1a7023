"""The ports that store leaves, the small files of items, and their former contents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from hashlib import sha256
from typing import NamedTuple, Protocol

from vfs.ports.blobs import Ref


def digest_of(text: str) -> str:
    """Return the SHA-256 of a text in UTF-8, in hex."""
    return sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Leaf:
    """A small file of an item, identified by its path inside the item: text, or a blob.

    `author` has the names of all accounts that could influence the content, separated by blanks; usually it
    is only the last writer.
    """

    rel: str
    text: str | None
    blob: Ref | None
    created_on: str
    last_modified: str
    author: str | None = None


TAG = 32
"""Characters of the digest of a text that make its ETag; that of bytes has all."""


class Kept(IntEnum):
    """Whether a content becomes a version when it is replaced or removed.

    An AUTOSAVE does not when its author writes again soon.
    """

    NEVER = 0
    YES = 1
    AUTOSAVE = 2


class Signature(NamedTuple):
    """The digest of a leaf's content, and its author (None: the service)."""

    digest: str
    author: str | None


@dataclass(frozen=True, slots=True)
class Mark:
    """A leaf without its content, for listings."""

    rel: str
    created_on: str
    last_modified: str


class Leaves(Protocol):
    """Stores the small files of items. `rel` is the full path inside the item, segments joined by `/`."""

    @property
    def versions(self) -> Versions:
        """The former contents of the same files."""

    def get(self, item: int, rel: str) -> Leaf | None:
        """Return the leaf, or None."""

    def put(
        self,
        item: int,
        rel: str,
        content: str | Ref,
        author: str | None,
        *,
        whole: bool = False,
        kept: Kept = Kept.NEVER,
    ) -> bool:
        """Write the whole leaf. Return True if it is new.

        `kept` says what becomes of this content when it is replaced; contents of the service are not kept.

        If the present text has several authors (a run wrote it), and the new text still names an item that it
        named, its authors are kept, unless the author wrote the `whole` of the new text.
        """

    def clear(self, item: int, rel: str) -> bool:
        """Remove the leaf and everything below it. Return False if there was nothing."""

    def under(self, item: int, prefix: str) -> Sequence[Mark]:
        """Return every leaf below a folder ("": of the whole item), by rel; one statement, no content."""

    def texts(self, item: int, prefix: str, largest: int | None = None) -> Sequence[Leaf]:
        """Return every leaf below the folder `prefix` with its content, by rel; one statement.

        A text of more than `largest` characters is returned as None.
        """

    def texts_below(self, items: Sequence[int], prefix: str) -> Mapping[int, Sequence[Leaf]]:
        """Return the leaves of many items as `texts` does, by item; one statement per 500 items."""

    def texts_of(self, items: Sequence[int], rels: Sequence[str]) -> Mapping[int, Mapping[str, str]]:
        """Return the texts of these leaves of many items, by item and rel; one statement per 500 items."""

    def digests_of(
        self, items: Sequence[int], rels: Sequence[str], folder: str
    ) -> Mapping[int, Mapping[str, str]]:
        """Return the digests of these leaves of many items, and of all below a folder, by item and rel.

        Equal contents have equal digests; one statement per 500 items, which reads no content.
        """

    def signature(self, item: int, rel: str) -> Signature | None:
        """Return the digest and the author of a leaf, read together; one statement, no content."""

    def move(self, item: int, old: str, new: str) -> None:
        """Move the leaf `old` and all below it to the path `new`, with their versions."""


def text_at(leaves: Leaves, item: int, rel: str, default: str = "") -> str:
    """Return the text of a leaf, or the default where there is none."""
    leaf = leaves.get(item, rel)
    return leaf.text or "" if leaf is not None else default


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
