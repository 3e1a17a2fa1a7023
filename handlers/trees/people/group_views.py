"""Read-only views of groups: their card, the caller's role, and what is shared with them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial

from handlers.rules.kinds import Kinds
from handlers.rules.ranks import CONFERS
from handlers.services.world import World
from handlers.trees.facets.meta import faces
from handlers.trees.facets.threads import threads
from handlers.trees.people.group_admin import email, mail_address
from handlers.trees.people.group_relation import (
    CARD_SEEN,
    DESCRIPTION_SEEN,
    MEMBER,
    PENDING,
    ROSTER_SEEN,
    SEES,
    enter,
    enter_shown,
    here,
    is_shown,
    relation,
)
from handlers.trees.people.group_shared import shared_folder
from handlers.trees.people.roles import MEMBER_NAME, MEMBER_PARAM, find_member, list_members
from handlers.words.tables import pairs
from vfs.access import Role, Verb
from vfs.call import Data
from vfs.context import Context
from vfs.nodes import Dir, Each, Named, Node
from vfs.parts import value
from vfs.ports.groups import GroupKind, Member
from vfs.ports.leaves import text_at
from vfs.rules import SIGNED_IN, R, Rule

COLOURS = ("primary_color", "secondary_color")
MAILED = MEMBER & Rule(
    "org group",
    lambda p: (found := relation(p)) is not None and found.group.kind is GroupKind.ORG_GROUP,
    "a group of an organisation",
)


def view(profile: Mapping[str, Node] | None = None, **more: Node) -> Dir:
    """Return a read-only view of a group, with entries below its profile and the entries of `more`."""
    return Dir(
        {
            "name": value(name, rules={Verb.READ: SEES}, about="display name"),
            "description": value(
                lambda context: text_at(context.world.leaves, context.here.id, "description"),
                data=faces,
                rules={Verb.READ: DESCRIPTION_SEEN},
                listed=DESCRIPTION_SEEN,
                hidden=SIGNED_IN,
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
    """Return the card as a file, or as the text of a folder if it has entries."""
    rules, about = {Verb.READ: CARD_SEEN}, "public information about it"
    if entries is None:
        return value(card, rules=rules, listed=CARD_SEEN, hidden=SIGNED_IN, about=about)
    return Dir(entries, read=card, rules=rules, listed=CARD_SEEN, hidden=SIGNED_IN, about=about)


def group_view(kinds: Kinds) -> Dir:
    """Return the read-only view of a user group or org group."""
    return view(email=email(MAILED), shared=shared_folder(kinds))


def name(context: Context[World]) -> str:
    """Return the display name of a group if its profile is shown, else its slug."""
    return shown_name(context, lambda: text_at(context.world.leaves, context.here.id, "name"))


def shown_name(context: Context[World], kept: Callable[[], str]) -> str:
    """Return the name that `kept` returns if the profile is shown, else the slug of the group."""
    shown = kept() if is_shown(context, "show_profile") else ""
    return shown or here(context).group.name


def card(context: Context[World]) -> Data:
    """Return the card of a group; hidden fields are null or left out."""
    group, leaves = here(context).group, context.world.leaves
    kept = {leaf.rel: leaf for leaf in leaves.texts(group.item.id, "")}
    said = {rel: leaf.text or "" for rel, leaf in kept.items()}
    facts: dict[str, object] = {
        "id": group.ref,
        "type": group.kind,
        "name": name(context),
        "description": said.get("description", "") if is_shown(context, "show_description") else None,
        "public": group.public,
        "image": "picture/image" in kept,
        "banner": "picture/banner" in kept,
        "created_on": group.created_on,
    }
    if group.kind is GroupKind.ORG:
        facts |= {colour: said.get(f"options/{colour}") or None for colour in COLOURS}
    if group.kind is GroupKind.ORG_GROUP:
        facts["email"] = mail_address(context) if MEMBER.test(context) else None
    return Data(facts, pairs)


def _role(context: Context[World]) -> str:
    role = here(context).role
    return role.value if role is not None else ""


def _roster() -> Dir:
    folders = {
        role.value: Each(
            MEMBER_PARAM,
            value(lambda context: context[MEMBER_PARAM].role.value, about="a user in this role"),
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
        enter=enter_shown("show_members"),
        confers=CONFERS,
        rules={Verb.READ: ROSTER_SEEN},
        listed=ROSTER_SEEN,
        about="who is in it, by role",
    )


def _members(role: Role, context: Context[World]) -> Iterator[Named]:
    return (replace(row, extra=None) for row in list_members(role, context))


def _find_member(role: Role, context: Context[World], name: str) -> Member | None:
    found = find_member(role, context, name)
    return found if found is not None and found.pending is name.startswith(PENDING) else None
