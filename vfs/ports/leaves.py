"""The port that keeps leaves: the small files of items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple, Protocol

from vfs.ports.blobs import Ref


def digest_of(text: str) -> str:
    """The SHA-256 of a text in UTF-8, in hex."""
    return sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Leaf:
    """A small file of an item, keyed by its path inside the item: text, or a blob.

    `author` has the names of all who could decide what it says, with blanks between: mostly of the person who
    wrote it last.
    """

    rel: str
    text: str | None
    blob: Ref | None
    created_on: str
    last_modified: str
    author: str | None = None


class Signature(NamedTuple):
    """The digest of what a leaf holds, with who wrote that (None: the service)."""

    digest: str
    author: str | None


@dataclass(frozen=True, slots=True)
class Mark:
    """A leaf without its content, for listings."""

    rel: str
    created_on: str
    last_modified: str


class Leaves(Protocol):
    """Keeps the small files of items. `rel` is the full path inside the item, segments joined by `/`."""

    def get(self, item: int, rel: str) -> Leaf | None:
        """The leaf, or None."""
        ...

    def put(
        self, item: int, rel: str, content: str | Ref, author: str | None, *, whole: bool = False
    ) -> bool:
        """Write the leaf whole; True when it is new.

        Where a text of several authors, which a run wrote, still names something that it named before, they
        stay its authors, unless the author wrote the `whole` of it.
        """
        ...

    def clear(self, item: int, rel: str) -> bool:
        """Remove the leaf and everything below it; False when there was nothing."""
        ...

    def under(self, item: int, prefix: str) -> Sequence[Mark]:
        """Every leaf below the folder `prefix` ("" for the whole item), by rel; one statement, no content."""
        ...

    def texts(self, item: int, prefix: str, largest: int | None = None) -> Sequence[Leaf]:
        """Every leaf below the folder `prefix` with its content, by rel; one statement.

        A text of more characters than `largest` comes as None, unread.
        """
        ...

    def texts_below(self, items: Sequence[int], prefix: str) -> Mapping[int, Sequence[Leaf]]:
        """The leaves that `texts` tells, of many items, by item; one statement for 500 items."""
        ...

    def texts_of(self, items: Sequence[int], rels: Sequence[str]) -> Mapping[int, Mapping[str, str]]:
        """The texts of these leaves of many items, by item and rel; one statement for 500 items."""
        ...

    def digests_of(
        self, items: Sequence[int], rels: Sequence[str], folder: str
    ) -> Mapping[int, Mapping[str, str]]:
        """The digests of these leaves of many items and of all below a folder of each, by item and rel.

        Equal contents have equal digests; one statement for 500 items, which reads no content.
        """
        ...

    def signature(self, item: int, rel: str) -> Signature | None:
        """The digest and the author of a leaf as they belong together; one statement, no content."""
        ...

    def move(self, item: int, old: str, new: str) -> None:
        """Give the leaf `old` and all below it the path `new`."""
        ...
