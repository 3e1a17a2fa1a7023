"""Path resolution for one caller: it walks the path, follows links and enters items."""

from __future__ import annotations

from typing import Any

from vfs.access import NOTHING, access_of
from vfs.call import Call
from vfs.nodes import Each, Items, Link
from vfs.ports.world import KernelWorld
from vfs.route import NOWHERE, Route, RoutedContext
from vfs.shapes.folders import LinkRoute
from vfs.shapes.subtrees import SubtreeRoute
from vfs.tree import Tree

HOPS = 8


def find(tree: Tree, call: Call[KernelWorld]) -> RoutedContext[KernelWorld]:
    """Return the context of a call. Missing and hidden paths give the same absent context."""
    return _Walk(tree, call).context


class _Walk:
    """One walk along a path.

    `loose` collects entries that need to exist only if no item below them is entered, each with the length of
    the path up to it. `requested` is the number of names of the requested path that remained at the last
    link.
    """

    def __init__(self, tree: Tree, call: Call[KernelWorld]) -> None:
        self.tree = tree
        self.context = RoutedContext(tree.advice, call, tree.root, call.path)
        self.rest: tuple[str, ...] = call.path
        self.requested = len(call.path)
        self.loose: list[tuple[Each[Any], str, int]] = []
        self.hops = 0
        while self.rest and self.context.route is not NOWHERE:
            self._step()
        self._settle()

    def _step(self) -> None:
        route = self.context.route
        name = self.rest[0]
        if name in route.ways:
            self._go_on(route)
            return
        if isinstance(route, SubtreeRoute):
            self._dive(route)
            return
        self.rest = self.rest[1:]
        child = route.children.get(name)
        if child is not None:
            self._enter_fixed(child, name)
        elif (entry := route.entry_named(name)) is not None:
            self._entry(entry, name)
        else:
            self._lose()

    def _go_on(self, route: Route) -> None:
        """Follow names until one requires a look-up."""
        context, passed = self.context, 0
        for name in self.rest:
            child = route.ways.get(name)
            if child is None:
                break
            route = child
            passed += 1
        if context.item is not None:
            names = self.rest[:passed]
            context.rel = "/".join((context.rel, *names) if context.rel else names)
        context.route, context.birth = route, False
        self.rest = self.rest[passed:]

    def _lose(self) -> None:
        self.context.route = NOWHERE
        self._vacate(birth=False)

    def _vacate(self, *, birth: bool) -> None:
        context = self.context
        if not context.absent:
            context.missing = self._length()
        context.absent, context.birth = True, birth

    def _length(self) -> int:
        """Return the length of the part of the path that was walked."""
        return len(self.context.requested) - min(self.requested, len(self.rest))

    def _enter_fixed(self, child: Route, name: str) -> None:
        context = self.context
        if isinstance(child, LinkRoute):
            self._follow(child.node)
            return
        context.route = child
        context.birth = False
        if context.item is not None:
            context.rel = f"{context.rel}/{name}" if context.rel else name
        child.step_in(context)

    def _follow(self, link: Link) -> None:
        context = self.context
        self.hops += 1
        self.requested = min(self.requested, len(self.rest))
        if link.only is not None:
            context.only = link.only if context.only is None else context.only & link.only
        if self.hops > HOPS or (context.item is None and not link.to.startswith("/")):
            self._lose()
            return
        if link.to.startswith("/"):
            target = tuple(link.to.replace("{me}", context.caller.name or "@").strip("/").split("/"))
            context.route = self.tree.root
            context.item, context.rel = None, ""
        else:
            target = tuple(link.to.split("/"))
            context.route = self.tree.canonical_routes[context.here.kind]
            context.rel = ""
        self.rest = target + self.rest

    def _entry(self, entry: Route, name: str) -> None:
        if isinstance(entry.entries, Items):
            self._item(entry.entries, entry, name)
        else:
            assert isinstance(entry.entries, Each)
            self._each(entry.entries, entry, name)

    def _item(self, node: Items, entry: Route, name: str) -> None:
        context = self.context
        context.route = entry
        if not context.absent:
            owner = context.segment(node.owner) if node.owner is not None else ""
            found = context.world.items.find(node.kind.name, owner, name, context.caller.name)
            if found is not None and node.among is not None:
                found = found if node.among(context.world, [found.item.id]) else None
            if found is not None:
                grants = context.caller.grants_on(found.item.id, found.effective_grants)
                access = access_of(found.item, grants, context.caller, node.kind.confers)
                if access != NOTHING:
                    context.enter(found.item, grants, access, node.kind.confers)
                    self.loose.clear()
                    return
        self._vacate(birth=not context.absent)
        context.item = None

    def _each(self, node: Each[Any], entry: Route, name: str) -> None:
        context = self.context
        context.route = entry
        context.birth = False
        if context.item is not None:
            context.rel = f"{context.rel}/{name}" if context.rel else name
        if context.absent or node.loose:
            context.match(node.param, name, None)
            if node.loose and not context.absent:
                self.loose.append((node, name, self._length()))
            return
        fact = load(context, node, name)
        context.match(node.param, name, fact)
        if fact is None:
            self._vacate(birth=True)
        else:
            entry.step_in(context)

    def _dive(self, route: SubtreeRoute) -> None:
        context = self.context
        rest = "/".join(self.rest)
        self.rest = ()
        context.rel = f"{context.rel}/{rest}"
        route.look(context, rest)

    def _settle(self) -> None:
        context = self.context
        if self.loose and not context.absent:
            for node, name, length in self.loose:
                fact = load(context, node, name)
                if fact is None:
                    context.absent, context.birth, context.missing = True, False, length
                else:
                    context.match(node.param, name, fact)
        route = context.route
        if isinstance(route, SubtreeRoute) and route.node.param not in context:
            route.look(context, "")


def load(context: RoutedContext[KernelWorld], node: Each[Any], name: str) -> object:
    """Return the value of an entry: the result of its hook, or its leaf. None if it is missing."""
    if node.has is not None:
        return node.has(context, name)
    return context.leaf(context.rel)
