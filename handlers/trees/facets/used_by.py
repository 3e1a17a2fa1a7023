"""Users of an item: the items whose texts name it, of those that the caller may read."""

from __future__ import annotations

from collections.abc import Iterator

from chains.language.named_items import short_name
from handlers.rules.kinds import ResourceKind
from handlers.services.world import World
from handlers.trees.facets.found_rows import PAGES, count_of, key_of, may_see, page_of, rows_of
from vfs.access import Access
from vfs.call import Data
from vfs.nodes import File
from vfs.parts import SEEN_BY_ALL, value
from vfs.place import Place
from vfs.ports.items import ItemName
from vfs.ports.search import Question


def used_by(kind: ResourceKind) -> File:
    """The leaf `used_by`: what names an item by path or short id, the last change first."""
    return value(
        lambda place: _read(place, kind),
        rules=SEEN_BY_ALL,
        query=PAGES,
        about="the resources that use it, of those that the caller may read, a page at a time",
    )


def _read(place: Place[World], kind: ResourceKind) -> Data:
    kinds, item, query = place.world.service.kinds, place.here, place.call.query
    readable = tuple(_readable(place))
    question = Question(
        caller=place.caller.name,
        kinds=readable,
        readable=readable,
        naming=(ItemName(kind.letter, item.owner, item.name), short_name(item.shortname)),
        after=key_of(query.get("after", "")),
        most=count_of(query),
    )
    hits = place.world.social.search.find(question)
    return page_of(rows_of(place, hits, kinds), hits)


def _readable(place: Place[World]) -> Iterator[str]:
    """The kinds that name others and whose texts are told to the caller, as far as its credential reaches."""
    for kind in place.world.service.kinds.values():
        told = kind.candid or place.caller.name is not None
        if kind.refers_in and told and may_see(place.caller, kind.name, Access.READ):
            yield kind.name
