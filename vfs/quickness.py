"""The manners of calls by the shape of their paths alone: nothing is asked that is kept anywhere."""

from __future__ import annotations

from vfs.access import Verb
from vfs.nodes import Link
from vfs.shapes.dirs import LinkSpot
from vfs.spot import NOWHERE, Spot
from vfs.tree import Tree

MOST_STEPS = 64
LOOKS = (Verb.READ, None)


def is_quick(tree: Tree, verb: Verb | None, path: tuple[str, ...]) -> bool:
    """Whether an answer waits for nothing but a short look into the database.

    So do reads, and looks at what may be done, where each node on the way says so; and paths that lead out of
    the tree.
    """
    spot = _find_spot(tree, path) if verb in LOOKS else None
    return spot is NOWHERE or (spot is not None and spot.is_quick)


def is_groupable(tree: Tree, verb: Verb | None, path: tuple[str, ...]) -> bool:
    """Whether a call changes but a few rows, so that it may share a transaction with others."""
    spot = _find_spot(tree, path) if verb is Verb.WRITE else None
    return spot is not None and spot.is_groupable


def _find_spot(tree: Tree, path: tuple[str, ...]) -> Spot | None:
    """The spot that a path leads to by quick steps, NOWHERE outside of the tree; None for all others."""
    at: Spot = tree.root
    rest, home, steps = path, None, 0
    while rest:
        steps += 1
        if not at.is_quick_to_pass or steps > MOST_STEPS:
            return None
        name, rest = rest[0], rest[1:]
        child = at.children.get(name) or (at.entry if at.pattern.fullmatch(name) else None)
        if isinstance(child, LinkSpot):
            at, rest = _beginning(tree, child.node, home), (*_target(child.node), *rest)
        elif child is None:
            return NOWHERE
        else:
            at, home = child, _home(tree, child) or home
    return at if at.is_quick_to_pass else None


def _home(tree: Tree, at: Spot) -> Spot | None:
    """The home of the kind of items that an entry is one of."""
    kind = at.entries.kind if at.entries is not None else None
    return tree.homes.get(kind.name) if kind is not None else None


def _beginning(tree: Tree, link: Link, home: Spot | None) -> Spot:
    return tree.root if link.to.startswith("/") or home is None else home


def _target(link: Link) -> tuple[str, ...]:
    """The path of a link, with a name in place of its parameter."""
    return tuple(link.to.replace("{me}", "me").strip("/").split("/"))
