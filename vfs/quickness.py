"""Whether a call is quick, by the shape of its path alone: nothing is asked that is kept anywhere."""

from __future__ import annotations

from vfs.access import Verb
from vfs.nodes import Link
from vfs.shapes.dirs import LinkSpot
from vfs.spot import Spot
from vfs.tree import Tree

MOST_STEPS = 64


def is_quick(tree: Tree, verb: Verb | None, path: tuple[str, ...]) -> bool:
    """Whether an answer waits for nothing but a short look into the database.

    So do reads, and looks at what may be done, where each node on the way says so; and paths that lead out of
    the tree.
    """
    if verb not in (Verb.READ, None):
        return False
    at: Spot | None = tree.root
    rest, home, steps = path, None, 0
    while at is not None and rest:
        steps += 1
        if not at.is_quick_to_pass or steps > MOST_STEPS:
            return False
        name, rest = rest[0], rest[1:]
        child = at.children.get(name) or (at.entry if at.pattern.fullmatch(name) else None)
        if isinstance(child, LinkSpot):
            at, rest = _beginning(tree, child.node, home), (*_target(child.node), *rest)
            continue
        at = child
        home = _home(tree, at) or home
    return at is None or (at.is_quick_to_pass and at.is_quick)


def _home(tree: Tree, at: Spot | None) -> Spot | None:
    """The home of the kind of items that an entry is one of."""
    kind = at.entries.kind if at is not None and at.entries is not None else None
    return tree.homes.get(kind.name) if kind is not None else None


def _beginning(tree: Tree, link: Link, home: Spot | None) -> Spot | None:
    return tree.root if link.to.startswith("/") else home


def _target(link: Link) -> tuple[str, ...]:
    """The path of a link, with a name in place of its parameter."""
    return tuple(link.to.replace("{me}", "me").strip("/").split("/"))
