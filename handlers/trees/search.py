"""Search: resources of all kinds that the caller may see, by their words, owners and tags, page by page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from handlers.render.tables import table
from handlers.rules.kinds import Kinds, ResourceKind
from handlers.services.access import item_access
from handlers.services.hints import hints_of
from handlers.services.world import World
from handlers.trees.facets.tags import is_tag
from vfs.access import Access, Caller, Verb, letters
from vfs.call import Data
from vfs.errors import Invalid
from vfs.nodes import File
from vfs.parts import boolean, value
from vfs.path import NAME, Path
from vfs.place import Place
from vfs.ports.items import Found
from vfs.ports.search import Hits, PageKey, Question, SearchOrder, Whose
from vfs.ports.search_words import asked_words
from vfs.ports.social import tag_rel
from vfs.rules import ANYONE

LONGEST = 200
MOST = 100
PAGE = 50
HEADS = ("kind", "path", "changed", "title")
FAV = "fav"
QUERY = {
    "q": f"beginnings of words of name, title, summary or owner, all of them; at most {LONGEST} characters",
    "kind": "resources of this kind, as plot or plots",
    "owner": "resources of this user",
    "tag": "resources with this tag: a tag of the caller's, or a category (=name)",
    "whose": "all that the caller may see (all), its own (mine), what others share with it (shared), or what "
    "is shared with everybody (public)",
    "sort": "the last change first (changed), the newest first (created), or by title (name)",
    "count": f"how many are answered, from 1 to {MOST}; {PAGE} otherwise",
    "state": "yes: with the newest runs of jobs and the images of repos, for those who may read them",
    "after": "the place after which to go on: the `after` of the page before",
}
T = TypeVar("T", Whose, SearchOrder)


def search(kinds: Kinds) -> File:
    """The node `/v1/search`: a page of what is found, and the place after which the next one begins."""
    return value(
        lambda place: _read(place, kinds),
        rules={Verb.READ: ANYONE},
        query=QUERY,
        quick=False,
        about="resources that the caller may see, by words, kind, owner and tag, a page at a time",
    )


def _read(place: Place[World], kinds: Kinds) -> Data:
    question = _question(place.call.query, place.caller, kinds)
    hits = Hits((), None) if question is None else place.world.social.search.find(question)
    rows = _rows(place, hits, kinds)
    if boolean(place.call.query.get("state") or "no"):
        _add_states(place, hits, rows, kinds)
    said = {"found": rows, "after": f"{hits.after.value}~{hits.after.item}" if hits.after else ""}
    return Data(said, lambda _: _as_table(rows))


def _question(query: Mapping[str, str], caller: Caller, kinds: Kinds) -> Question | None:
    """What a query asks for; None where nobody has such a tag. Raises Invalid."""
    text, tag = query.get("q", "").strip(), query.get("tag", "")
    if len(text) > LONGEST:
        raise Invalid(f"q has {len(text)} characters, of {LONGEST} at most: look for fewer words")
    if tag and not is_tag(tag):
        raise Invalid(
            f'tag={tag[:80]}: that is no tag; tags are fav, archived and the like, "+name" and "=name"'
        )
    wanted = _kinds(query.get("kind", ""), kinds)
    order = _word(SearchOrder, "sort", query.get("sort", ""), SearchOrder.CHANGED)
    whose = _word(Whose, "whose", query.get("whose", ""), Whose.ALL)
    owner, after, most = _owner(query.get("owner", "")), _after(query.get("after", "")), _count(query)
    if tag and caller.name is None:
        return None
    return Question(
        caller=caller.name,
        kinds=tuple(name for name in wanted if _may(caller, name, Access.INFO)),
        readable=tuple(name for name in wanted if _may(caller, name, Access.READ)),
        words=asked_words(text) if text else None,
        owner=owner,
        tag=tag_rel(tag, caller.name or "") if tag else "",
        whose=whose,
        order=order,
        after=after,
        most=most,
    )


def _may(caller: Caller, kind: str, access: Access) -> bool:
    return caller.claim is None or access in caller.claim.mask(kind)


def _kinds(sent: str, kinds: Kinds) -> tuple[str, ...]:
    if not sent:
        return tuple(kinds)
    found = tuple(kind.name for kind in kinds.values() if sent in (kind.name, kind.folder))
    if not found:
        raise Invalid(f"kind={sent[:80]}: there is no such kind; kinds are {', '.join(sorted(kinds))}")
    return found


def _word(of: Callable[[str], T], name: str, sent: str, otherwise: T) -> T:
    try:
        return of(sent) if sent else otherwise
    except ValueError:
        known = ", ".join(type(otherwise))
        raise Invalid(f"{name}={sent[:80]}: send one of {known}") from None


def _owner(sent: str) -> str:
    name = sent.removeprefix("@")
    if name and NAME.fullmatch(name) is None:
        raise Invalid(f"owner={sent[:80]}: that is no user's name")
    return name


def _after(sent: str) -> PageKey | None:
    past, _, number = sent.rpartition("~")
    if not sent:
        return None
    if not (number.isascii() and number.isdigit() and len(number) < 19):
        raise Invalid(f"after={sent[:80]}: that is no place in a list; send the `after` of the page before")
    return PageKey(past, int(number))


def _count(query: Mapping[str, str]) -> int:
    sent = query.get("count", str(PAGE))
    if not (sent.isascii() and sent.isdigit() and len(sent) < 4 and 1 <= int(sent) <= MOST):
        raise Invalid(f"count={sent[:80]}: send a number from 1 to {MOST}")
    return int(sent)


def _rows(place: Place[World], hits: Hits, kinds: Kinds) -> list[dict[str, object]]:
    """A row for each hit, made of two looks more whatever their number."""
    fav = tag_rel(FAV, place.me)
    ids = [one.item.id for one in hits.found]
    texts = place.world.leaves.texts_of(ids, ("name", "summary", "config/type", fav))
    own = place.world.grants.targets(
        [one.item.id for one in hits.found if one.item.owner == place.caller.name]
    )
    rows = []
    for one in hits.found:
        may = item_access(place.world, one, place.caller)
        said = texts.get(one.item.id, {})
        read = said if Access.READ in may else {"name": said.get("name", "")}
        shared = own.get(one.item.id) or sorted({reach.target for reach in one.reaches})
        row = _row(place, kinds[one.item.kind], one, read)
        rows.append(
            {**row, "permissions": letters(may), "shared": shared, "fav": bool(place.me) and fav in said}
        )
    return rows


def _add_states(place: Place[World], hits: Hits, rows: list[dict[str, object]], kinds: Kinds) -> None:
    """Tell how items stand, as their kinds do, with few looks whatever their number."""
    told: dict[str, dict[int, dict[str, object]]] = {}
    for one, row in zip(hits.found, rows, strict=True):
        if place.me and Access.READ in item_access(place.world, one, place.caller):
            told.setdefault(one.item.kind, {})[one.item.id] = row
    for kind, some in told.items():
        for item, state in kinds[kind].states(place.world, list(some)).items():
            some[item] |= state


def _row(place: Place[World], kind: ResourceKind, found: Found, said: Mapping[str, str]) -> dict[str, object]:
    item = found.item
    return {
        "id": item.name,
        "name": said.get("name", "").strip() or item.name,
        "kind": kind.name,
        "author": item.owner,
        "shortname": item.shortname,
        "summary": said.get("summary", ""),
        "type": said.get("config/type") or kind.default_type,
        "uri": kind.page(hints_of(place.call).origin, item),
        "path": str(Path(("v1", "users", item.owner, kind.family, kind.folder, item.name))),
        "created": item.created_on,
        "updated": item.last_modified,
    }


def _as_table(rows: list[dict[str, object]]) -> str:
    names = ("kind", "path", "updated", "name")
    return table(HEADS, ([_plain(row[name]) for name in names] for row in rows))


def _plain(cell: object) -> str:
    return " ".join(str(cell).split())
