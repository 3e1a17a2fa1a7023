"""Organisations and groups by short paths: a card, pictures, and by letter what is shared with them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from handlers.rules.kinds import Kinds, ResourceKind, kinds_by_letter
from handlers.rules.ranks import CONFERS
from handlers.services.world import World
from handlers.trees.aliases.rows import rows
from handlers.trees.facets.scopes import GROUP
from handlers.trees.people.group_admin import group_row
from handlers.trees.people.group_lists import REFERENCE
from handlers.trees.people.group_views import card
from handlers.trees.people.standing import enter, here, is_shown, standing
from vfs.access import Verb
from vfs.call import Data
from vfs.errors import NotFound
from vfs.nodes import Dir, Each, File, Named
from vfs.parts import value
from vfs.place import Place
from vfs.ports.groups import GroupKind, Standing
from vfs.ports.world import Ref
from vfs.rules import INFO, SIGNED_IN, Rule

PICTURED = INFO & Rule(
    "sees pictures",
    lambda p: (found := standing(p)) is not None and (found.group.public or is_shown(p, "show_profile")),
    "a role there, as its profile is not shown",
)
LOOKED_INTO = INFO & Rule(
    "looks into it",
    lambda p: (
        (found := standing(p)) is not None and (found.role is not None or found.group.kind is GroupKind.ORG)
    ),
    "a role there",
)


def org_alias(kinds: Kinds) -> Each[Standing]:
    """The node `/v1/o`: by name or reference, what a group shows and what is shared there."""
    return Each(
        GROUP,
        Dir(
            {
                "card": value(card, rules={Verb.READ: INFO}, about="what it shows of itself"),
                "banner": _picture("banner"),
                "img": _picture("image"),
                **{kind.letter: _letter(kind) for kind in kinds_by_letter(kinds)},
                "v": value(lambda place: Data([]), rules={Verb.READ: INFO & SIGNED_IN}, about="views: none"),
            },
            enter=enter,
            confers=CONFERS,
            rules={Verb.READ: INFO},
            about="an organisation or group by a short path",
        ),
        names=_list_orgs,
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
        veiled=SIGNED_IN,
        about=f"each {kind.name} that is shared with the caller there",
    )


def _shared_rows(kind: ResourceKind, place: Place[World]) -> Data:
    """Rows of what is shared with the group, or with the caller's groups of the organisation."""
    found = here(place)
    groups = [found]
    if found.group.kind is GroupKind.ORG:
        groups = list(place.world.people.groups.under(found.group.ref, place.me))
    refs = [one.group.ref for one in groups if one.role is not None]
    return rows(place, place.world.items.through(kind.name, refs, place.me), kind)


def _picture(which: str) -> File:
    def read(place: Place[World]) -> Ref:
        return picture(place, place.here.id, f"picture/{which}")

    return value(read, rules={Verb.READ: PICTURED}, about=f"its {which}")


def picture(place: Place[World], profile: int, rel: str) -> Ref:
    """The picture of a profile, by its item. Raises NotFound where there is none."""
    leaf = place.world.leaves.get(profile, rel)
    if leaf is None or leaf.blob is None:
        raise NotFound(f"there is no picture at {place.asked} yet")
    blob: Ref = leaf.blob
    return blob


def _list_orgs(place: Place[World]) -> Iterator[Named]:
    for one in place.world.people.groups.orgs(place.me):
        yield group_row(one.group.name, one)


def _find_group(place: Place[World], name: str) -> Standing | None:
    """The group, when the caller sees it; the public sees public organisations alone."""
    me = place.caller.name
    found: Standing | None = place.world.people.groups.find(name if name[0] in "+@" else f"+{name}", me)
    if found is None or not found.seen:
        return None
    return found if me is not None or found.group.kind is GroupKind.ORG else None
