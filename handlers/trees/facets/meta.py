"""Entries of every resource: names, texts, short id, address, shares, tags and who may see it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from handlers.rules.expiry import PREFIX
from handlers.rules.kinds import VISUALS, ResourceKind
from handlers.services.descriptions import description_html
from handlers.services.viewer import hints_of
from handlers.services.world import World
from handlers.trees.facets.activity import activity
from handlers.trees.facets.links import LINKS, holding_of, is_open
from handlers.trees.facets.renames import used_by
from handlers.trees.facets.shares import PENDING, pending_shares, shares
from handlers.trees.facets.tags import tags
from vfs.access import Access, Holding, Verb, holdings, public_holding
from vfs.call import Data
from vfs.context import Context
from vfs.nodes import File, Node, Rules
from vfs.parts import SEEN_BY_ALL, line, mine, text, value
from vfs.ports.items import Item
from vfs.ports.social import CATEGORY
from vfs.rules import INFO, OWNER, R
from vfs.texts import several_texts

PUBLIC = "public"
MOST_NAMED = 3
MOST_COUNTED = 500
"""Most shares listed, and most people counted in a group, because each view of a page asks for them."""


def read_audience(context: Context[World]) -> Data:
    """Return who may see an item: users, groups with their sizes, the public, and people with a link.

    Lists and counts at most MOST_COUNTED shares and people of a group; `more` says there may be others.
    """
    world, item = context.world, context.here
    reached = world.grants.grant_counts(item.id, MOST_COUNTED)
    people = [target.removeprefix("@") for target in reached if "~" not in target and target != PUBLIC]
    groups = {target: count for target, count in reached.items() if "~" in target}
    owner = world.people.users.find(item.owner)
    is_public = PUBLIC in reached and owner is not None and owner.public
    more = len(reached) == MOST_COUNTED
    links = sum(is_open(world, link) for link in world.social.links.of(item.id))
    facts = {
        "words": _words(people, groups, links, is_public=is_public, more=more),
        "people": people,
        "groups": [{"group": group, "people": count} for group, count in groups.items()],
        "public": is_public,
        "links": links,
        "more": more or MOST_COUNTED in groups.values(),
    }
    return Data(facts, lambda reported: f"{reported['words']}\n")


def _words(
    people: Sequence[str], groups: Mapping[str, int], links: int, *, is_public: bool, more: bool
) -> str:
    """Return one sentence: `You, @bob, and the 12 people of @ann~birds; not public`."""
    if is_public:
        return "Everybody: it is public"
    named = [f"@{name}" for name in people[:MOST_NAMED]]
    if len(people) > MOST_NAMED:
        named.append(f"{len(people) - MOST_NAMED} more people")
    listed = list(groups.items())
    named += [f"the {_people(count)} of {name}" for name, count in listed[:MOST_NAMED]]
    if len(listed) > MOST_NAMED:
        named.append(f"the people of {len(listed) - MOST_NAMED} more groups")
    if more:
        named.append("others")
    if links:
        named.append("everybody with its link" if links == 1 else f"everybody with one of its {links} links")
    if not named:
        return "You alone; not public"
    *first, last = ["You", *named]
    return f"{', '.join(first)}{',' if len(first) > 1 else ''} and {last}; not public"


def _people(count: int) -> str:
    if count >= MOST_COUNTED:
        return f"{MOST_COUNTED} or more people"
    return f"{count} {'people' if count > 1 else 'person'}"


def audience() -> File:
    """Return the node `seen_by` of a resource of any kind, hidden for everyone but its owner."""
    mine = OWNER & R
    return value(
        read_audience,
        rules={Verb.READ: mine},
        listed=mine,
        hidden=True,
        about="who sees it, in words; for its owner only",
    )


ACCESS = {
    Access.READ: "read",
    Access.INFO: "info",
    Access.WRITE: "write",
    Access.EXECUTE: "execute",
    Access.DELETE: "delete",
}


def access_entries(context: Context[World]) -> Data:
    """Return an entry for the owner, for each user whom shares reach, for the public, and for each link."""
    return Data([_entry(holding) for holding in _holdings(context)])


def _holdings(context: Context[World]) -> Iterator[Holding]:
    grants, users, item = context.world.grants, context.world.people.users, context.here
    confers = context.confers
    yield from holdings(item.owner, grants.holders(item.id), confers)
    for grant in grants.on(item.id):
        if grant.target == PUBLIC:
            owner = users.find(item.owner)
            yield public_holding(grant, confers, effective=owner is not None and owner.public)
    for link in context.world.social.links.of(item.id):
        yield holding_of(context, link)


def _entry(holding: Holding) -> dict[str, object]:
    tail = f"~{''.join(holding.permissions)}" if holding.permissions else ""
    nobody = holding.via[0] if holding.via[0].startswith(PREFIX) else PUBLIC
    return {
        "name": nobody if holding.user is None else f"@{holding.user}{tail}",
        "target": None if holding.user is None else f"/v1/users/{holding.user}",
        "permissions": holding.permissions,
        "access": [word for access, word in ACCESS.items() if access in holding.access],
        "via": holding.via,
        "type": "file" if holding.user is None else "link",
    }


def access() -> File:
    """Return the node `access` of a resource of any kind, hidden for everyone but its owner."""
    mine = OWNER & R
    return value(
        access_entries,
        rules={Verb.READ: mine},
        listed=mine,
        hidden=True,
        about="who has which permissions, through which shares; for its owner only",
    )


def markdown(about: str, rules: Rules = MappingProxyType({}), *, kept: bool = True) -> File:
    """Return a file of markdown text whose JSON form is `{raw, html}`."""
    return text(about=about, data=faces, rules=rules, kept=kept)


def faces(context: Context[World], raw: str) -> dict[str, str]:
    """Return a text in Markdown, as it is and as HTML."""
    return {"raw": raw, "html": description_html(context.world, raw, context.here.owner)}


def meta(kind: ResourceKind, rules: Rules = MappingProxyType({})) -> Mapping[str, Node]:
    """Return the entries that resources of every kind share; `rules` replaces rules of its texts."""
    return {
        "name": line(about="display name", rules={**rules, Verb.READ: INFO}),
        "summary": line(about="one line about it", rules=rules),
        "description": markdown("long text, markdown", rules=rules),
        "shortname": value(lambda p: p.here.shortname, rules=SEEN_BY_ALL, about="short id, made at creation"),
        "url": value(
            lambda p: kind.page(hints_of(p.call).origin, p.here),
            rules=SEEN_BY_ALL,
            about="canonical web address",
        ),
        "notifications": mine(
            "ignore",
            "info",
            "important",
            default="info",
            about="which of its events notify the caller",
        ),
        "shared": shares(kind, LINKS if kind.family == VISUALS else None),
        PENDING: pending_shares(kind),
        "access": access(),
        "activity": activity(rules),
        "seen_by": audience(),
        "tags": tags(),
        "used_by": used_by(kind),
        "texts": several_texts(),
    }


def with_tags(context: Context[World], copy: Item) -> None:
    """Copy the caller's own tags (interface, Documents), and the categories if the caller is the owner."""
    leaves = context.world.leaves
    for by in (f"@{context.me}", *((CATEGORY,) if context.owned else ())):
        for mark in leaves.under(context.here.id, f"tags/{by}"):
            leaves.put(copy.id, mark.rel, "", context.me)
