"""Management of groups and organisations: create, find by name, and remove."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from handlers.rules.ranks import CONFERS
from handlers.services.mails.mail_addresses import address_of
from handlers.services.world import World
from handlers.trees.facets.contexts import GROUP, ORG
from handlers.trees.facets.threads import threads
from handlers.trees.people.group_profile import ORGANISATION, found_organisation, profile
from handlers.trees.people.group_relation import (
    BELONGS,
    FOUNDS,
    LEADS,
    SEES,
    enter,
    here,
    relation,
    takes_back,
    visible_group,
)
from handlers.trees.people.inbound import INBOUND
from handlers.trees.people.roles import roles
from vfs.access import Verb
from vfs.call import Data, Outcome, Reply
from vfs.context import Context
from vfs.errors import Conflict
from vfs.nodes import Dir, Each, File, Named, Node
from vfs.parts import value
from vfs.path import NAME, NAME_RULE
from vfs.ports.groups import GroupKind, GroupRelation, reference
from vfs.rules import IN_PERSON, SIGNED_IN, R, Rule

PERSON = SIGNED_IN & IN_PERSON
FOLDER = "orgs"
_SLUG = rf"(?![rwdx]+$){NAME.pattern}"
GROUP_NAME = re.compile(_SLUG)
GROUP_REFERENCE = re.compile(rf"(?:@{NAME.pattern}~)?{_SLUG}")
GROUP_RULE = (
    f"{NAME_RULE}; not the letters r, w, d and x alone, as a share would take those for its permissions"
)


def _split(name: str, me: str) -> tuple[str, str]:
    """Return the founder and the slug of a user group's name in a path."""
    if not name.startswith("@"):
        return me, name
    founder, _, slug = name[1:].partition("~")
    return founder, slug


def _own_name(context: Context[World]) -> bool:
    return context.caller.name is not None and _split(context.name, context.me)[0] == context.me


def _not_yet(context: Context[World]) -> bool:
    """Return whether a bare slug, which leads to another user's group, is free among the caller's own."""
    found = relation(context)
    return found is not None and not context.name.startswith("@") and found.group.owner != context.me


OWN_NAME = Rule("own name", _own_name, "a name of your own") & IN_PERSON
NOT_YET = Rule("not made yet", _not_yet, "a name that is free")


def find_user_group(context: Context[World], name: str) -> GroupRelation | None:
    """Return the user group that a name refers to for the caller.

    This is its own group, or the one in which it has a role or an invitation (decisions 35). Raises Conflict
    with their names if several match.
    """
    me, groups = context.caller.name, context.world.people.groups
    if me is None:
        return None
    found = groups.find("@{}~{}".format(*_split(name, me)), me)
    if found is not None or name.startswith("@"):
        return found if found is not None and (found.seen or takes_back(context, found.group.ref)) else None
    alike = [one for one in groups.of(me) if _is_user_group(one) and one.group.name == name]
    if len(alike) > 1 and not (context.call.verb is Verb.CREATE and context.requested[-1] == name):
        refs = ", ".join(one.group.ref for one in alike)
        raise Conflict(f'several groups are called "{name}": name the one you mean, as in {refs}')
    return alike[0] if len(alike) == 1 else None


def find_org(context: Context[World], name: str) -> GroupRelation | None:
    """Return the organisation if the caller may see it, or the group of it that the path leads to."""
    me, groups = context.caller.name, context.world.people.groups
    found = groups.find(f"+{name}", me) if me is not None else None
    if found is None or found.seen or takes_back(context, found.group.ref):
        return found
    match context.requested[context.requested.index(FOLDER) + 1 :]:
        case (_, "groups", group, *_):
            return found if visible_group(context, f"+{name}~{group}") else None
    return None


def find_org_group(context: Context[World], name: str) -> GroupRelation | None:
    """Return the group of the organisation if the caller may see it."""
    return visible_group(context, f"+{context.segment(ORG)}~{name}")


def list_user_groups(context: Context[World]) -> Iterator[Named]:
    """Yield the user groups in which the caller has a role, by the shortest unique name."""
    alike = [one for one in context.world.people.groups.of(context.me) if _is_user_group(one)]
    slugs = Counter(one.group.name for one in alike)
    rows = []
    for one in alike:
        group = one.group
        if one.role is not None:
            short = group.owner == context.me or slugs[group.name] == 1
            rows.append(group_row(group.name if short else group.ref, one))
    yield from sorted(rows, key=lambda row: row.name)


