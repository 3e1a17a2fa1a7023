"""Renames: the items whose texts name an item, and their update or a warning about its new name."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from chains.language import named_items, result_lines
from chains.language.ast import Ref
from chains.language.named_items import short_name
from handlers.rules.kinds import ResourceKind
from handlers.services.copies import all_places_of
from handlers.services.rights import item_access
from handlers.services.world import World
from handlers.trees.facets.contexts import viewer_of
from handlers.trees.facets.found_rows import PAGES, count_of, key_of, page_of, rows_of, within_reach
from handlers.words.references import ReferencePlace, ReferencePlaces
from vfs.call import Data
from vfs.context import Context
from vfs.errors import Conflict, VfsError
from vfs.nodes import File
from vfs.parts import SEEN_BY_ALL, value
from vfs.path import Path
from vfs.ports.items import Item, ItemName
from vfs.ports.leaves import Leaf
from vfs.ports.search import Question

CONTENT, MAPPING, SPACES, CHAIN = "content", "mapping", "config/spaces", "config/chains"
PLAN, RESULTS = "config/plan", "config/results"
"""PLAN is the chain of a job as data, stored with its text."""
MOST_LOOKED_UP = 50


class Referrer(NamedTuple):
    """A file of an item that names another item: kind and name of the item, file, and full path."""

    kind: str
    name: str
    file: str
    path: Path


def referrers_of(kind: ResourceKind, world: World, was: Item) -> Iterator[Referrer]:
    """Yield the owner's files that name an item by its old name, at most MOST_LOOKED_UP."""
    kinds, named = world.service.kinds, ItemName(kind.letter, was.owner, was.name)
    for found, name, rel in world.social.search.naming_leaves(was.owner, named, MOST_LOOKED_UP):
        above = kinds.get(found)
        if above is not None and rel in above.refers_in:
            file = CHAIN if rel == PLAN else rel
            names = ("v1", "users", was.owner, above.family, above.folder, name, *file.split("/"))
            yield Referrer(found, name, file, Path(names))


def chain_ref(kind: ResourceKind, was: Item) -> Ref | None:
    """Return the reference by which a chain names an item; None for kinds that no chain names."""
    return kind.chain_ref(was.owner, was.name) if kind.chain_ref is not None else None


def used_by(kind: ResourceKind) -> File:
    """Return the leaf `used_by`: what names an item by path or short id, the last change first."""
    return value(
        lambda context: _read(context, kind),
        rules=SEEN_BY_ALL,
        query=PAGES,
        about="the resources that use it and that the caller may read, a page at a time",
    )


def _read(context: Context[World], kind: ResourceKind) -> Data:
    kinds, item, query = context.world.service.kinds, context.here, context.call.query
    readable = tuple(
        name
        for name, one in kinds.items()
        if one.refers_in and (one.candid or context.caller.name is not None)
    )
    question = Question(
        caller=context.caller.name,
        kinds=readable,
        readable=readable,
        naming=(ItemName(kind.letter, item.owner, item.name), short_name(item.shortname)),
        after=key_of(query.get("after", "")),
        most=count_of(query),
    )
    hits = context.world.social.search.find(within_reach(question, context.caller))
    return page_of(rows_of(context, hits, kinds), hits)


MOST_NAMED = 10

Draft = Mapping[tuple[str, str], tuple[str, ReferencePlaces | None]]
"""Contents of documents and mails, by their kind and name, with the positions of their references."""


class Mended(NamedTuple):
    """The new text, and the references in it that could not be changed."""

    text: str
    left: Sequence[str] = ()


def draft_mending(kind: ResourceKind, context: Context[World], name: str) -> Draft:
    """Return the positions of references in texts that name an item; runs outside a transaction."""
    world, was, viewer = context.world, context.here, viewer_of(context)
    named: dict[str, list[str]] = {}
    for one in referrers_of(kind, world, was):
        if one.file == CONTENT:
            named.setdefault(one.kind, []).append(one.name)
    draft: dict[tuple[str, str], tuple[str, ReferencePlaces | None]] = {}
    for above, names in named.items():
        found = world.items.all_named(above, [(was.owner, one) for one in names], (), was.owner)
        items = [one.item for one in found]
        texts = world.leaves.texts_of([item.id for item in items], [CONTENT])
        contents = [(item, texts.get(item.id, {}).get(CONTENT, "")) for item in items]
        for (item, text), places in zip(contents, all_places_of(viewer, above, contents), strict=True):
            draft[above, item.name] = text, places
    return draft


