"""Organisations and groups by short paths: a card, pictures, and by kind letter what is shared with them."""

from __future__ import annotations

from functools import partial

from handlers.rules.kinds import Kinds, ResourceKind
from handlers.rules.ranks import CONFERS
from handlers.services.world import World
from handlers.trees.aliases.envelope import letters, picture, rows
from handlers.trees.facets.contexts import GROUP
from handlers.trees.people.group_lists import REFERENCE, list_visible_orgs
from handlers.trees.people.group_relation import enter, here, is_shown, relation
from handlers.trees.people.group_views import card
from vfs.access import Verb
from vfs.call import Data
from vfs.context import Context
from vfs.nodes import Dir, Each, File
from vfs.parts import value
from vfs.ports.groups import GroupKind, GroupRelation
from vfs.rules import INFO, SIGNED_IN, Rule

PICTURED = INFO & Rule(
    "sees pictures",
    lambda p: (found := relation(p)) is not None and (found.group.public or is_shown(p, "show_profile")),
    "a role there, as its profile is not shown",
)
LOOKED_INTO = INFO & Rule(
    "looks into it",
    lambda p: (
        (found := relation(p)) is not None and (found.role is not None or found.group.kind is GroupKind.ORG)
    ),
    "a role there",
)


def org_alias(kinds: Kinds) -> Each[GroupRelation]:
    """Return the node `/v1/o`: by name or reference, what a group shows and what is shared with it."""
    return Each(
        GROUP,
        Dir(
            {
                "card": value(card, rules={Verb.READ: INFO}, about="public information about it"),
                "banner": _picture("banner"),
                "img": _picture("image"),
                **letters(kinds, _letter, INFO & SIGNED_IN),
            },
            enter=enter,
            confers=CONFERS,
            rules={Verb.READ: INFO},
            about="an organisation or group by a short path",
        ),
        names=list_visible_orgs,
        has=_find_group,
        fixed=True,
        name=REFERENCE,
        rules={Verb.READ: SIGNED_IN},
        about="organisations by short paths; groups by their references",
    )


def _letter(kind: ResourceKind) -> File:
    return value(
        partial(_shared_rows, kind),
        rules={Verb.READ: LOOKED_INTO & SIGNED_IN},
        listed=LOOKED_INTO,
        hidden=SIGNED_IN,
        about=f"each {kind.name} that is shared with the caller there",
    )


def _shared_rows(kind: ResourceKind, context: Context[World]) -> Data:
    """Return rows of what is shared with the group, or with the caller's groups of the organisation."""
    found = here(context)
    groups = [found]
    if found.group.kind is GroupKind.ORG:
        groups = list(context.world.people.groups.under(found.group.ref, context.me))
    refs = [one.group.ref for one in groups if one.role is not None]
    return rows(context, context.world.items.through(kind.name, refs, context.me), kind)


def _picture(which: str) -> File:
    return picture(which, lambda context: context.here.id, PICTURED, f"its {which}")


def _find_group(context: Context[World], name: str) -> GroupRelation | None:
    """Return the group if the caller may see it; anonymous callers see only public organisations."""
    me = context.caller.name
    found = context.world.people.groups.find(name if name[0] in "+@" else f"+{name}", me)
    if found is None or not found.seen:
        return None
    return found if me is not None or found.group.kind is GroupKind.ORG else None