def list_orgs(context: Context[World]) -> Iterator[Named]:
    """Yield the organisations in which the caller has a role, or is in one of their groups."""
    for one in context.world.people.groups.orgs(context.me):
        if one.role is not None or one.inside:
            yield group_row(one.group.name, one)


def list_org_groups(context: Context[World]) -> Iterator[Named]:
    """Yield the organisation's groups: all for its admins and founders, for others those with a role."""
    for one in context.world.people.groups.under(here(context).group.ref, context.me):
        if is_listed_below(one):
            yield group_row(one.group.name, one)


def is_listed_below(one: GroupRelation) -> bool:
    """Return whether a group is listed for the caller among those of its organisation."""
    return one.role is not None or one.oversees


def mail_address(context: Context[World]) -> str | None:
    """Return the mail address of an org group, `<group>@<org>.<domain>`; None while mail is off for it."""
    return address_of(context.world, here(context).group)


def _make(context: Context[World]) -> Reply:
    slug = _split(context.name, context.me)[1]
    context.world.people.groups.create(GroupKind.USER_GROUP, context.me, slug, context.me)
    return _creation_reply(context, reference(GroupKind.USER_GROUP, context.me, slug))


def _make_org(context: Context[World]) -> Reply:
    return _creation_reply(context, found_organisation(context, context.name).ref)


def _make_group(context: Context[World]) -> Reply:
    org = context.segment(ORG)
    context.world.people.groups.create(GroupKind.ORG_GROUP, org, context.name, context.me)
    return _creation_reply(context, f"+{org}~{context.name}")


def _creation_reply(context: Context[World], ref: str) -> Reply:
    return Reply(f"created {ref}; you are its founder\n", Outcome.CREATED, location=str(context.requested))


def _remove(context: Context[World]) -> str:
    group = here(context).group
    context.world.people.groups.remove(group)
    return f"removed {group.ref}\n"


def group_row(name: str, one: GroupRelation) -> Named:
    """Return the row of a group."""
    return Named(name, one.group.created_on, one.group.item.last_modified, one)


def _is_user_group(one: GroupRelation) -> bool:
    return one.group.kind is GroupKind.USER_GROUP


def email(rule: Rule) -> File:
    """Return the node `email` of an org group."""
    return value(
        lambda context: Data(mail_address(context), lambda address: address or ""),
        rules={Verb.READ: rule},
        listed=rule,
        hidden=SIGNED_IN,
        about="its mail address; empty while mail is not enabled",
    )


def _group(kind: GroupKind, **more: Node) -> Dir:
    return Dir(
        {"profile": profile(kind), "roles": roles(), "threads": threads(BELONGS, listed=R), **more},
        enter=enter,
        confers=CONFERS,
        rules={Verb.READ: SEES},
        about="a group: its profile and its members" if kind is not GroupKind.ORG else "an organisation",
    )


GROUPS = Each(
    GROUP,
    _group(GroupKind.USER_GROUP),
    names=list_user_groups,
    has=find_user_group,
    create=_make,
    remove=_remove,
    name=GROUP_REFERENCE,
    name_rule=GROUP_RULE,
    again=NOT_YET,
    rules={Verb.READ: PERSON, Verb.CREATE: OWN_NAME, Verb.REMOVE: FOUNDS},
    about="user groups in which the caller has a role; PUT makes one",
)
ORG_GROUPS = Each(
    GROUP,
    _group(GroupKind.ORG_GROUP, email=email(BELONGS), inbound=INBOUND),
    names=list_org_groups,
    has=find_org_group,
    create=_make_group,
    remove=_remove,
    name=GROUP_NAME,
    name_rule=GROUP_RULE,
    candid=True,
    rules={Verb.READ: SEES, Verb.CREATE: LEADS, Verb.REMOVE: FOUNDS},
    about="groups of the organisation; PUT makes one",
)
ORGS = Each(
    ORG,
    _group(GroupKind.ORG, groups=ORG_GROUPS),
    names=list_orgs,
    has=find_org,
    create=_make_org,
    remove=_remove,
    candid=True,
    rules={Verb.READ: PERSON, Verb.CREATE: ORGANISATION, Verb.REMOVE: FOUNDS},
    about="organisations in which the caller has a role; PUT makes one",
)
