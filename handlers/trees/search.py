"""Search: resources of all kinds that the caller may see, by words, owners and tags, one page at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeVar

from handlers.rules.kinds import Kinds
from handlers.services.rights import item_access
from handlers.services.world import World
from handlers.trees.facets.found_rows import PAGES, count_of, key_of, page_of, rows_of, within_reach
from handlers.trees.facets.tags import is_tag
from vfs.access import Access, Caller, Verb
from vfs.call import Data
from vfs.context import Context
from vfs.errors import Invalid
from vfs.nodes import File
from vfs.parts import boolean, value
from vfs.path import NAME
from vfs.ports.search import Hits, NamedItem, Question, SearchOrder, Whose, asked_words
from vfs.ports.social import tag_rel
from vfs.rules import ANYONE

LONGEST = 200
MOST_COUNTED = 12
"""Most owners and tags that an answer counts."""
QUERY = {
    "q": f"beginnings of words of name, title, summary or owner, all of them; at most {LONGEST} characters",
    "kind": "resources of this kind, as plot or plots",
    "owner": "resources of this user",
    "tag": "resources with this tag: a tag of the caller's, or a category (=name)",
    "whose": "all that the caller may see (all), its own (mine), what others share with it (shared), or what "
    "is shared with everybody (public)",
    "sort": "the last change first (changed), the newest first (created), or by title (name)",
    "state": "yes: with the runs and schedules of jobs and the images of repos, for those who may read them, "
    "and with how many of the caller's own things use a job or a repo (`uses`)",
    "counts": "yes: with how many are found of each kind (`counts`), whatever `kind` says, and of those that "
    "it says how many of each owner (`owners`) and with each tag (`tags`), the 12 with the most; null where "
    "there are very many",
    **PAGES,
}
T = TypeVar("T", Whose, SearchOrder)


def search(kinds: Kinds) -> File:
    """Return the node `/v1/search`: a page of hits, and the key after which the next page begins."""
    return value(
        lambda context: _read(context, kinds),
        rules={Verb.READ: ANYONE},
        query=QUERY,
        about="resources that the caller may see, by words, kind, owner and tag, a page at a time",
    )


def _read(context: Context[World], kinds: Kinds) -> Data:
    question = _question(context.call.query, context.caller, kinds)
    hits = Hits((), None) if question is None else context.world.social.search.find(question)
    rows = rows_of(context, hits, kinds)
    if boolean(context.call.query.get("state") or "no"):
        _add_states(context, hits, rows, kinds)
    more = _counts(context, question, kinds) if boolean(context.call.query.get("counts") or "no") else {}
    return page_of(rows, hits, **more)


def _counts(context: Context[World], question: Question | None, kinds: Kinds) -> Mapping[str, object]:
    """Count the hits by kind, owner and tag; a count is None where there are very many hits."""
    if question is None:
        return {"counts": {}, "owners": {}, "tags": {}}
    search, every = context.world.social.search, tuple(kinds)
    found = search.count(within_reach(replace(question, kinds=every, readable=every), context.caller))
    tags = search.count_tags(question, MOST_COUNTED) if context.me else {}
    counted, owners = Counter[str](), Counter[str]()
    for (kind, owner), number in (found or {}).items():
        counted[kind] += number
        owners[owner] += number * (kind in question.kinds)
    return {
        "counts": None if found is None else dict(counted),
        "owners": None if found is None else _largest(owners),
        "tags": None if tags is None else {rel.rsplit("/", 1)[-1]: number for rel, number in tags.items()},
    }


def _largest(counted: Counter[str]) -> Mapping[str, int]:
    """Return the MOST_COUNTED names with the largest numbers, sorted by number and then by name."""
    some = sorted((name for name in counted if counted[name]), key=lambda name: (-counted[name], name))
    return {name: counted[name] for name in some[:MOST_COUNTED]}


def _question(query: Mapping[str, str], caller: Caller, kinds: Kinds) -> Question | None:
    """Return the question of a query; None for a tag without a signed-in caller. Raises Invalid."""
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
    owner, after, most = _owner(query.get("owner", "")), key_of(query.get("after", "")), count_of(query)
    if tag and caller.name is None:
        return None
    question = Question(
        caller=caller.name,
        kinds=wanted,
        readable=wanted,
        words=asked_words(text) if text else None,
        owner=owner,
        tag=tag_rel(tag, caller.name or "") if tag else "",
        whose=whose,
        order=order,
        after=after,
        most=most,
    )
    return within_reach(question, caller)


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


def _add_states(context: Context[World], hits: Hits, rows: list[dict[str, object]], kinds: Kinds) -> None:
    """Add the state of each item to its row, with one query for each kind, whatever the number of items."""
    facts: dict[str, dict[int, dict[str, object]]] = {}
    for one, row in zip(hits.found, rows, strict=True):
        if context.me and Access.READ in item_access(context.world, one, context.caller):
            facts.setdefault(one.item.kind, {})[one.item.id] = row
    for kind, some in facts.items():
        for item, state in kinds[kind].states(context.world, list(some)).items():
            some[item] |= state
    # A credential limited to some kinds must not learn how many items of other kinds there are.
    if context.me and context.caller.claim is None:
        _add_uses(context, hits, rows, kinds)


def _add_uses(context: Context[World], hits: Hits, rows: list[dict[str, object]], kinds: Kinds) -> None:
    """Add `uses`, the number of the caller's items that name a job or repo; one query for each kind."""
    found: dict[str, dict[NamedItem, dict[str, object]]] = {}
    for one, row in zip(hits.found, rows, strict=True):
        if kinds[one.item.kind].chain_ref is not None:
            found.setdefault(one.item.kind, {})[NamedItem(one.item.owner, one.item.name)] = row
    for kind, some in found.items():
        counted = context.world.social.search.count_naming(context.me, kinds[kind].letter, some)
        for named, row in some.items():
            row["uses"] = counted.get(named, 0)