def finish_rename(kind: ResourceKind, context: Context[World], item: Item, draft: Draft | None) -> str:
    """Return a line for each of the owner's files that names the old name; with a draft, update them."""
    if item.name == context.here.name:
        return ""
    found = [one for one in referrers_of(kind, context.world, context.here) if _is_seen(context, one)]
    if draft is not None:
        return _mend(kind, context, item, found, draft)
    if not found:
        return ""
    was, name = context.here.name, item.name
    lines = [f"warning: {one.path} still names {was}, and does not find it any more" for one in found]
    back, again = json.dumps({"name": was}), json.dumps({"name": name, "mend": True})
    offer = (
        f"write {name} there, or rename it back and update them: "
        f"PATCH {Path(context.requested[:-1]) / name} with {back}, then {context.requested} with {again}"
    )
    return "".join(f"{line}\n" for line in (*_first(lines, "warning: and {} more"), offer))


def _is_seen(context: Context[World], one: Referrer) -> bool:
    """Return whether the caller's credential shows the owner, who renames, what names the item."""
    if context.caller.claim is None:
        return True
    found = context.world.items.find(one.kind, context.here.owner, one.name, context.here.owner)
    return found is not None and bool(item_access(context.world, found, context.caller))


def _mend(
    kind: ResourceKind, context: Context[World], item: Item, found: Sequence[Referrer], draft: Draft
) -> str:
    """Update the files; return a line for each, with the reason if it was not updated."""
    follow, left = [], []
    for one in found:
        try:
            mended = _follow(kind, context, item, one, draft)
        except VfsError as refusal:
            left.append(f"warning: {one.path} still names {context.here.name}: {refusal.detail}")
            continue
        if mended.text:
            follow.append(f"{one.path} follows")
        left += [
            f"warning: {one.path} still names {ref}, in a form that is not rewritten" for ref in mended.left
        ]
    if len(found) >= MOST_LOOKED_UP:
        left.append(
            f"warning: {MOST_LOOKED_UP} files were looked at; others may still name {context.here.name}"
        )
    lines = (*_first(follow, "and {} more"), *_first(left, "warning: and {} more"))
    return "".join(f"{line}\n" for line in lines)


def _first(lines: Sequence[str], rest: str) -> Iterator[str]:
    """Yield the first MOST_NAMED lines, and the number of the others."""
    yield from lines[:MOST_NAMED]
    if len(lines) > MOST_NAMED:
        yield rest.format(len(lines) - MOST_NAMED)


def _follow(kind: ResourceKind, context: Context[World], item: Item, one: Referrer, draft: Draft) -> Mended:
    """Write a file with the new name, as its owner would; the text is empty if nothing changes.

    Raises VfsError if the file cannot be written.
    """
    leaf = _leaf(context, one)
    text = leaf.text or ""
    if one.file == CONTENT:
        # The draft was made while the item itself, which may be a document, had its old name.
        renamed = (one.kind, one.name) == (item.kind, item.name)
        mended = _document(
            kind, context, item, text, draft.get((one.kind, context.here.name if renamed else one.name))
        )
    else:
        mended = Mended(_rewritten(kind, context.here, item.name, one, text))
    if mended.text == text:
        return mended._replace(text="")
    if leaf.author not in (None, context.me):
        raise Conflict(
            f"{_names(leaf.author)} wrote it, and it is read with the rights of its authors: "
            "write it yourself"
        )
    assert context.also is not None
    context.also.write(one.path, mended.text)
    return mended


def _names(author: str | None) -> str:
    return ", ".join(f"@{name}" for name in (author or "").split())


def _leaf(context: Context[World], one: Referrer) -> Leaf:
    """Return the file, locked until the transaction ends. Raises Conflict if it was removed."""
    world = context.world
    found = world.items.find(one.kind, context.here.owner, one.name, context.here.owner)
    held = found is not None and world.items.hold(found.item)
    leaf = world.leaves.get(found.item.id, one.file) if found is not None and held else None
    if leaf is None:
        raise Conflict("it no longer exists")
    return leaf


def _document(
    kind: ResourceKind,
    context: Context[World],
    item: Item,
    text: str,
    drafted: tuple[str, ReferencePlaces | None] | None,
) -> Mended:
    """Return the new content of a document or mail. Raises Conflict if it changed since the draft."""
    before, places = drafted or ("", None)
    if before != text or places is None:
        raise Conflict("it was written just now, or could not be read: write it yourself")
    was = ReferencePlace(0, context.here.owner, kind.letter, context.here.name)
    return Mended(places.with_name(text, was, item.name), places.unreached_refs(was))


def _rewritten(kind: ResourceKind, was: Item, name: str, one: Referrer, text: str) -> str:
    """Return the new text of a chain, of results, or of another file that names items in lines."""
    ref = chain_ref(kind, was)
    if one.file == CHAIN and ref is not None:
        return named_items.with_name(text, was.owner, ref, name)
    if one.file == RESULTS:
        return result_lines.with_name(text, was.owner, kind.letter, was.name, name)
    mend = kind.mended_in.get(one.file)
    return mend(text, was.owner, was.name, name) if mend is not None else text
