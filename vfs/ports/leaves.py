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

    `author` has the names of all accounts that could influence the content, separated by blanks: usually only
    the last writer.
    """

    rel: str
    text: str | None
    blob: Ref | None
    created_on: str
    last_modified: str
    author: str | None = None


TAG = 32
"""Number of characters of a text's digest in its ETag. The ETag of bytes has the whole digest."""


class Kept(IntEnum):
    """The rule whether a content becomes a version when it is replaced or removed.

    An AUTOSAVE does not if its author writes again soon.
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
    """The store of items' small files. `rel` is the full path inside the item, segments joined by `/`."""

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

        `kept`: whether this content becomes a version when it is replaced. Contents of the service never do.

        If the current text has several authors (a run wrote it), and the new text still names an item that it
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
    """A former content: the start and end of its time in the file, its author, digest and size.

    `digest` is that of the bytes.
    """

    since: str
    until: str
    author: str | None
    digest: str
    size: int
    is_text: bool


class VersionedFile(NamedTuple):
    """A leaf (present or removed) with former contents: their number, and when the last was replaced."""

    rel: str
    number: int
    until: str


class Versions(Protocol):
    """The former contents of leaves: their list, reading and removal."""

    def of(self, item: int, rel: str) -> Sequence[Version]:
        """Return the versions of a leaf, even if it was removed; the newest first, without contents."""

    def below(self, item: int, folder: str, most: int) -> Sequence[VersionedFile]:
        """Return the leaves below a folder ("": of the whole item) that have versions, the newest first."""

    def with_digest(self, item: int, rel: str, digest: str) -> str | Ref | None:
        """Return the former or current content whose digest begins with `digest`; None if there is none."""

    def at_time(self, item: int, rel: str, moment: str) -> str | Ref | None:
        """Return the content that a leaf had at a time stamp; None if it had none, or its version ended."""

    def forget(self, item: int, rel: str | None = None) -> int:
        """End the versions of a leaf, or (None) of all leaves of an item; return their number."""
