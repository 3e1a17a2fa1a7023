"""The tree: a declaration with its rules resolved, checked completely at start-up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from vfs.access import Verb
from vfs.call import Reply
from vfs.errors import Advice
from vfs.nodes import Derived, Dir, Each, File, Items, Link, Loop, Node, Rules, Subtree
from vfs.route import Making, Route, RoutedContext
from vfs.rules import INFO, MAKER, OWNER, SELF, SIGNED_IN, D, R, Rule, W
from vfs.shapes.files import DerivedRoute, FileRoute
from vfs.shapes.folders import DirRoute, EachRoute, LinkRoute
from vfs.shapes.items import ItemsRoute
from vfs.shapes.subtrees import SubtreeRoute

INSIDE: Rules = {Verb.READ: R, Verb.WRITE: W}
SHAPES: dict[type[Node], type[Route]] = {
    Dir: DirRoute,
    Items: ItemsRoute,
    Each: EachRoute,
    Subtree: SubtreeRoute,
    File: FileRoute,
    Derived: DerivedRoute,
    Link: LinkRoute,
}


class TreeError(Exception):
    """An incomplete declaration; `str()` names the path and the missing part."""


class Tree:
    """The whole tree under one root, ready to be walked.

    `changed` is called for each change with its reply, within its transaction; `read` for each context that
    is read, before the reply. Raises TreeError if the declaration is incomplete.
    """

    def __init__(
        self,
        root: Dir,
        advice: Advice | None = None,
        changed: Callable[[RoutedContext[Any], Verb, Reply], object] = lambda context, verb, reply: None,
        read: Callable[[RoutedContext[Any]], object] = lambda context: None,
    ) -> None:
        self.advice = advice or Advice()
        self.changed = changed
        self.read = read
        self.canonical_routes: dict[str, Route] = {}
        self.root = self._plant(root, None, "", {}, inside=False)
        self._routes = (*self.root.walk(),)
        for route in self._routes:
            route.alike = all(rule.alike for rule in route.rules.values())
            if isinstance(route, LinkRoute):
                route.target = self._target(route, route.node)
            elif isinstance(route.node, Derived):
                _connect(route, route.node)
            route.ways = {name: child for name, child in route.children.items() if child.is_way}

    def routes(self) -> Iterator[Route]:
        """Return an iterator over every route but the root."""
        return islice(self._routes, 1, None)

    def _plant(self, node: Node, parent: Route | None, name: str, inherited: Rules, *, inside: bool) -> Route:
        route = SHAPES.get(type(node), Route)(node, parent, name)
        route.inside = inside
        rules = {**inherited, **{verb: rule for verb, rule in node.rules.items() if verb in INSIDE}}
        match node:
            case Dir():
                self._plant_dir(route, node, rules)
            case Items():
                self._plant_items(route, node, rules)
            case Each():
                self._plant_each(route, node, rules)
            case File():
                _file_rules(route, node, rules)
            case Subtree() if isinstance(route, SubtreeRoute):
                _subtree_rules(route, node, rules)
            case Derived():
                route.rules[Verb.READ] = _require_rule(route, rules, Verb.READ)
        return route

    def _plant_dir(self, route: Route, node: Dir, rules: Rules) -> None:
        route.rules[Verb.READ] = _require_rule(route, rules, Verb.READ)
        inside = route.inside or node.enter is not None
        for name, child in node.children.items():
            if isinstance(child, Loop):
                route.children[name] = _above(route, child.up)
                route.loops.add(name)
                continue
            route.children[name] = self._plant(child, route, name, rules, inside=inside)

    def _plant_items(self, route: Route, node: Items, rules: Rules) -> None:
        route.rules[Verb.READ] = _require_rule(route, rules, Verb.READ)
        entry = route.entry = self._plant(node.of, route, f":{node.kind.name}", INSIDE, inside=True)
        entry.holder, entry.entries = route, node
        for inner in entry.walk():
            inner.item = entry
        if Verb.READ not in node.of.rules:
            entry.rules[Verb.READ] = INFO
        if not node.fixed:
            entry.birth[Verb.CREATE] = node.rules.get(Verb.CREATE, SELF)
            renames = OWNER & W if node.copies is None else (OWNER & W) | (node.copier & SIGNED_IN & MAKER)
            entry.rules[Verb.RENAME] = node.rules.get(Verb.RENAME, renames)
            entry.rules[Verb.REMOVE] = node.rules.get(Verb.REMOVE, D)
        if node.canonical:
            if node.kind.name in self.canonical_routes:
                canonical = self.canonical_routes[node.kind.name].template
                raise TreeError(
                    f"{route.template}: the kind {node.kind.name} has a home already at {canonical}"
                )
            self.canonical_routes[node.kind.name] = entry

    def _plant_each(self, route: Route, node: Each[Any], rules: Rules) -> None:
        route.rules[Verb.READ] = _require_rule(route, rules, Verb.READ)
        if node.fixed:
            route.pattern = node.name
        entry = route.entry = self._plant(node.of, route, f":{node.param.name}", rules, inside=route.inside)
        entry.holder, entry.entries = route, node
        if node.also is not None:
            also = route.also = self._plant(node.also, route.parent, route.name, rules, inside=route.inside)
            also.pattern = node.also.name
        if node.names is None and not route.inside:
            raise TreeError(f"{route.template}: entries kept as leaves need an item around them")
        _entry_rules(route, entry, node, rules)

    def _home(self, route: Route) -> Route | None:
        """Return the home of the kind of item that contains a route."""
        kind = route.item.entries.kind if route.item is not None and route.item.entries is not None else None
        return self.canonical_routes.get(kind.name) if kind is not None else None

    def _target(self, route: Route, node: Link) -> Route:
        at: Route | None = self.root if node.to.startswith("/") else self._home(route)
        for name in node.to.strip("/").split("/"):
            if at is not None:
                at = at.children.get(name) or (at.entry if name.startswith("{") else None)
        if at is None:
            raise TreeError(f"{route.template}: the target {node.to} of the link does not exist")
        return at


def _require_rule(route: Route, rules: Rules, verb: Verb) -> Rule:
    rule = rules.get(verb)
    if rule is None:
        raise TreeError(f"{route.template or '/'}: no rule decides who may {verb.value}")
    return rule


def _above(route: Route, up: int) -> Route:
    """Return the route `up` levels above."""
    at: Route | None = route
    for _ in range(up):
        at = at.parent if at is not None else None
    if at is None or not at.folder:
        raise TreeError(f"{route.template}: a loop leads {up} up, where no folder is")
    return at


def _file_rules(route: Route, node: File, rules: Rules) -> None:
    kept = node.write is None and node.read is None
    if kept and not route.inside:
        raise TreeError(f"{route.template}: a stored file needs an item around it, or hooks that keep it")
    if node.read is not None and node.write is None and not node.fixed:
        raise TreeError(
            f"{route.template}: a file that is read by a hook and can be written needs a hook that writes"
        )
    if not node.silent:
        route.rules[Verb.READ] = _require_rule(route, rules, Verb.READ)
    if node.fixed:
        return
    writes = route.rules[Verb.WRITE] = _require_rule(route, rules, Verb.WRITE)
    route.birth[Verb.WRITE] = writes
    if node.write is None:
        route.rules[Verb.CREATE] = writes
    if node.clear is not False and (node.write is None or node.clear is not True):
        route.rules[Verb.REMOVE] = node.rules.get(Verb.REMOVE, writes)


def _subtree_rules(route: SubtreeRoute, node: Subtree[Any], rules: Rules) -> None:
    route.rules[Verb.READ] = _require_rule(route, rules, Verb.READ)
    hooks = {
        Verb.WRITE: node.write,
        Verb.CREATE: node.create,
        Verb.RENAME: node.rename,
        Verb.REMOVE: node.remove,
    }
    for verb, hook in hooks.items():
        if hook is not None:
            route.rules[verb] = node.rules.get(verb) or _require_rule(route, rules, Verb.WRITE)
    route.birth = {verb: rule for verb, rule in route.rules.items() if verb in (Verb.CREATE, Verb.WRITE)}
    route.folders = {verb: rule for verb, rule in route.rules.items() if verb is not Verb.WRITE}
    route.top = {verb: rule for verb, rule in route.folders.items() if verb is not Verb.RENAME}


def _entry_rules(route: Route, entry: Route, node: Each[Any], rules: Rules) -> None:
    kept = node.names is None
    if node.emptied is not None:
        route.rules[Verb.REMOVE] = node.rules.get(Verb.REMOVE) or _require_rule(route, rules, Verb.WRITE)
    writes = entry.birth.pop(Verb.WRITE, None)
    for verb in (Verb.CREATE, Verb.REMOVE):
        entry.rules.pop(verb, None)
    if node.fixed:
        return
    if node.create is not None or kept:
        create = node.rules.get(Verb.CREATE) or _require_rule(route, rules, Verb.WRITE)
        entry.birth[Verb.CREATE] = create
        if node.again:
            entry.rules[Verb.CREATE] = create if node.again is True else create & node.again
    if node.upsert and writes is not None:
        entry.birth[Verb.WRITE] = entry.rules[Verb.CREATE] = writes
    if node.remove is not None or kept:
        entry.rules[Verb.REMOVE] = node.rules.get(Verb.REMOVE) or _require_rule(route, rules, Verb.WRITE)
    if node.rename is not None:
        entry.rules[Verb.RENAME] = node.rules.get(Verb.RENAME) or _require_rule(route, rules, Verb.WRITE)


def _connect(derived: Route, node: Derived) -> None:
    """Register a derived file at its sources, by paths from the lowest folder that contains them all."""
    above = max((source.split("/").count("..") for source in node.of), default=0)
    top, inner = derived.parent, [derived.name]
    for _ in range(above):
        if top is not None and top is not derived.item:
            inner.insert(0, top.name)
            top = top.parent
    paths = {source: _below(inner[:-1], source.split("/")) for source in node.of}
    for source, path in paths.items():
        at = top
        for name in path.split("/"):
            at = at.children.get(name) if at is not None else None
        if at is None or not isinstance(at.node, File):
            raise TreeError(f"{derived.template}: made of {source}, which is no file of its item")
        at.derives.append(Making(derived, "/".join(inner), path, paths))


def _below(folder: list[str], names: list[str]) -> str:
    """Return the path of a file from its path relative to a folder."""
    ups = names.count("..")
    return "/".join([*folder[: len(folder) - ups], *names[ups:]])
