"""Rows of found items, page by page, as JSON and as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from handlers.rules.kinds import Kinds, ResourceKind
from handlers.services.rights import item_access
from handlers.services.viewer import hints_of
from handlers.services.world import World
from handlers.words.tables import table
from vfs.access import Access, Caller, letters
from vfs.call import Data
from vfs.context import Context
from vfs.errors import Invalid
from vfs.path import Path
from vfs.ports.items import Found
from vfs.ports.search import Hits, PageKey, Question, SingleItems
from vfs.ports.social import tag_rel

MOST = 100
PAGE = 50
HEADS = ("kind", "path", "changed", "title")
FAV = "fav"
PAGES = {
    "count": f"how many are answered, from 1 to {MOST}; {PAGE} otherwise",
    "after": "where to continue: the `after` of the page before",
}


def may_see(caller: Caller, kind: str, access: Access) -> bool:
    """Return whether a caller's credential gives this access to all items of a kind."""
    return caller.claim is None or access in caller.claim.mask(kind)


def within_reach(question: Question, caller: Caller) -> Question:
    """Limit a search to what the caller's credential may see and read."""
    single = SingleItems((), (), ())
    if caller.claim is not None and caller.claim.items:
        items = {id: one for id, one in caller.claim.items.items() if one.kind in question.kinds}
        narrow = {one.kind for one in items.values() if not may_see(caller, one.kind, Access.INFO)}
        readable = tuple(id for id, one in items.items() if Access.READ in one.access)
        single = SingleItems(tuple(sorted(narrow)), tuple(items), readable)
    seen = (name for name in question.kinds if name in single.kinds or may_see(caller, name, Access.INFO))
    read = (name for name in question.readable if may_see(caller, name, Access.READ))
    return replace(question, kinds=tuple(seen), readable=tuple(read), single=single if single.seen else None)


def key_of(sent: str) -> PageKey | None:
    """Return the position in a list that `after` names. Raises Invalid."""
    past, _, number = sent.rpartition("~")
    if not sent:
        return None
    if not (number.isascii() and number.isdigit() and len(number) < 19):
        raise Invalid(f"after={sent[:80]}: this is no page of a list; send the `after` of the page before")
    return PageKey(past, int(number))


def count_of(query: Mapping[str, str]) -> int:
    """Return the number of rows that a query asks for. Raises Invalid."""
    sent = query.get("count", str(PAGE))
    if not (sent.isascii() and sent.isdigit() and len(sent) < 4 and 1 <= int(sent) <= MOST):
        raise Invalid(f"count={sent[:80]}: send a number from 1 to {MOST}")
    return int(sent)


class SeenItem(NamedTuple):
    """A found item as the caller sees it: the access, readable texts, the caller's tags, and its shares.

    For the owner, `shared` has the targets of the shares; for others, those through which they have access.
    """

    found: Found
    access: Access
    texts: Mapping[str, str]
    tags: Sequence[str]
    shared: Sequence[str]


def seen_items(context: Context[World], found: Sequence[Found], tags: Sequence[str]) -> Iterator[SeenItem]:
    """Yield found items with those of these tags that they have; two queries whatever their number."""
    rels = {tag: tag_rel(tag, context.me) for tag in tags}
    ids = [one.item.id for one in found]
    texts = context.world.leaves.texts_of(ids, ("name", "summary", "config/type", *rels.values()))
    own = [one.item.id for one in found if one.item.owner == context.caller.name]
    targets = context.world.grants.targets(own)
    for one in found:
        may, said = item_access(context.world, one, context.caller), texts.get(one.item.id, {})
        read = said if Access.READ in may else {"name": said.get("name", "")}
        shared = targets.get(one.item.id) or sorted({grant.target for grant in one.effective_grants})
        yield SeenItem(one, may, read, [tag for tag, rel in rels.items() if rel in said], shared)


def rows_of(context: Context[World], hits: Hits, kinds: Kinds) -> list[dict[str, object]]:
    """Return a row for each hit."""
    return [
        _row(context, kinds[one.found.item.kind], one.found, one.texts)
        | {"permissions": letters(one.access), "shared": one.shared}
        | {"fav": bool(context.me and one.tags)}
        for one in seen_items(context, hits.found, [FAV])
    ]


def page_of(rows: list[dict[str, object]], hits: Hits, **more: object) -> Data:
    """Return a page of rows, the key of the next page ("" if there is none), and the fields of `more`."""
    said = {"found": rows, "after": f"{hits.after.value}~{hits.after.item}" if hits.after else "", **more}
    return Data(said, lambda _: _as_table(rows))


def _row(
    context: Context[World], kind: ResourceKind, found: Found, said: Mapping[str, str]
) -> dict[str, object]:
    item = found.item
    return {
        "id": item.name,
        "name": said.get("name", "").strip() or item.name,
        "kind": kind.name,
        "author": item.owner,
        "shortname": item.shortname,
        "summary": said.get("summary", ""),
        "type": said.get("config/type") or kind.default_type,
        "uri": kind.page(hints_of(context.call).origin, item),
        "path": str(Path(("v1", "users", item.owner, kind.family, kind.folder, item.name))),
        "created": item.created_on,
        "updated": item.last_modified,
    }


def _as_table(rows: list[dict[str, object]]) -> str:
    names = ("kind", "path", "updated", "name")
    return table(HEADS, ([_plain(row[name]) for name in names] for row in rows))


def _plain(cell: object) -> str:
    return " ".join(str(cell).split())
