"""Stored actions: which changes of resources are shown in their `activity`."""

from __future__ import annotations

from handlers.rules.link_files import PREFIX as LINK
from handlers.rules.targets import TargetKind, parse
from handlers.services.world import World
from handlers.trees.facets.activity import COMMENTED
from handlers.trees.facets.change_events import SHARES, is_announced, publish_change
from handlers.trees.facets.threads import FOLDER as THREADS
from vfs.access import Verb
from vfs.call import Outcome, Reply
from vfs.route import RoutedContext

MADE, RENAMED, WROTE, CLEARED = "made", "renamed", "wrote", "cleared"
SHARED, UNSHARED, PUBLISHED, WITHDREW = "shared", "unshared", "made public", "made private"
CONFIG = "config"
LONGEST = 256
"""Most characters of a path that are stored."""


def note_change(context: RoutedContext[World], verb: Verb, reply: Reply) -> None:
    """Store the action of a call, and send change signals."""
    keep_action(context, verb, reply)
    publish_change(context, verb, reply)


def keep_action(context: RoutedContext[World], verb: Verb, reply: Reply) -> None:
    """Store the action of a call on an item. Call it in the transaction that makes the change."""
    item, actor = context.item, context.caller.name
    if item is None or actor is None or item.kind not in context.world.service.kinds:
        return
    first = context.rel.split("/", 1)[0]
    kind, below, target = _WAYS.get(first, _of_file)(context, verb, reply)
    if kind:
        context.world.social.actions.add(context.here.id, actor, kind, below, target)


def _of_item(_: RoutedContext[World], verb: Verb, reply: Reply) -> tuple[str, str, str]:
    if verb is Verb.CREATE and reply.outcome is Outcome.CREATED:
        return MADE, "", ""
    if verb is Verb.RENAME and reply.outcome is not Outcome.CREATED:
        return RENAMED, "", ""
    return "", "", ""


def _of_share(context: RoutedContext[World], verb: Verb, _: Reply) -> tuple[str, str, str]:
    """Return the action for a share: it names its target, except that a public share has its own words.

    A link is its own target; what its files say is not stored.
    """
    (name, *file), is_over = context.rel.split("/")[1:], verb is Verb.REMOVE
    if name.startswith(LINK):
        return ("" if file else UNSHARED if is_over else SHARED), "", name
    target = parse(name)
    if target.kind is TargetKind.PUBLIC:
        return WITHDREW if is_over else PUBLISHED, "", ""
    return UNSHARED if is_over else SHARED, "", target.target


def _of_thread(_: RoutedContext[World], verb: Verb, reply: Reply) -> tuple[str, str, str]:
    is_new = verb is Verb.CREATE and reply.outcome is Outcome.CREATED
    return COMMENTED if is_new else "", THREADS, ""


def _of_file(context: RoutedContext[World], verb: Verb, _: Reply) -> tuple[str, str, str]:
    """Return the action for a file: its path; for settings only the first name, as more could be secret."""
    names = context.rel.split("/")
    if not is_announced(context, names[0]):
        return "", "", ""
    below = "/".join(names[:2] if names[0] == CONFIG else names)[:LONGEST]
    return CLEARED if verb is Verb.REMOVE else WROTE, below, ""


_WAYS = {"": _of_item, SHARES: _of_share, THREADS: _of_thread}
