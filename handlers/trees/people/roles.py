"""The role folders of a group: members by role, invitations, moves and removals.

Every change checks its rule again in its transaction, while the group's members are locked.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from functools import partial

from handlers.rules.ranks import CONFERS, dropping, effective_grants, placing
from handlers.services.notices import INVITE, SINGULAR
from handlers.services.posting import Message, notify, post
from handlers.services.world import World
from handlers.trees.people.group_relation import PENDING, ROSTER_SEEN, enter_shown, here, relation, takes_back
from vfs.access import Role, Verb
from vfs.call import Data
from vfs.context import Context
from vfs.errors import Denied, NotFound
from vfs.nodes import Dir, Each, Named
from vfs.param import Param
from vfs.parts import value
from vfs.path import NAME
from vfs.ports.groups import GroupKind, GroupRelation, Member
from vfs.ports.notices import NoticeSubject
from vfs.rules import IN_PERSON, R, Rule

MEMBER_PARAM: Param[Member] = Param("member")
MEMBER_NAME = re.compile(f"(?:{PENDING})?{NAME.pattern}")
MEMBER_RULE = "a user's name, for a pending one with I- before it"

_log = logging.getLogger(__name__)


def roles() -> Dir:
    """Return the node `roles` of a group or organisation."""
    return Dir(
        {role.value: _folder(role) for role in Role},
        enter=enter_shown("show_members"),
        confers=CONFERS,
        rules={Verb.READ: ROSTER_SEEN},
        listed=ROSTER_SEEN,
        about="who is in it, by role; PUT invites or moves, DELETE removes",
    )


def is_visible(context: Context[World], member: Member) -> bool:
    """Return whether the caller may see a user's membership.

    An invitation is shown to members, its sender and the invited user, but not to others who may see the
    members.
    """
    return not member.pending or R.test(context) or context.caller.name in (member.name, member.invited_by)


def _folder(role: Role) -> Each[Member]:
    places = Rule(
        f"places {role}",
        partial(_may_place, role),
        f"a role there that manages {role}: superusers or above, and none beyond your own rank",
    )
    drops = Rule("drops", _may_drop, "a role there that manages this one; the last founder always stays")
    return Each(
        MEMBER_PARAM,
        value(_member_data, about="a user in this role; I- marks an invitation"),
        names=partial(list_members, role),
        has=partial(find_member, role),
        create=partial(_place, role),
        remove=_drop,
        name=MEMBER_NAME,
        name_rule=MEMBER_RULE,
        again=True,
        candid=Rule("a user", _known_user, "a user of that name"),
        rules={
            Verb.READ: ROSTER_SEEN,
            Verb.CREATE: places & IN_PERSON,
            Verb.REMOVE: drops & IN_PERSON,
        },
        about=f"its {role}",
    )


def _user(name: str) -> str:
    return name.removeprefix(PENDING)


def list_members(role: Role, context: Context[World]) -> Iterator[Named]:
    """Yield the rows of the members with a role whom the caller may see."""
    for member in context.world.people.members.roster(here(context).group.ref):
        if member.role is role and is_visible(context, member):
            sign = PENDING if member.pending else ""
            extra = {"pending": member.pending}
            yield Named(
                sign + member.name, member.created_on, member.created_on, member,
                target=f"/v1/users/{member.name}", extra=extra,
            )  # fmt: skip


def find_member(role: Role, context: Context[World], name: str) -> Member | None:
    """Return the user's membership if it has this role; the name of an active member has no I-."""
    member = context.world.people.members.find(here(context).group.ref, _user(name))
    if member is None or member.role is not role or (name.startswith(PENDING) and not member.pending):
        return None
    return member if is_visible(context, member) else None


def _member_data(context: Context[World]) -> Data:
    member = context[MEMBER_PARAM]
    said = {
        "name": member.name,
        "role": member.role.value,
        "pending": member.pending,
        "invited_by": member.invited_by,
        "since": member.created_on,
    }
    return Data(said, lambda facts: f"{facts['role']}{' (invited)' if facts['pending'] else ''}")


def _may_place(role: Role, context: Context[World]) -> bool:
    found = relation(context)
    if found is None:
        return False
    user = _user(context.name)
    present = context.get(MEMBER_PARAM) or context.world.people.members.find(found.group.ref, user)
    if present is None and context.world.people.users.find(user) is None:
        return False
    return placing(found, context.me, user, present, role) is None


def _known_user(context: Context[World]) -> bool:
    """Return whether a user named by a manager exists; True for other callers, refused by other rules."""
    found = relation(context)
    manages = found is not None and effective_grants(found.role, Role.MEMBERS)
    return not manages or context.world.people.users.find(_user(context.name)) is not None


