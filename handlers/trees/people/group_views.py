"""Groups as they are read: what they show of themselves, the caller's role, and what is shared with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from handlers.render.markdown import html
from handlers.render.tables import pairs
from handlers.rules.kinds import Kinds
from handlers.rules.ranks import CONFERS
from handlers.services.world import World
from handlers.trees.facets.threads import threads
from handlers.trees.people.group_admin import address
from handlers.trees.people.group_shared import MEMBER, shared_folder
from handlers.trees.people.roles import MEMBER_NAME, MEMBER_PARAM, PENDING, is_visible
from handlers.trees.people.standing import (
    CARD_SEEN,
    DESCRIPTION_SEEN,
    ROSTER_SEEN,
    SEES,
    enter,
    here,
    is_shown,
    standing,
)
from vfs.access import Role, Verb
from vfs.call import Data
from vfs.nodes import Dir, Each, Named, Node
from vfs.parts import value
from vfs.place import Place
from vfs.ports.groups import GroupKind, Member
from vfs.ports.world import Found
from vfs.rules import SIGNED_IN, R, Rule

COLOURS = ("primary_color", "secondary_color")
MAILED = MEMBER & Rule(
    "org group",
    lambda p: (found := standing(p)) is not None and found.group.kind is GroupKind.ORG_GROUP,
    "a group of an organisation",
)


def view(profile: Mapping[str, Node] | None = None, **more: Node) -> Dir:
    """A group or organisation as it is read, with entries below its profile and `more` of its own."""
    return Dir(
        {
            "name": value(name, rules={Verb.READ: SEES}, about="display name"),
            "description": value(
                partial(_text, rel="description"),
                data=lambda _, raw: {"raw": raw, "html": html(raw)},
                rules={Verb.READ: DESCRIPTION_SEEN},
                listed=DESCRIPTION_SEEN,
                veiled=SIGNED_IN,
                about="long text, markdown",
            ),
            "profile": _profile(profile),
            "role": value(
                _role, rules={Verb.READ: SEES}, about="the caller's role; empty until it holds one"
            ),
            "roles": _roster(),
            "threads": threads(MEMBER, listed=R),
            **more,
        },
        enter=enter,
        confers=CONFERS,
        rules={Verb.READ: SEES},
        about="a group as the caller sees it",
    )


def _profile(entries: Mapping[str, Node] | None) -> Node:
    """The card, as a file, or as the face of a folder where something lies below it."""
    rules, about = {Verb.READ: CARD_SEEN}, "what it shows of itself"
    if entries is None:
        return value(card, rules=rules, listed=CARD_SEEN, veiled=SIGNED_IN, about=about)
    return Dir(entries, read=card, rules=rules, listed=CARD_SEEN, veiled=SIGNED_IN, about=about)


def group_view(kinds: Kinds) -> Dir:
    """A user group or org group as it is read."""
    return view(
        email=value(
            _email,
            rules={Verb.READ: MAILED},
            listed=MAILED,
            veiled=SIGNED_IN,
            about="its mail address; empty while mail is not enabled",
        ),
        shared=shared_folder(kinds),
    )


def name(place: Place[World]) -> str:
    """The display name of a group, where its profile is shown; else the name it is known by."""
    shown = _text(place, "name") if is_shown(place, "show_profile") else ""
    return shown or here(place).group.name


def card(place: Place[World]) -> Data:
    """The card of a group; what its options keep back is null or left out."""
    group, leaves = here(place).group, place.world.leaves
    kept = {leaf.rel: leaf for leaf in leaves.texts(group.item.id, "")}
    said = {rel: leaf.text or "" for rel, leaf in kept.items()}
    told: dict[str, Any] = {
        "id": group.ref,
        "type": group.kind,
        "name": name(place),
        "description": said.get("description", "") if is_shown(place, "show_description") else None,
        "public": group.public,
        "image": "picture/image" in kept,
        "banner": "picture/banner" in kept,
        "created_on": group.created_on,
    }
    if group.kind is GroupKind.ORG:
        told |= {colour: said.get(f"options/{colour}") or None for colour in COLOURS}
    if group.kind is GroupKind.ORG_GROUP:
        told["email"] = _mail(place) if MEMBER.test(place) else None
    return Data(told, pairs)


def _text(place: Place[World], rel: str) -> str:
    leaf = place.world.leaves.get(place.here.id, rel)
    return leaf.text or "" if leaf is not None else ""


def _role(place: Place[World]) -> str:
    role = here(place).role
    return role.value if role is not None else ""


def _mail(place: Place[World]) -> str | None:
    return address(place.world, place.world.service.settings.mail_domain, here(place).group)


def _email(place: Place[World]) -> Data:
    return Data(_mail(place), lambda told: told or "")


def _roster() -> Dir:
    folders = {
        role.value: Each(
            MEMBER_PARAM,
            value(lambda place: place[MEMBER_PARAM].role.value, about="a user in this role"),
            names=partial(_members, role),
            has=partial(_find_member, role),
            fixed=True,
            name=MEMBER_NAME,
            about=f"its {role}",
        )
        for role in Role
    }
    return Dir(
        folders,
        enter=_shown_members,
        confers=CONFERS,
        rules={Verb.READ: ROSTER_SEEN},
        listed=ROSTER_SEEN,
        about="who is in it, by role",
    )


def _shown_members(place: Place[World]) -> Found | None:
    """The item, for whoever sees its members; to others the folder is as absent as any."""
    return enter(place) if is_shown(place, "show_members") else None


def _members(role: Role, place: Place[World]) -> Iterator[Named]:
    """Those in the role, as far as the caller is told of them."""
    for member in place.world.people.members.roster(here(place).group.ref):
        if member.role is role and is_visible(place, member):
            name = f"{PENDING}{member.name}" if member.pending else member.name
            since = member.created_on
            yield Named(name, since, since, member, target=f"/v1/users/{member.name}")


def _find_member(role: Role, place: Place[World], name: str) -> Member | None:
    found: Member | None = place.world.people.members.find(here(place).group.ref, name.removeprefix(PENDING))
    if found is None or found.role is not role or found.pending is not name.startswith(PENDING):
        return None
    return found if is_visible(place, found) else None
