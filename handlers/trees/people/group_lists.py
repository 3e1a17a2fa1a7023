"""Lists of groups: the caller's own by reference, and those of a user that the caller may see."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator

from handlers.rules.kinds import Kinds
from handlers.services.world import World
from handlers.trees.facets.contexts import GROUP
from handlers.trees.people.group_admin import find_user_group, group_row
from handlers.trees.people.group_relation import visible_group
from handlers.trees.people.group_views import group_view
from vfs.access import Verb
from vfs.context import Context
from vfs.nodes import Each, Named
from vfs.param import USER
from vfs.path import NAME
from vfs.ports.groups import GroupKind, GroupRelation
from vfs.rules import SIGNED_IN

Names = Callable[[Context[World]], Iterator[Named]]
Has = Callable[[Context[World], str], GroupRelation | None]
REFERENCE = re.compile(rf"[@+]{NAME.pattern}(?:~{NAME.pattern})?|{NAME.pattern}")


def _list_own(context: Context[World]) -> Iterator[Named]:
    """Yield every group and organisation in which the caller has a role, by reference."""
    for one in context.world.people.groups.of(context.me):
        if one.role is not None:
            yield group_row(one.group.ref, one)


def list_visible_orgs(context: Context[World]) -> Iterator[Named]:
    """Yield the organisations that the caller may see."""
    for one in context.world.people.groups.orgs(context.me):
        yield group_row(one.group.name, one)


def _find_group(context: Context[World], name: str) -> GroupRelation | None:
    """Return the group of a reference, or of a slug that is unique for the caller."""
    if not name.startswith("+"):
        return find_user_group(context, name)
    return visible_group(context, name)


def _list_of_user(context: Context[World]) -> Iterator[Named]:
    """Yield the groups of a user that the caller may see, by slug where that is unique.

    They are groups that the user founded, and others in which the caller has a role.
    """
    user = context.segment(USER)
    seen = [one for one in context.world.people.groups.theirs(user, context.me) if _is_listed(one, user)]
    alike = Counter(_slug(one) for one in seen)
    for one in seen:
        short = _is_founded_by(one, user) or alike[_slug(one)] == 1
        yield group_row(_slug(one) if short else one.group.ref, one)


def _is_founded_by(one: GroupRelation, user: str) -> bool:
    return one.group.kind is GroupKind.USER_GROUP and one.group.owner == user


def _slug(one: GroupRelation) -> str:
    """Return the slug of a user group, or the reference of an organisation's group."""
    return one.group.name if one.group.kind is GroupKind.USER_GROUP else one.group.ref


def _is_listed(one: GroupRelation, user: str) -> bool:
    if one.group.kind is GroupKind.ORG:
        return False
    return one.seen if _is_founded_by(one, user) else one.role is not None or one.oversees


def _find_of_user(context: Context[World], name: str) -> GroupRelation | None:
    """Return the user's own group of that name, or the one that both the user and the caller are in."""
    user, me, groups = context.segment(USER), context.caller.name, context.world.people.groups
    if me is None:
        return None
    if name[0] not in "@+" and (own := visible_group(context, f"@{user}~{name}")):
        return own
    theirs = (one for one in groups.theirs(user, me) if _is_listed(one, user))
    meant = [one for one in theirs if name in (one.group.ref, _slug(one))]
    return meant[0] if len(meant) == 1 else None


def user_groups(kinds: Kinds) -> Each[GroupRelation]:
    """Return the node `groups` of a user."""
    return _folder(kinds, _list_of_user, _find_of_user, "groups of the user that the caller sees")


def groups(kinds: Kinds) -> Each[GroupRelation]:
    """Return the node `/v1/groups`."""
    return _folder(kinds, _list_own, _find_group, "the caller's groups and organisations, by reference")


def _folder(kinds: Kinds, names: Names, has: Has, about: str) -> Each[GroupRelation]:
    return Each(
        GROUP,
        group_view(kinds),
        names=names,
        has=has,
        fixed=True,
        name=REFERENCE,
        rules={Verb.READ: SIGNED_IN},
        about=about,
    )
