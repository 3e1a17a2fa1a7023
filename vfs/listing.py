"""Rows of listings: what a caller is told of one place there, and the stamps of a folder."""

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
from vfs.spot import Facts, Rights, Visit

PLAIN = "text/plain"
ORDER = tuple(Verb)


def row(
    place: Visit[KernelWorld],
    created_on: str,
    last_modified: str,
    *,
    kind: str = "",
    target: str | None = None,
    facts: Facts | None = None,
) -> Entry:
    """The row of one place; `facts` are those of its item, where the caller has them at hand."""
    spot = place.spot
    if facts is None or not spot.alike or place.vacant or place.only is not None:
        verbs, held = rights_at(place)
    elif (found := spot.rights.get(facts)) is not None:
        verbs, held = found
    else:
        verbs, held = spot.rights[facts] = rights_at(place)
    return Entry(
        place.name,
        str(place.asked),
        kind or type_of(place),
        held,
        verbs,
        created_on,
        last_modified,
        target,
    )


def rights_at(place: Visit[KernelWorld]) -> Rights:
    """The verbs and letters of a caller at a place."""
    may = allowed_verbs(place)
    verbs = tuple(verb for verb in ORDER if verb in may)
    return verbs, letters(place.access) if place.item is not None else _implied_letters(verbs)


def row_of(place: Visit[KernelWorld]) -> Entry:
    """The row of a place with the stamps of its item; of an entry that tells its own as its folder does.

    What lies in such an entry has the entry's.
    """
    named = place.spot.own_row(place)
    if named is not None:
        return row_named(place, named)
    if times := place.spot.times(place):
        return row(place, *times)
    born = place.item.created_on if place.item is not None else place.world.epoch
    return row(place, born, place.item.last_modified if place.item is not None else born)


def reply_at(
    place: Visit[KernelWorld],
    value: Any,
    *,
    default: bool = False,
    folder: bool = False,
    media: str = PLAIN,
    signs: Signs = Signs.NONE,
) -> Reply:
    """The reply that a place is read with, with the letters that the caller has there."""
    held = letters(place.access) if place.item is not None else row(place, "", "").permissions
    if isinstance(value, Reply):
        return replace(value, permissions=held, folder=value.folder or folder, signs=signs)
    return Reply(value, media=media, permissions=held, default=default, folder=folder, signs=signs)


def type_of(place: Visit[KernelWorld]) -> str:
    """`dir`, `link`, or `file` for everything else without entries."""
    if place.spot.is_folder(place):
        return "dir"
    return "link" if place.spot.is_link(place) else "file"


def _implied_letters(verbs: tuple[Verb, ...]) -> tuple[str, ...]:
    """Letters of a place outside every item, read off the verbs that are usable there."""
    bits = NOTHING
    for verb, bit in ((Verb.READ, Access.READ), (Verb.WRITE, Access.WRITE), (Verb.REMOVE, Access.DELETE)):
        if verb in verbs:
            bits |= bit
    return letters(bits)


def stamps_below(place: Visit[KernelWorld]) -> tuple[tuple[str, str], Mapping[str, tuple[str, str]]]:
    """Stamps of what a folder holds: where nothing was written, and by path those of every leaf below it.

    Those of folders are their newest leaf's. What was never written is as old as its item, or has the times
    of the entry of the item (a run, a thread) that it lies in.
    """
    if place.item is None:
        return (place.world.epoch, place.world.epoch), {}
    stamps: dict[str, tuple[str, str]] = {}
    cut = len(place.rel) + 1 if place.rel else 0
    for mark in place.world.leaves.under(place.item.id, place.rel):
        _note(stamps, mark, cut)
    return place.spot.times(place) or (place.item.created_on, place.item.created_on), stamps


def _note(stamps: dict[str, tuple[str, str]], mark: Mark, cut: int) -> None:
    head = mark.rel[:cut] + mark.rel[cut:].split("/", 1)[0]
    created_on, last_modified = stamps.get(head, (mark.created_on, mark.last_modified))
    stamps[head] = (min(created_on, mark.created_on), max(last_modified, mark.last_modified))


def row_named(place: Visit[KernelWorld], named: Named) -> Entry:
    """The row of an entry as its hook tells of it."""
    kind = "link" if named.link else {None: "", True: "dir", False: "file"}[named.folder]
    shown = row(place, named.created_on, named.last_modified, kind=kind, target=named.target)
    return shown if named.extra is None else shown._replace(extra=named.extra)
