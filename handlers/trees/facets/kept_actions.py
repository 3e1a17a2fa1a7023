"""Records that the tree makes of calls: actions and events of changes, and whose texts a run reads."""

from __future__ import annotations

from collections.abc import Sequence

from chains.runs.records import Reasons
from handlers.rules.expiry import PREFIX as LINK
from handlers.rules.targets import TargetKind, parse
from handlers.services.happenings import RUNS, Happening, publish
from handlers.services.run_people import item_people, note_fetched
from handlers.services.world import World
from handlers.trees.facets.activity import COMMENTED
from handlers.trees.facets.threads import FOLDER as THREADS
from vfs.access import EVERYBODY, Verb
from vfs.call import Outcome, Reply
from vfs.nodes import File
from vfs.ports.items import Item
from vfs.route import RoutedContext

SHARED_FOLDER, DATA = "shared", "data"
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
    elif first == SHARED_FOLDER:
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


_WAYS = {"": _of_item, SHARED_FOLDER: _of_share, THREADS: _of_thread}


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