def _may_drop(context: Context[World]) -> bool:
    """Return whether the caller may remove the user; True for a missing one, so that it is not found."""
    found, member = relation(context), context.get(MEMBER_PARAM)
    return found is None or member is None or dropping(found, context.me, member) is None


def _place(role: Role, context: Context[World]) -> str:
    """Invite a user, move it to this role, or enter with a role of the organisation above."""
    world, user = context.world, _user(context.name)
    found, present = _lock_place(context, user)
    if reason := placing(found, context.me, user, present, role):
        raise Denied(reason)
    if present is not None and present.role is role and not (present.pending and found.role is None):
        return f"{user} is {SINGULAR[role]} of {found.group.ref} already\n"
    enters = found.role is None
    pending = not enters and (present is None or present.pending)
    by = present.invited_by if present is not None else context.me
    world.people.members.put(found.group.ref, user, role, pending=pending, by=by)
    if enters:
        return _notify_founders(context, found, role)
    if present is None:
        _notify_invitee(context, found, user)
        return f"invited {user} to {found.group.ref} as {SINGULAR[role]}\n"
    return f"{user} is {'invited as' if pending else 'now'} {SINGULAR[role]} of {found.group.ref}\n"


def _drop(context: Context[World]) -> str:
    """Remove a user from this role, or take an invitation back."""
    seen = context[MEMBER_PARAM]
    found, present = _lock_place(context, seen.name)
    if present is None or (present.role, present.pending) != (seen.role, seen.pending):
        raise NotFound(f"{seen.name} no longer exists")
    if reason := dropping(found, context.me, present):
        raise Denied(reason)
    context.world.people.members.drop(found.group.ref, seen.name, seen.role, pending=seen.pending)
    if seen.pending:
        return f"took back the invitation of {seen.name} to {found.group.ref}\n"
    message = f"removed {seen.name} from the {seen.role} of {found.group.ref}\n"
    return message + _roles_below(context, found, seen.name) + _left_invitations(context, found, seen.name)


def _roles_below(context: Context[World], found: GroupRelation, user: str) -> str:
    """Return a sentence on roles that a user still has in groups of the organisation.

    Leaving the organisation leaves no group. Only groups that the caller may see are named.
    """
    if found.group.kind is not GroupKind.ORG:
        return ""
    org, groups = found.group.ref, context.world.people.groups
    seen = {one.group.ref for one in groups.under(org, context.me) if one.seen}
    left = [
        f"{SINGULAR[one.role]} of {one.group.ref}"
        for one in groups.under(org, user)
        if one.role is not None and one.group.ref in seen
    ]
    return f"{user} is still {' and '.join(left)}: remove a role in a group there\n" if left else ""


def _left_invitations(context: Context[World], found: GroupRelation, user: str) -> str:
    """Return a sentence on pending invitations that the removed user sent, which remain valid."""
    left = [
        f"{one.name} ({one.role})"
        for one in context.world.people.members.roster(found.group.ref)
        if one.pending and one.invited_by == user
    ]
    return f"invited by {user} and still waiting: {', '.join(left)}\n" if left else ""


def _lock_place(context: Context[World], user: str) -> tuple[GroupRelation, Member | None]:
    """Return the caller's relation to the group and the user's membership, locked in the transaction."""
    ref, world = here(context).group.ref, context.world
    if world.people.members.hold(ref):
        found = world.people.groups.find(ref, context.me)
        if found is not None and (found.seen or takes_back(context, ref)):
            return found, world.people.members.find(ref, user)
    raise NotFound(f"there is no {context.requested} any more, or it is not visible to you")


def _notify_invitee(context: Context[World], found: GroupRelation, user: str) -> None:
    said = f"@{context.me} invited you to {{group}} as {{role}}."
    notify(context.world, found.group.item, INVITE, said, context.me, user)


def _notify_founders(context: Context[World], found: GroupRelation, role: Role) -> str:
    """Log the entry and notify the founders of the group (R-12)."""
    ref = found.group.ref
    _log.warning(
        "@%s entered %s as %s by its role in %s", context.me, ref, SINGULAR[role], found.group.parent
    )
    about = NoticeSubject(found.group.item.id)
    said = f"@{context.me} entered {ref} as {SINGULAR[role]} by its role in {found.group.parent}."
    roster = context.world.people.members.roster(ref)
    founders = [one.name for one in roster if one.role is Role.FOUNDERS and not one.pending]
    # The warning has its own source, so that the caller's other notices never displace it.
    message = Message("entered", about, said, f"{ref} by @{context.me}")
    post(context.world, message, *(name for name in founders if name != context.me))
    return f"you are {SINGULAR[role]} of {ref} now\n"
