"""Entries of every resource: names, texts, short id, address, shares, tags and notification level."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from handlers.rules.kinds import VISUALS, ResourceKind
from handlers.rules.link_files import PREFIX
from handlers.services.descriptions import description_html
from handlers.services.hints import hints_of
from handlers.services.world import World
from handlers.trees.facets.activity import activity
from handlers.trees.facets.audience import audience
from handlers.trees.facets.links import LINKS, holding_of
from handlers.trees.facets.renames import used_by
from handlers.trees.facets.shares import PENDING, shares
from handlers.trees.facets.shares_pending import pending_shares
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

ACCESS = {
    Access.READ: "read",
    Access.INFO: "info",
    Access.WRITE: "write",
    Access.EXECUTE: "execute",
    Access.DELETE: "delete",
}
PUBLIC = "public"


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
