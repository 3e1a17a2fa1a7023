"""The tree: a declaration with its rules resolved, checked as a whole at start-up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from vfs.access import Verb
from vfs.call import Reply
from vfs.errors import Advice
from vfs.nodes import Derived, Dir, Each, File, Items, Link, Loop, Node, Rules, Subtree
from vfs.rules import COVERED, INFO, OWNER, SELF, SIGNED_IN, D, R, Rule, W
from vfs.shapes.files import DerivedSpot, FileSpot
from vfs.shapes.folders import DirSpot, EachSpot, LinkSpot
from vfs.shapes.items import ItemsSpot
from vfs.shapes.subtrees import SubtreeSpot
from vfs.spot import Making, Spot, Visit

INSIDE: Rules = {Verb.READ: R, Verb.WRITE: W}
SHAPES: dict[type[Node], type[Spot]] = {
    Dir: DirSpot,
    Items: ItemsSpot,
    Each: EachSpot,
    Subtree: SubtreeSpot,
    File: FileSpot,
    Derived: DerivedSpot,
    Link: LinkSpot,
}


class TreeError(Exception):
    """The declaration is not whole; `str()` names the place and what is missing there."""


class Tree:
    """The whole tree under one root, ready to be walked.

    `changed` hears of each change, within its transaction, with what it is answered; `read` of each place
    that is read, before it is answered. Raises TreeError when
    the declaration is not total.
    """

    def __init__(
        self,
        root: Dir,
        advice: Advice | None = None,
        changed: Callable[[Visit[Any], Verb, Reply], object] = lambda place, verb, reply: None,
        read: Callable[[Visit[Any]], object] = lambda place: None,
    ) -> None:
        self.advice = advice or Advice()
        self.changed = changed
        self.read = read
        self.homes: dict[str, Spot] = {}
        self.root = self._plant(root, None, "", {}, inside=False)
        self._spots = (*self.root.walk(),)
        for spot in self._spots:
            spot.alike = all(rule.alike for rule in spot.rules.values())
            if isinstance(spot, LinkSpot):
                spot.target = self._target(spot, spot.node)
            elif isinstance(spot.node, Derived):
                _connect(spot, spot.node)
            spot.ways = {name: child for name, child in spot.children.items() if child.is_way}

    def spots(self) -> Iterator[Spot]:
        """Every spot but the root."""
        return islice(self._spots, 1, None)

    def _plant(self, node: Node, parent: Spot | None, name: str, inherited: Rules, *, inside: bool) -> Spot:
        spot = SHAPES.get(type(node), Spot)(node, parent, name)
        spot.inside = inside
        rules = {**inherited, **{verb: rule for verb, rule in node.rules.items() if verb in INSIDE}}
        match node:
            case Dir():
                self._plant_dir(spot, node, rules)
            case Items():
                self._plant_items(spot, node, rules)
            case Each():
                self._plant_each(spot, node, rules)
            case File():
                _file_rules(spot, node, rules)
            case Subtree() if isinstance(spot, SubtreeSpot):
                _subtree_rules(spot, node, rules)
            case Derived():
                spot.rules[Verb.READ] = _require_rule(spot, rules, Verb.READ)
        return spot

    def _plant_dir(self, spot: Spot, node: Dir, rules: Rules) -> None:
        spot.rules[Verb.READ] = _require_rule(spot, rules, Verb.READ)
        inside = spot.inside or node.enter is not None
        for name, child in node.children.items():
            if isinstance(child, Loop):
                spot.children[name] = _above(spot, child.up)
                spot.loops.add(name)
                continue
            spot.children[name] = self._plant(child, spot, name, rules, inside=inside)

    def _plant_items(self, spot: Spot, node: Items, rules: Rules) -> None:
        spot.rules[Verb.READ] = _require_rule(spot, rules, Verb.READ)
        entry = spot.entry = self._plant(node.of, spot, f":{node.kind.name}", INSIDE, inside=True)
        entry.holder, entry.entries = spot, node
        for inner in entry.walk():
            inner.item = entry
        if Verb.READ not in node.of.rules:
            entry.rules[Verb.READ] = INFO
        if not node.fixed:
            entry.birth[Verb.CREATE] = node.rules.get(Verb.CREATE, SELF)
            renames = OWNER & W if node.copies is None else (OWNER & W) | (node.copier & SIGNED_IN & COVERED)
            entry.rules[Verb.RENAME] = node.rules.get(Verb.RENAME, renames)
            entry.rules[Verb.REMOVE] = node.rules.get(Verb.REMOVE, D)
        if node.home:
            if node.kind.name in self.homes:
                home = self.homes[node.kind.name].template
                raise TreeError(f"{spot.template}: the kind {node.kind.name} has a home already at {home}")
            self.homes[node.kind.name] = entry

    def _plant_each(self, spot: Spot, node: Each[Any], rules: Rules) -> None:
        spot.rules[Verb.READ] = _require_rule(spot, rules, Verb.READ)
        if node.fixed:
            spot.pattern = node.name
        entry = spot.entry = self._plant(node.of, spot, f":{node.param.name}", rules, inside=spot.inside)
        entry.holder, entry.entries = spot, node
        if node.names is None and not spot.inside:
            raise TreeError(f"{spot.template}: entries kept as leaves need an item around them")
        _entry_rules(spot, entry, node, rules)

    def _home(self, spot: Spot) -> Spot | None:
        """The home of the kind of item that a spot lies in."""
        kind = spot.item.entries.kind if spot.item is not None and spot.item.entries is not None else None
        return self.homes.get(kind.name) if kind is not None else None

    def _target(self, spot: Spot, node: Link) -> Spot:
        at: Spot | None = self.root if node.to.startswith("/") else self._home(spot)
        for name in node.to.strip("/").split("/"):
            if at is not None:
                at = at.children.get(name) or (at.entry if name.startswith("{") else None)
        if at is None:
            raise TreeError(f"{spot.template}: the link to {node.to} leads nowhere")
        return at


def _require_rule(spot: Spot, rules: Rules, verb: Verb) -> Rule:
    rule = rules.get(verb)
    if rule is None:
        raise TreeError(f"{spot.template or '/'}: no rule decides who may {verb.value}")
    return rule


def _above(spot: Spot, up: int) -> Spot:
    """The spot so many levels above."""
    at: Spot | None = spot
    for _ in range(up):
        at = at.parent if at is not None else None
    if at is None or not at.folder:
        raise TreeError(f"{spot.template}: a loop leads {up} up, where no folder is")
    return at


def _file_rules(spot: Spot, node: File, rules: Rules) -> None:
    kept = node.write is None and node.read is None
    if kept and not spot.inside:
        raise TreeError(f"{spot.template}: a stored file needs an item around it, or hooks that keep it")
    if node.read is not None and node.write is None and not node.fixed:
        raise TreeError(
            f"{spot.template}: a file that is read by a hook and can be written needs a hook that writes"
        )
    if not node.silent:
        spot.rules[Verb.READ] = _require_rule(spot, rules, Verb.READ)
    if node.fixed:
        return
    writes = spot.rules[Verb.WRITE] = _require_rule(spot, rules, Verb.WRITE)
    spot.birth[Verb.WRITE] = writes
    if node.write is None:
        spot.rules[Verb.CREATE] = writes
    if node.clear is not False and (node.write is None or node.clear is not True):
        spot.rules[Verb.REMOVE] = node.rules.get(Verb.REMOVE, writes)


def _subtree_rules(spot: SubtreeSpot, node: Subtree[Any], rules: Rules) -> None:
    spot.rules[Verb.READ] = _require_rule(spot, rules, Verb.READ)
    hooks = {
        Verb.WRITE: node.write,
        Verb.CREATE: node.create,
        Verb.RENAME: node.rename,
        Verb.REMOVE: node.remove,
    }
    for verb, hook in hooks.items():
        if hook is not None:
            spot.rules[verb] = node.rules.get(verb) or _require_rule(spot, rules, Verb.WRITE)
    spot.birth = {verb: rule for verb, rule in spot.rules.items() if verb in (Verb.CREATE, Verb.WRITE)}
    spot.folders = {verb: rule for verb, rule in spot.rules.items() if verb is not Verb.WRITE}
    spot.top = {verb: rule for verb, rule in spot.folders.items() if verb is not Verb.RENAME}


def _entry_rules(spot: Spot, entry: Spot, node: Each[Any], rules: Rules) -> None:
    kept = node.names is None
    writes = entry.birth.pop(Verb.WRITE, None)
    for verb in (Verb.CREATE, Verb.REMOVE):
        entry.rules.pop(verb, None)
    if node.fixed:
        return
    if node.create is not None or kept:
        create = node.rules.get(Verb.CREATE) or _require_rule(spot, rules, Verb.WRITE)
        entry.birth[Verb.CREATE] = create
        if node.again:
            entry.rules[Verb.CREATE] = create if node.again is True else create & node.again
    if node.upsert and writes is not None:
        entry.birth[Verb.WRITE] = entry.rules[Verb.CREATE] = writes
    if node.remove is not None or kept:
        entry.rules[Verb.REMOVE] = node.rules.get(Verb.REMOVE) or _require_rule(spot, rules, Verb.WRITE)
    if node.rename is not None:
        entry.rules[Verb.RENAME] = node.rules.get(Verb.RENAME) or _require_rule(spot, rules, Verb.WRITE)


def _connect(derived: Spot, node: Derived) -> None:
    """Let the sources of a derived file know it, by paths from the lowest folder that holds all of them."""
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
    """The path of a file that is named from inside a folder."""
    ups = names.count("..")
    return "/".join([*folder[: len(folder) - ups], *names[ups:]])
