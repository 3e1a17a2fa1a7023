"""From a folder's place to the entries that its caller sees there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from vfs.access import NOTHING, Access, Confers, Verb, access_of, letters
from vfs.call import Entry
from vfs.find import step_in
from vfs.nodes import Each, Ghost, Items, Link, Named, Subtree
from vfs.path import Path
from vfs.permission import allowed_verbs
from vfs.ports.world import Found, KernelWorld, Mark
from vfs.spot import Spot
from vfs.visit import Visit

ORDER = tuple(Verb)


def entries(place: Visit[KernelWorld]) -> list[Entry]:
    """Rows of a folder.

    The fixed ones come in the order of their declaration, items by name, others as their hook lists them.
    """
    node = place.spot.node
    if isinstance(node, Items):
        return _item_rows(place, place.spot, node)
    if isinstance(node, Each):
        return list(_entry_rows(place, place.spot, node))
    if isinstance(node, Subtree):
        return list(_subtree_rows(place, node))
    return list(_fixed_rows(place, place.spot))


def row(
    place: Visit[KernelWorld],
    created_on: str,
    last_modified: str,
    *,
    kind: str = "",
    target: str | None = None,
) -> Entry:
    """The row of one place."""
    may = allowed_verbs(place)
    verbs = tuple(verb for verb in ORDER if verb in may)
    held = letters(place.access) if place.item is not None else _implied_letters(verbs)
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


def row_of(place: Visit[KernelWorld]) -> Entry:
    """The row of a place with the stamps of its item; of an entry that tells its own as its folder does."""
    node = place.spot.node
    top = isinstance(node, Subtree) and not place.segment(node.param)
    if node.shown is not None and not place.vacant and not top:
        return _row(place, node.shown(place))
    born = place.item.created_on if place.item is not None else place.world.epoch
    return row(place, born, place.item.last_modified if place.item is not None else born)


def type_of(place: Visit[KernelWorld]) -> str:
    """`dir`, or `file` for everything without entries."""
    return "dir" if place.spot.is_folder(place) else "file"


def _implied_letters(verbs: tuple[Verb, ...]) -> tuple[str, ...]:
    """Letters of a place outside every item, read off the verbs that are usable there."""
    bits = NOTHING
    for verb, bit in ((Verb.READ, Access.READ), (Verb.WRITE, Access.WRITE), (Verb.REMOVE, Access.DELETE)):
        if verb in verbs:
            bits |= bit
    return letters(bits)


def _fixed_rows(place: Visit[KernelWorld], spot: Spot) -> Iterator[Entry]:
    born, stamps = _stamps(place)
    for name, child in spot.children.items():
        if isinstance(child.node, Link):
            shown = place.child(name, _target(place, child.node))
            shown.only = (
                child.node.only if place.only is None else place.only & (child.node.only or place.only)
            )
        else:
            shown = place.child(name, child)
        if not child.node.listed.test(shown):
            continue
        if isinstance(child.node, Ghost):
            yield Entry(name, str(shown.asked), "file", letters(place.access), (), born, born)
            continue
        step_in(shown, child.node)
        if shown.item is not None and shown.item is not place.item:
            yield row_of(shown)
            continue
        created_on, last_modified = stamps.get(shown.rel, (born, born))
        yield row(shown, created_on, last_modified)


def _target(place: Visit[KernelWorld], link: Link) -> Spot:
    """Target of a link, of which start-up has made sure."""
    at: Spot | None = place.tree.root if link.to.startswith("/") else place.tree.homes[place.here.kind]
    for name in link.to.strip("/").split("/"):
        assert at is not None
        at = at.children.get(name) or at.entry
    assert at is not None
    return at


def _stamps(place: Visit[KernelWorld]) -> tuple[str, Mapping[str, tuple[str, str]]]:
    """Stamps of a folder: its birth, and by path those of every leaf below it.

    Those of folders are their newest leaf's.
    """
    if place.item is None:
        return place.world.epoch, {}
    stamps: dict[str, tuple[str, str]] = {}
    cut = len(place.rel) + 1 if place.rel else 0
    for mark in place.world.leaves.under(place.item.id, place.rel):
        _note(stamps, mark, cut)
    return place.item.created_on, stamps


def _note(stamps: dict[str, tuple[str, str]], mark: Mark, cut: int) -> None:
    head = mark.rel[:cut] + mark.rel[cut:].split("/", 1)[0]
    created_on, last_modified = stamps.get(head, (mark.created_on, mark.last_modified))
    stamps[head] = (min(created_on, mark.created_on), max(last_modified, mark.last_modified))


def _item_rows(place: Visit[KernelWorld], spot: Spot, node: Items) -> list[Entry]:
    """Rows of items, each like the others of equal access and ownership."""
    assert spot.entry is not None
    owner = place.segment(node.owner) if node.owner is not None else None
    known: dict[tuple[Access, bool], Entry] = {}
    rows = []
    base = str(place.asked)
    for found in place.world.items.visible(node.kind.name, owner, place.caller.name):
        item = found.item
        access = access_of(item.owner, item.kind, found.reaches, place.caller, node.kind.confers)
        if not access:
            continue
        like = known.get((access, item.owner == place.caller.name))
        if like is None:
            like = known[access, item.owner == place.caller.name] = _item_row(
                place, spot.entry, found, access, node.kind.confers
            )
        rows.append(
            Entry(
                item.name,
                f"{base}/{item.name}",
                like.type,
                like.permissions,
                like.verbs,
                item.created_on,
                item.last_modified,
            )
        )
    return rows


def _item_row(
    place: Visit[KernelWorld], entry: Spot, found: Found, access: Access, confers: Confers
) -> Entry:
    shown = place.child(found.item.name, entry)
    shown.enter(found.item, found.reaches, access, confers)
    return row(shown, found.item.created_on, found.item.last_modified)


def _entry_rows(place: Visit[KernelWorld], spot: Spot, node: Each[Any]) -> Iterator[Entry]:
    assert spot.entry is not None
    for named in _leaves(place) if node.names is None else node.names(place):
        shown = place.child(named.name, spot.entry)
        shown.match(node.param, named.name, named.fact)
        step_in(shown, spot.entry.node)
        if spot.entry.node.listed.test(shown):
            yield _row(shown, named)


def _leaves(place: Visit[KernelWorld]) -> Iterator[Named]:
    for rel, (created_on, last_modified) in _stamps(place)[1].items():
        yield Named(rel.rsplit("/", 1)[-1], created_on, last_modified)


def _subtree_rows(place: Visit[KernelWorld], node: Subtree[Any]) -> Iterator[Entry]:
    """Rows of a tree, each like the other folders or files."""
    known: dict[bool, Entry] = {}
    base = str(place.asked)
    for named in node.names(place):
        folder = node.folder(named.fact) if named.folder is None else named.folder
        like = known.get(folder)
        if like is None:
            like = known[folder] = _row(_below(place, node, named), named)
        yield Entry(
            named.name,
            base + str(Path((named.name,))),
            like.type,
            like.permissions,
            like.verbs,
            named.created_on,
            named.last_modified,
            named.target,
            named.extra,
        )


def _below(place: Visit[KernelWorld], node: Subtree[Any], named: Named) -> Visit[KernelWorld]:
    shown = place.child(named.name, place.spot)
    rest = place.segment(node.param)
    shown.match(node.param, f"{rest}/{named.name}" if rest else named.name, named.fact)
    return shown


def _row(place: Visit[KernelWorld], named: Named) -> Entry:
    kind = "" if named.folder is None else ("dir" if named.folder else "file")
    shown = row(place, named.created_on, named.last_modified, kind=kind, target=named.target)
    return shown if named.extra is None else replace(shown, extra=named.extra)
