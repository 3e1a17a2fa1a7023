"""Folders: fixed ones, links, and those with an entry per name."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any

from vfs.access import Verb, access_of
from vfs.acts import ACTS, made_before, requested_name
from vfs.call import Data, Entry, Reply
from vfs.listing import reply_at, row, row_named, row_of, stamps_below
from vfs.nodes import Dir, Each, Entries, Link, Named
from vfs.ports.world import KernelWorld
from vfs.route import Route, RoutedContext


class FolderRoute(Route):
    """A folder."""

    __slots__ = ()
    folder = True
    node: Dir | Entries

    @abstractmethod
    def rows(self, context: RoutedContext[KernelWorld]) -> Iterable[Entry]:
        """Return the rows of its entries."""

    def read(self, context: RoutedContext[KernelWorld]) -> Reply:
        """Return the result of its hook `read`, or its rows."""
        face = self.node.read
        return reply_at(
            context, face(context) if face is not None else Data(list(self.rows(context))), folder=True
        )

    def receive(self, context: RoutedContext[KernelWorld], verb: Verb) -> Any:
        """Read the sent content, and prepare a rename or an entry: a copy or a drawing may take long."""
        super().receive(context, verb)
        if verb is Verb.CREATE:
            return made_before(context)
        return requested_name(context) if verb is Verb.RENAME else None

    def act(self, context: RoutedContext[KernelWorld], verb: Verb, sent: Any) -> Reply:
        """Make the change, as for every entry."""
        return ACTS[verb](context, sent) if verb in (Verb.RENAME, Verb.CREATE) else ACTS[verb](context)


class DirRoute(FolderRoute):
    """A fixed folder, which may belong to an item that is entered there."""

    __slots__ = ()
    node: Dir

    @property
    def is_way(self) -> bool:
        """Whether no item belongs to the folder."""
        return self.node.enter is None

    def step_in(self, context: RoutedContext[KernelWorld]) -> None:
        """Enter the item that belongs to the folder, if there is one."""
        if self.node.enter is None or context.absent:
            return
        found, claim = self.node.enter(context), context.caller.claim
        if found is None or (claim is not None and claim.hides(found.item.kind)):
            context.absent = True
        else:
            confers = self.node.confers
            access = access_of(found.item, found.effective_grants, context.caller, confers)
            context.enter(found.item, found.effective_grants, access, confers)

    def rows(self, context: RoutedContext[KernelWorld]) -> Iterator[Entry]:
        """Yield rows in the order of declaration."""
        unwritten, stamps = stamps_below(context)
        facts = context.facts()
        for name, child in self.children.items():
            shown = child.as_listed(context, name)
            if not child.node.listed.test(shown):
                continue
            child.step_in(shown)
            if shown.item is context.item:
                yield row(shown, *stamps.get(shown.rel, unwritten), facts=facts)
            else:
                yield row_of(shown)


class LinkRoute(Route):
    """A link to its target, which is resolved at start-up."""

    __slots__ = ("target",)
    node: Link
    target: Route

    @property
    def is_way(self) -> bool:
        """False: a link leads to another route."""
        return False

    def as_listed(self, folder: RoutedContext[KernelWorld], name: str) -> RoutedContext[KernelWorld]:
        """Return the target, with the name of the link and only the verbs that the link allows."""
        shown = folder.child(name, self.target)
        only = self.node.only
        shown.only = only if folder.only is None else folder.only & (only or folder.only)
        return shown


class EachRoute(FolderRoute):
    """A folder with an entry per name."""

    __slots__ = ()
    node: Each[Any]

    def rows(self, context: RoutedContext[KernelWorld]) -> Iterator[Entry]:
        """Yield rows as the hook lists them; leaves by name."""
        node, entry = self.node, self.entry
        assert entry is not None
        for named in _leaves(context) if node.names is None else node.names(context):
            shown = context.child(named.name, entry)
            shown.match(node.param, named.name, named.fact)
            entry.step_in(shown)
            if not shown.absent and entry.node.listed.test(shown):
                yield row_named(shown, named)
        if isinstance(self.also, EachRoute):
            yield from self.also.rows(context)


def _leaves(context: RoutedContext[KernelWorld]) -> Iterator[Named]:
    for rel, (created_on, last_modified) in stamps_below(context)[1].items():
        yield Named(rel.rsplit("/", 1)[-1], created_on, last_modified)
