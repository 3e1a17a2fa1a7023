"""The caller's invitations: to groups and organisations, and by users who ask for a connection."""

from __future__ import annotations

import re
from collections.abc import Iterator

from handlers.rules.profile_values import without_line_end
from handlers.services.connecting import connect, opened_lines
from handlers.services.notices import SINGULAR
from handlers.services.posting import notify
from handlers.services.world import World
from vfs.access import Role, Verb
from vfs.context import Context
from vfs.errors import Conflict, Invalid, NotFound
from vfs.nodes import KIB, Dir, Each, Named
from vfs.param import Param
from vfs.parts import action
from vfs.path import NAME
from vfs.ports.groups import Member, Tie, TieKind
from vfs.rules import FIRST_HAND, SIGNED_IN, hide_unless

PERSON = SIGNED_IN & FIRST_HAND
REFERENCE = re.compile(rf"[@+]{NAME.pattern}(?:~{NAME.pattern})?")
WORDS = ("yes", "no")
TO_ROLES = {f"{WORDS[0]} {role}": role for role in Role}
"""Answers that accept one role only, so that a role changed meanwhile is not accepted unseen."""
INVITE: Param[Member | Tie] = Param("invite")


def list_invites(context: Context[World]) -> Iterator[Named]:
    """Yield the pending invitations of the caller, oldest first."""
    people = context.world.people
    rows = [
        Named(one.group.ref, one.since, one.since, one, extra={"kind": one.group.kind, "role": one.invited})
        for one in people.groups.of(context.me)
        if one.invited is not None
    ]
    rows += [
        Named(f"@{tie.name}", tie.created_on, tie.created_on, tie, extra={"kind": "connection", "role": None})
        for tie in people.ties.to(TieKind.CONNECTION, context.me)
        if tie.pending
    ]
    yield from sorted(rows, key=lambda row: (row.created_on, row.name))


def find_invite(context: Context[World], name: str) -> Member | Tie | None:
    """Return the pending invitation of that name. Raises NotFound where the caller has none."""
    me = context.caller.name
    if me is None:
        return None
    found: Member | Tie | None
    if name.startswith("@") and "~" not in name:
        found = context.world.people.ties.find(TieKind.CONNECTION, name[1:], me)
    else:
        found = context.world.people.members.find(name, me)
    if found is None or not found.pending:
        raise _over(name)
    return found


def word(sent: str) -> str:
    """Return the answer: `yes`, `no`, or `yes` and the accepted role. Raises Invalid."""
    said = without_line_end(sent)
    if said not in WORDS and said not in TO_ROLES:
        raise Invalid(
            f'"{said[:80]}" is no answer: send yes or no as text/plain, or yes and the role that you were '
            "offered, as in  yes members; the invitation is still open"
        )
    return said


def answer(context: Context[World], said: str) -> str:
    """Accept or decline an invitation, once."""
    invite = context[INVITE]
    accepts, role = said != WORDS[1], TO_ROLES.get(said)
    if isinstance(invite, Member):
        return _join(context, invite, role, accepts=accepts)
    if role is not None:
        raise Invalid("a connection has no roles: send yes or no; the invitation is still open")
    return _connect(context, invite, accepts=accepts)


def _join(context: Context[World], invite: Member, offered: Role | None, *, accepts: bool) -> str:
    members, me = context.world.people.members, context.me
    held = members.hold(invite.ref)
    now = members.find(invite.ref, me)
    if not held or now is None or not now.pending:
        raise _over(invite.ref)
    if offered not in (None, now.role):
        raise Conflict(
            f"you are now invited to {invite.ref} as {SINGULAR[now.role]}, no longer as "
            f"{SINGULAR[offered]}: nothing was answered; answer again if you want that",
            role=now.role.value,
        )
    if not accepts:
        members.drop(invite.ref, me, now.role, pending=True)
        _notify(context, now.invited_by, "declined", f"@{me} declined the invitation to {{group}}.")
        return f"declined the invitation to {invite.ref}\n"
    members.accept(invite.ref, me)
    role = SINGULAR[now.role]
    _notify(context, now.invited_by, "joined", f"@{me} accepted: {role} of {{group}}.")
    return f"you are {role} of {invite.ref} now\n"


def _connect(context: Context[World], tie: Tie, *, accepts: bool) -> str:
    ties, me = context.world.people.ties, context.me
    if not accepts:
        if not ties.decline(tie.name, me):
            raise _over(f"@{tie.name}")
        return f"declined to be connected with @{tie.name}\n"
    if not ties.accept(tie.kind, tie.name, me):
        raise _over(f"@{tie.name}")
    opened = connect(context.world, tie.name, me)
    return f"you are connected with @{tie.name} now\n{opened_lines(context.world, opened)}"


def _notify(context: Context[World], sender: str | None, kind: str, said: str) -> None:
    """Notify the inviter, if it is still in the group."""
    relation = context.world.people.groups.find(context.segment(INVITE), sender)
    if sender is not None and relation is not None and relation.role is not None:
        notify(context.world, relation.group.item, kind, said, context.me, sender)


def _over(name: str) -> NotFound:
    """Return the refusal of an answer to an invitation that does not exist or is not pending."""
    whose = "to" if "~" in name or name.startswith("+") else "of"
    return NotFound(
        f"there is no invitation {whose} {name} that waits for your answer: it was answered or taken back, "
        "or there never was one"
    )


INVITES = Each(
    INVITE,
    Dir(
        {
            "accept": action(
                answer,
                needs=PERSON,
                check=word,
                largest=KIB,
                values=WORDS,
                about="yes to accept, no to decline; `yes ROLE` accepts only that role",
            )
        },
        about="an invitation",
    ),
    names=list_invites,
    has=hide_unless(PERSON, find_invite),
    fixed=True,
    name=REFERENCE,
    rules={Verb.READ: PERSON},
    about="invitations that wait for the caller's answer",
)
