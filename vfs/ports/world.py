"""The ports through which the kernel reaches the world: items, leaves, blobs, grants and a clock."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import BinaryIO, NamedTuple, Protocol

from vfs.access import Reach
from vfs.ports.grants import Grants


def stamp(moment: datetime) -> str:
    """The text of an aware moment, as it is stored and answered: ISO 8601 UTC, milliseconds, `Z`."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


def digest_of(text: str) -> str:
    """The SHA-256 of a text in UTF-8, in hex."""
    return sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Ref:
    """Stored bytes: SHA-256 in hex, size in bytes, media type."""

    digest: str
    size: int
    media: str


class Item(NamedTuple):
    """A resource: looked up by kind, owner and name, never by path."""

    id: int
    kind: str
    owner: str
    name: str
    shortname: str
    created_on: str
    last_modified: str


@dataclass(frozen=True, slots=True)
class Leaf:
    """A small file of an item, keyed by its path inside the item: text, or a blob. `author` wrote it last."""

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


class Found(NamedTuple):
    """An item with the grants that are effective for the caller who asked (none are needed for the owner).

    `ahead`: the path of the leaf that was looked up along with it. `leaf`: what is there.
    """

    item: Item
    reaches: tuple[Reach, ...] = ()
    ahead: str | None = None
    leaf: Leaf | None = None


@dataclass(frozen=True, slots=True)
class Mark:
    """A leaf without its content, for listings."""

    rel: str
    created_on: str
    last_modified: str


class Clock(Protocol):
    """Time, injected."""

    def now(self) -> datetime:
        """The present moment, aware, UTC."""
        ...


class ItemStore(Protocol):
    """Keeps items. `caller` is a user's name, or None for the public."""

    def find(
        self, kind: str, owner: str, name: str, caller: str | None, ahead: str | None = None
    ) -> Found | None:
        """The item with what its grants confer on `caller` now; None when there is no such item.

        The leaf at `ahead` comes along when one is named (one statement). Of the grants through groups that
        have equal letters one stands for all, one of a role above members if there is any: however many
        groups share an item, its look-up costs the same. An item that exists but reaches nothing to the
        caller comes back with no reaches: the kernel makes it vacant.
        """
        ...

    def at(self, id: int, caller: str | None) -> Found | None:
        """The item by id, with every grant that is effective for `caller` now."""
        ...

    def all_at(self, ids: Collection[int], caller: str | None) -> Mapping[int, Found]:
        """The same for several ids at once, of those that are there; one statement for each 500."""
        ...

    def all_named(
        self, kind: str, names: Collection[tuple[str, str]], shortnames: Collection[str], caller: str | None
    ) -> Sequence[Found]:
        """The items of a kind with these owners and names, or with these shortnames, by id; one statement.

        Each has every grant that is effective for `caller` now.
        """
        ...

    def by_shortname(self, shortname: str, caller: str | None) -> Found | None:
        """The item by shortname, as `find` gives it."""
        ...

    def visible(self, kind: str, owner: str | None, caller: str | None) -> Sequence[Found]:
        """Items of a kind that the caller owns or is reached by, by owner and name; one statement.

        Those of one owner or (None) of all.
        """
        ...

    def stamps_of(self, kind: str, owner: str) -> Sequence[tuple[str, str, str]]:
        """Name, created_on and last_modified of items of a kind that a user owns, by name; one statement."""
        ...

    def near(self, kind: str, owner: str, name: str, most: int) -> Sequence[str]:
        """Names of a user's items on either side of a name in their order, `most` each; one statement."""
        ...

    def through(self, kind: str, groups: Sequence[str], caller: str | None) -> Sequence[Found]:
        """Items that members of these groups share with one of them, with all that the caller has of each.

        They are in the order of owner and name; one statement.
        """
        ...

    def create(self, kind: str, owner: str, name: str) -> Item:
        """A new item with a fresh shortname. Raises Conflict when the name is taken."""
        ...

    def rename(self, item: Item, name: str) -> Item:
        """The item under another name.

        Raises Conflict when the name is taken, NotFound when the item is gone or bears another name by now.
        """
        ...

    def copy(self, item: Item, owner: str, name: str, rels: Iterable[str]) -> Item:
        """A new item holding the leaves at or below `rels`, without shares.

        Raises Conflict when the name is taken.
        """
        ...

    def remove(self, item: Item) -> None:
        """Take the item away with its leaves and grants; its shortname is never used again."""
        ...

    def touch(self, item: Item) -> bool:
        """Stamp the item as modified now; False when it is gone."""
        ...

    def hold(self, item: Item) -> bool:
        """Keep the item, as it is, from being removed before the transaction ends; False when it is gone."""
        ...

    def touch_ahead(self, item: Item) -> None:
        """The same inside a transaction, at the latest with the next statement; nothing tells it is gone."""
        ...


class Leaves(Protocol):
    """Keeps the small files of items. `rel` is the full path inside the item, segments joined by `/`."""

    def get(self, item: int, rel: str) -> Leaf | None:
        """The leaf, or None."""
        ...

    def put(self, item: int, rel: str, content: str | Ref, author: str | None) -> bool:
        """Write the leaf whole; True when it is new."""
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

    def texts_of(self, items: Sequence[int], rels: Sequence[str]) -> Mapping[int, Mapping[str, str]]:
        """The texts of these leaves of many items, by item and rel; one statement for 500 items."""
        ...

    def saying(
        self, owner: str, kinds: Sequence[str], rels: Sequence[str], words: str, most: int, searched: int
    ) -> Sequence[tuple[str, str, str, str]]:
        """Find leaves that have the words: kind and name of the item, rel and text, in that order.

        Only a user's items of these kinds and these leaves are searched: the `searched` items that changed
        last, in one statement. At most `most` are found.
        """
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


class KernelWorld(Protocol):
    """The part of the world that the kernel needs; hooks are handed a richer one."""

    @property
    def items(self) -> ItemStore: ...
    @property
    def leaves(self) -> Leaves: ...
    @property
    def blobs(self) -> Blobs: ...
    @property
    def grants(self) -> Grants: ...
    @property
    def clock(self) -> Clock: ...
    @property
    def epoch(self) -> str:
        """The birth of this world: the stamp of fixed places outside every item."""
        ...

    def atomic(self) -> AbstractContextManager[object]:
        """All writes inside happen or none; nests. The outermost commit is durable when it returns."""
        ...

    def idle(self) -> AbstractContextManager[object]:
        """Waiting inside, outside every transaction, takes nothing of the storage from others."""
        ...


def chunks(stream: BinaryIO, size: int = 1 << 16) -> Iterator[bytes]:
    """The bytes of a stream, piece by piece."""
    return iter(lambda: stream.read(size), b"")
