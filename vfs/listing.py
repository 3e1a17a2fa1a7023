"""Rows of listings, and the time stamps of a folder's entries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from vfs.access import NOTHING, Access, Verb, letters
from vfs.call import Entry, Reply, Signs
from vfs.nodes import Named
from vfs.permission import allowed_verbs
from vfs.ports.leaves import Mark
from vfs.ports.world import KernelWorld
from vfs.route import Facts, Rights, RoutedContext

PLAIN = "text/plain"
ORDER = tuple(Verb)


def row(
    context: RoutedContext[KernelWorld],
    created_on: str,
    last_modified: str,
    *,
    kind: str = "",
    target: str | None = None,
    facts: Facts | None = None,
) -> Entry:
    """Return the row of one context; `facts` are those of its item, if the caller has them already."""
    route = context.route
    if facts is None or not route.alike or context.absent or context.only is not None:
        verbs, permissions = rights_at(context)
    elif (found := route.rights.get(facts)) is not None:
        verbs, permissions = found
    else:
        verbs, permissions = route.rights[facts] = rights_at(context)
    return Entry(
        context.name,
        str(context.requested),
        kind or type_of(context),
        permissions,
        verbs,
        created_on,
        last_modified,
        target,
    )


def rights_at(context: RoutedContext[KernelWorld]) -> Rights:
    """Return the verbs and permission letters of a caller at a context."""
    may = allowed_verbs(context)
    verbs = tuple(verb for verb in ORDER if verb in may)
    return verbs, letters(context.access) if context.item is not None else _implied_letters(verbs)


def row_of(context: RoutedContext[KernelWorld]) -> Entry:
    """Return the row of a context, with the time stamps from `shown` of its node, else those of its item.

    Files inside an entry that has time stamps get those of the entry.
    """
    named = context.route.own_row(context)
    if named is not None:
        return row_named(context, named)
    if times := context.route.times(context):
        return row(context, *times)
    born = context.item.created_on if context.item is not None else context.world.epoch
    return row(context, born, context.item.last_modified if context.item is not None else born)


def reply_at(
    context: RoutedContext[KernelWorld],
    value: Any,
    *,
    default: bool = False,
    folder: bool = False,
    media: str = PLAIN,
    signs: Signs = Signs.NONE,
) -> Reply:
    """Return the reply to a read, with the permission letters that the caller has there."""
    permissions = letters(context.access) if context.item is not None else row(context, "", "").permissions
    if isinstance(value, Reply):
        return replace(value, permissions=permissions, folder=value.folder or folder, signs=signs)
    return Reply(value, media=media, permissions=permissions, default=default, folder=folder, signs=signs)


def type_of(context: RoutedContext[KernelWorld]) -> str:
    """Return `dir`, `link`, or `file` for everything else without entries."""
    if context.route.is_folder(context):
        return "dir"
    return "link" if context.route.is_link(context) else "file"


def _implied_letters(verbs: tuple[Verb, ...]) -> tuple[str, ...]:
    """Return the permission letters outside every item, derived from the verbs that are allowed."""
    bits = NOTHING
    for verb, bit in ((Verb.READ, Access.READ), (Verb.WRITE, Access.WRITE), (Verb.REMOVE, Access.DELETE)):
        if verb in verbs:
            bits |= bit
    return letters(bits)


def stamps_below(
    context: RoutedContext[KernelWorld],
) -> tuple[tuple[str, str], Mapping[str, tuple[str, str]]]:
    """Return the time stamps of unwritten files in a folder, and those of written leaves below it, by path.

    A subfolder has the first and last stamps of its leaves. An unwritten file is as old as its item, or has
    the times of the entry (a run, a thread) that contains it.
    """
    if context.item is None:
        return (context.world.epoch, context.world.epoch), {}
    stamps: dict[str, tuple[str, str]] = {}
    cut = len(context.rel) + 1 if context.rel else 0
    for mark in context.world.leaves.under(context.item.id, context.rel):
        _note(stamps, mark, cut)
    return context.route.times(context) or (context.item.created_on, context.item.created_on), stamps


def _note(stamps: dict[str, tuple[str, str]], mark: Mark, cut: int) -> None:
    head = mark.rel[:cut] + mark.rel[cut:].split("/", 1)[0]
    created_on, last_modified = stamps.get(head, (mark.created_on, mark.last_modified))
    stamps[head] = (min(created_on, mark.created_on), max(last_modified, mark.last_modified))


def row_named(context: RoutedContext[KernelWorld], named: Named) -> Entry:
    """Return the row of an entry with the values that its hook gives."""
    kind = "link" if named.link else {None: "", True: "dir", False: "file"}[named.folder]
    shown = row(context, named.created_on, named.last_modified, kind=kind, target=named.target)
    return shown if named.extra is None else shown._replace(extra=named.extra)
