"""Reads of runs: whoever could decide what a run reads with its credential is behind the run."""

from __future__ import annotations

from chains.runs.records import Reasons
from handlers.services.run_people import item_people, note_fetched
from handlers.services.world import World
from vfs.access import EVERYBODY
from vfs.nodes import File
from vfs.spot import Visit

OWN = ("/v1/whoami", "/v1/token")
"""What tells a run of itself alone."""
SPACE = "space"


def note_read(place: Visit[World]) -> None:
    """Note who could decide what a run reads now; the credential of a person is none of that."""
    run = place.caller.run
    if run is not None and place.spot.template not in OWN:
        note_fetched(place.world, run, place.me, _people(place))


def _people(place: Visit[World]) -> Reasons:
    """Those who could decide what is read: known of stored texts and spaces, else it may be anybody."""
    node, item = place.spot.node, place.item
    is_stored = isinstance(node, File) and node.read is None
    if item is None or not (is_stored or item.kind == SPACE):
        return {EVERYBODY: f"a step fetched {place.asked}, which may hold what anybody wrote"}
    shown = f"{place.asked}, which a step fetched"
    authors = [leaf.author for leaf in place.world.leaves.texts(item.id, place.rel, 0)]
    if (leaf := place.leaf(place.rel)) is not None:
        authors.append(leaf.author)
    names = {name for author in authors for name in (author or "").split()}
    return {**dict.fromkeys(names, f"wrote {shown}"), **item_people(place.world, item.id, shown)}
