"""Told changes: which changes of resources are told as events, and to whom."""

from __future__ import annotations

from collections.abc import Sequence

from handlers.services.happenings import RUNS, Happening, tell
from handlers.services.world import World
from vfs.access import Verb
from vfs.call import Outcome, Reply
from vfs.nodes import File
from vfs.ports.items import Item
from vfs.spot import Visit

SHARES, DATA = "shared", "data"
UNTOLD = frozenset({RUNS, "threads", "tags", "notifications", "preview", "texts"})
"""Entries of an item whose changes are told otherwise, are nobody else's, or are none."""


def tell_change(place: Visit[World], verb: Verb, reply: Reply) -> None:
    """Tell what a call has changed in an item. Belongs into the transaction that changes it."""
    item = place.item
    if item is None or item.kind not in place.world.service.kinds:
        return
    first = place.rel.split("/", 1)[0]
    if not first:
        _tell_of_item(place, item, verb, reply)
    elif first == SHARES:
        _tell_of_share(place, item, verb)
    elif is_told(place, first):
        _tell_of_file(place, item, verb, first)


def _tell_of_item(place: Visit[World], item: Item, verb: Verb, reply: Reply) -> None:
    """Tell that an item was made, renamed or removed; of the last only its owner hears."""
    if verb is Verb.CREATE and reply.outcome is Outcome.CREATED:
        _tell(place, "resource", "created")
    elif verb is Verb.RENAME and reply.outcome is not Outcome.CREATED:
        _tell(place, "resource", "renamed")
    elif verb is Verb.REMOVE:
        _tell(place, "resource", "removed", gone=(item.owner, item.kind, item.name))


def _tell_of_share(place: Visit[World], item: Item, verb: Verb) -> None:
    """Tell a share to those who see it, and that one was taken back to the owner alone."""
    if verb is Verb.REMOVE:
        _tell(place, "share", "share_revoked", to=(item.owner,))
    else:
        _tell(place, "share", "share", place.rel)


def _tell_of_file(place: Visit[World], item: Item, verb: Verb, first: str) -> None:
    """Tell a change of a file to those who may read it, and of one that was removed to the owner."""
    to = (item.owner,) if verb is Verb.REMOVE and place.spot.holder is not None else ()
    _tell(place, "content", f"{first}_update", "" if to else place.rel, to)


def is_told(place: Visit[World], first: str) -> bool:
    """Whether a change there is one of the item, and not the caller's own mark or an order."""
    node = place.spot.node
    if first in UNTOLD or place.spot.still or (isinstance(node, File) and node.mine):
        return False
    # What a kind shows nobody as its data is sent to be worked on.
    return first != DATA or place.world.service.kinds[place.here.kind].data is not None


def _tell(
    place: Visit[World],
    event_class: str,
    event_type: str,
    below: str = "",
    to: Sequence[str] = (),
    gone: Sequence[str] = (),
) -> None:
    actor = place.caller.name or ""
    happening = Happening(event_class, event_type, actor, place.here.id, below, to=to, gone=gone)
    tell(place.world, happening)
