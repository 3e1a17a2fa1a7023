"""Files: answered by hooks, stored as leaves, or derived from other leaves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vfs.access import Verb
from vfs.acts import ACTS, take
from vfs.call import About, Data, Entry, Form, Reply, Signs, Stream
from vfs.listing import reply_at
from vfs.nodes import Derived, File
from vfs.place import Place
from vfs.ports.blobs import Ref
from vfs.ports.world import KernelWorld
from vfs.spot import Spot, Visit

TAKING = (Verb.WRITE, Verb.CREATE)
"""Verbs that bring a text."""


class FileSpot(Spot):
    """A file, kept by hooks or as a leaf."""

    __slots__ = ()
    node: File

    @property
    def long(self) -> bool:
        """Whether the file is changed outside every transaction."""
        return self.node.long

    @property
    def largest(self) -> int:
        """The limit of what is sent along, in bytes."""
        return self.node.largest

    def read(self, place: Visit[KernelWorld]) -> Reply:
        """The answer of its hook, or its leaf."""
        node = self.node
        if node.view is not None and (view := node.view(place)) is not None:
            return reply_at(place, view)
        if node.read is None:
            rel = f"{place.rel}/@{place.me}" if node.mine else place.rel
            default = node.default(place) if callable(node.default) else node.default
            return _leaf(place, rel, default, node.data, signs=Signs.ALL)
        value = node.read(place)
        if isinstance(value, str) and node.data is not None and place.call.want is Form.DATA:
            value = Data(node.data(place, value), _itself(value))
        elif not isinstance(value, str | Ref | Data | Stream | Reply) and value is not None:
            value = Data(value, node.text)
        made = Signs.NONE if node.fixed else Signs.ALL
        return reply_at(place, value, signs=made if node.signs is None else node.signs)

    def trial(self, place: Visit[KernelWorld], verb: Verb) -> Reply | None:
        """The answer of its hook to what would be written."""
        if self.node.trial is None or verb not in (Verb.WRITE, Verb.CREATE):
            return None
        return self.node.trial(place)

    def receive(self, place: Visit[KernelWorld], verb: Verb) -> Any:
        """Take in what is sent, and check it."""
        super().receive(place, verb)
        return take(place) if verb in TAKING else None

    def act(self, place: Visit[KernelWorld], verb: Verb, sent: Any) -> Reply:
        """Do what is done to every file."""
        return ACTS[verb](place, sent) if verb in TAKING else ACTS[verb](place)

    def about(self, entry: Entry, *, vacant: bool) -> About:
        """Its row, and what it takes where it is stored."""
        node = self.node
        if node.fixed:
            return About(entry, (), node.values, None, None, node.about, vacant)
        default = node.default if isinstance(node.default, str) else None
        return About(entry, node.media, node.values, default, node.largest, node.about, vacant)


class DerivedSpot(Spot):
    """A file made of other leaves of its item."""

    __slots__ = ()
    node: Derived

    def read(self, place: Visit[KernelWorld]) -> Reply:
        """Its leaf, which was made when a source last changed."""
        return _leaf(place, place.rel, self.node.default, self.node.data, self.node.media)


def _leaf(
    place: Visit[KernelWorld],
    rel: str,
    default: str,
    data: Callable[[Place[Any], str], Any] | None,
    media: str = "text/plain",
    signs: Signs = Signs.NONE,
) -> Reply:
    leaf = place.leaf(rel)
    if leaf is not None and leaf.blob is not None:
        return reply_at(place, leaf.blob)
    text = default if leaf is None else leaf.text or ""
    if data is not None and place.call.want is Form.DATA:
        return reply_at(place, Data(data(place, text), _itself(text)), default=leaf is None, signs=signs)
    return reply_at(place, text, default=leaf is None, media=media, signs=signs)


def _itself(text: str) -> Callable[[Any], str]:
    """The plain face of the data of a stored text: a precondition may name either face."""
    return lambda data: text
