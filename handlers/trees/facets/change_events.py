"""Change signals: which changes of resources are sent as events, and to which accounts."""

from __future__ import annotations

from collections.abc import Sequence

from handlers.services.happenings import RUNS, Happening, publish
from handlers.services.world import World
from vfs.access import Verb
from vfs.call import Outcome, Reply
from vfs.nodes import File
from vfs.ports.items import Item
from vfs.route import RoutedContext

SHARES, DATA = "shared", "data"
SILENT = frozenset({RUNS, "threads", "tags", "notifications", "preview", "texts"})
"""Entries of an item whose changes have other signals, concern only the caller, or store nothing."""


def publish_change(context: RoutedContext[World], verb: Verb, reply: Reply) -> None:
    """Send the signal of a call's change in an item. Call it in the transaction that makes the change."""
    item = context.item
    if item is None or item.kind not in context.world.service.kinds:
        return
    first = context.rel.split("/", 1)[0]
    if not first:
        _publish_item(context, item, verb, reply)
    elif first == SHARES:
        _publish_share(context, item, verb)
    elif is_announced(context, first):
        _publish_file(context, item, verb, first)


def _publish_item(context: RoutedContext[World], item: Item, verb: Verb, reply: Reply) -> None:
    """Send the signal that an item was made, renamed or removed; only its owner gets the last one."""
    if verb is Verb.CREATE and reply.outcome is Outcome.CREATED:
        _publish(context, "resource", "created")
    elif verb is Verb.RENAME and reply.outcome is not Outcome.CREATED:
        _publish(context, "resource", "renamed")
    elif verb is Verb.REMOVE:
        _publish(context, "resource", "removed", gone=(item.owner, item.kind, item.name))


def _publish_share(context: RoutedContext[World], item: Item, verb: Verb) -> None:
    """Send the signal of a share to those who may see it; of a revoked share only to the owner."""
    if context.route.holder is None:
        return  # a file of a link
    if verb is Verb.REMOVE:
        _publish(context, "share", "share_revoked", to=(item.owner,))
    else:
        _publish(context, "share", "share", context.rel)


def _publish_file(context: RoutedContext[World], item: Item, verb: Verb, first: str) -> None:
    """Send the signal of a changed file to its readers; of a removed one only to the owner."""
    to = (item.owner,) if verb is Verb.REMOVE and context.route.holder is not None else ()
    _publish(context, "content", f"{first}_update", "" if to else context.rel, to)


def is_announced(context: RoutedContext[World], first: str) -> bool:
    """Return whether a change there is one of the item itself, and not a mark of the caller or a command."""
    node = context.route.node
    if first in SILENT or context.route.still or (isinstance(node, File) and node.mine):
        return False
    # `data` of a kind that does not show it is a command, such as the trigger of a job.
    return first != DATA or context.world.service.kinds[context.here.kind].data is not None


def _publish(
    context: RoutedContext[World],
    event_class: str,
    event_type: str,
    below: str = "",
    to: Sequence[str] = (),
    gone: Sequence[str] = (),
) -> None:
    actor = context.caller.name or ""
    happening = Happening(event_class, event_type, actor, context.here.id, below, to=to, gone=gone)
    publish(context.world, happening)
