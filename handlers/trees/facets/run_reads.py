"""Reads of runs: the accounts that could influence what a run reads with its credential."""

from __future__ import annotations

from chains.runs.records import Reasons
from handlers.services.run_people import item_people, note_fetched
from handlers.services.world import World
from vfs.access import EVERYBODY
from vfs.nodes import File
from vfs.route import RoutedContext

OWN = ("/v1/whoami", "/v1/token")
"""Templates of routes that return only facts about the run's own credential."""
SPACE = "space"


def note_read(context: RoutedContext[World]) -> None:
    """Record who could influence what a run reads now; does nothing for credentials of people."""
    run = context.caller.run
    if run is not None and context.route.template not in OWN:
        note_fetched(context.world, run, context.me, _people(context))


def _people(context: RoutedContext[World]) -> Reasons:
    """Return the accounts that could influence a read: known for stored texts and spaces, else anybody."""
    node, item = context.route.node, context.item
    is_stored = isinstance(node, File) and node.read is None
    if item is None or not (is_stored or item.kind == SPACE):
        return {EVERYBODY: f"a step fetched {context.requested}, which may hold what anybody wrote"}
    shown = f"{context.requested}, which a step fetched"
    authors = [leaf.author for leaf in context.world.leaves.texts(item.id, context.rel, 0)]
    if (leaf := context.leaf(context.rel)) is not None:
        authors.append(leaf.author)
    names = {name for author in authors for name in (author or "").split()}
    return {**dict.fromkeys(names, f"wrote {shown}"), **item_people(context.world, item.id, shown)}
