"""Files: kept by hooks, stored as leaves, or derived from other leaves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from vfs.access import Verb
from vfs.acts import ACTS, take
from vfs.call import About, Data, Entry, Form, Reply, Signs, Stream
from vfs.context import Context
from vfs.listing import reply_at
from vfs.nodes import PAST, Derived, File
from vfs.ports.blobs import Ref
from vfs.ports.world import KernelWorld
from vfs.route import Route, RoutedContext

TAKING = (Verb.WRITE, Verb.CREATE)
"""Verbs whose calls have a text."""


class FileRoute(Route):
    """A file, kept by hooks or as a leaf."""

    __slots__ = ()
    node: File

    @property
    def long(self) -> bool:
        """Whether the file is changed outside every transaction."""
        return self.node.long

    @property
    def keeps(self) -> bool:
        """Whether it keeps its former contents: it is stored as a leaf, can be read, and has one value."""
        node = self.node
        return node.kept and node.write is None and not (node.fixed or node.silent or node.mine)

    @property
    def query(self) -> Mapping[str, str]:
        """The parameters that its hooks read, and those of its former contents."""
        return {**self.node.query, **PAST} if self.keeps else self.node.query

    @property
    def largest(self) -> int:
        """The limit of a body, in bytes."""
        return self.node.largest

    def read(self, context: RoutedContext[KernelWorld]) -> Reply:
        """Return the result of its hook, or its leaf."""
        node = self.node
        if node.view is not None and (view := node.view(context)) is not None:
            return reply_at(context, view)
        if node.read is None:
            rel = f"{context.rel}/@{context.me}" if node.mine else context.rel
            default = node.default(context) if callable(node.default) else node.default
            return _leaf(context, rel, default, node.data, signs=Signs.ALL)
        value = node.read(context)
        if isinstance(value, str) and node.data is not None and context.call.want is Form.DATA:
            value = Data(node.data(context, value), _itself(value))
        elif not isinstance(value, str | Ref | Data | Stream | Reply) and value is not None:
            value = Data(value, node.text)
        made = Signs.NONE if node.fixed else Signs.ALL
        return reply_at(context, value, signs=made if node.signs is None else node.signs)

    def trial(self, context: RoutedContext[KernelWorld], verb: Verb) -> Reply | None:
        """Return the reply of its hook to a trial of a write."""
        if self.node.trial is None or verb not in (Verb.WRITE, Verb.CREATE):
            return None
        return self.node.trial(context)

    def receive(self, context: RoutedContext[KernelWorld], verb: Verb) -> Any:
        """Read and check the sent content."""
        super().receive(context, verb)
        return take(context) if verb in TAKING else None

    def act(self, context: RoutedContext[KernelWorld], verb: Verb, sent: Any) -> Reply:
        """Make the change, as for every file."""
        return ACTS[verb](context, sent) if verb in TAKING else ACTS[verb](context)

    def about(self, entry: Entry, *, absent: bool) -> About:
        """Return its row, and the content that it accepts if it can be written."""
        node = self.node
        if node.fixed:
            return About(entry, (), node.values, None, None, node.about, absent, self.query)
        default = node.default if isinstance(node.default, str) else None
        return About(entry, node.media, node.values, default, node.largest, node.about, absent, self.query)


class DerivedRoute(Route):
    """A file made of other leaves of its item."""

    __slots__ = ()
    node: Derived

    def read(self, context: RoutedContext[KernelWorld]) -> Reply:
        """Return its leaf, which was computed when a source last changed."""
        return _leaf(context, context.rel, self.node.default, self.node.data, self.node.media)


def _leaf(
    context: RoutedContext[KernelWorld],
    rel: str,
    default: str,
    data: Callable[[Context[Any], str], Any] | None,
    media: str = "text/plain",
    signs: Signs = Signs.NONE,
) -> Reply:
    leaf = context.leaf(rel)
    if leaf is not None and leaf.blob is not None:
        return reply_at(context, leaf.blob)
    text = default if leaf is None else leaf.text or ""
    if data is not None and context.call.want is Form.DATA:
        return reply_at(context, Data(data(context, text), _itself(text)), default=leaf is None, signs=signs)
    return reply_at(context, text, default=leaf is None, media=media, signs=signs)


def _itself(text: str) -> Callable[[Any], str]:
    """Return a function that returns the plain text of stored data: a precondition may name either form."""
    return lambda data: text
