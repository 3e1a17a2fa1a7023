"""Rosters of groups: who is in it in which role, with what the caller may do with each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from handlers.pages.groups import GroupPath
from handlers.pages.request import PageRequest
from vfs.access import Role, Verb

SINGULAR: Mapping[str, str] = {
    Role.FOUNDERS.value: "founder",
    Role.ADMINS.value: "admin",
    Role.SUPERUSERS.value: "superuser",
    Role.MEMBERS.value: "member",
}


class RoleRight(NamedTuple):
    """A role with what it may do beside what those below it in the list may."""

    role: str
    of_group: str
    of_organisation: str


MAY = (
    RoleRight(
        "member",
        "sees who is in it, shares things with it, and uses what others share with it",
        "sees who is in it; has no part in its groups before it is invited to them",
    ),
    RoleRight(
        "superuser",
        "also invites, and manages superusers and members; may delete what is shared with d",
        "also invites, and manages superusers and members",
    ),
    RoleRight(
        "admin",
        "also changes the settings, and manages admins",
        "also changes the settings, makes groups, sees all groups and may enter them",
    ),
    RoleRight(
        "founder",
        "also removes the group; the last one cannot leave",
        "also manages founders, and removes the organisation; the last one cannot leave",
    ),
)


MOST = 200
PENDING = "I-"


def roster(request: PageRequest, at: GroupPath) -> Sequence[Mapping[str, Any]]:
    """Those in a group, founders first, and of each what the caller may do with it, as the kernel says."""
    return [one for role in Role for one in _people(request, at, role)][:MOST]


def _people(request: PageRequest, at: GroupPath, role: Role) -> Iterator[Mapping[str, Any]]:
    managed = {row.name: row for row in request.peek(at.admin / ("roles", role.value), ())}
    # Where one may be moved to hangs on its role, on whether it is in yet and on whether it is the caller,
    # and on nothing else of it (handlers/rules/ranks.py): the kernel is asked once for all who are alike.
    moves: dict[tuple[bool, bool], list[str]] = {}
    for row in request.peek(at.api / ("roles", role.value), ())[:MOST]:
        name = row.name.removeprefix(PENDING)
        own = managed.get(row.name)
        alike = (row.name != name, name == request.caller.name)
        if own is not None and alike not in moves:
            moves[alike] = _moves(request, at, role, name)
        yield {
            "name": name,
            "entry": row.name,
            "role": role.value,
            "word": SINGULAR[role.value],
            "since": row.created_on,
            "pending": row.name != name,
            "goes": own is not None and Verb.REMOVE in own.verbs,
            "moves": moves[alike] if own is not None else [],
        }


def offers(at: GroupPath, role: str) -> Sequence[str]:
    """The roles that somebody may be invited to: offered from superusers up, decided when it is sent."""
    ranks = [one.value for one in Role]
    if role not in ranks[:3]:
        return []
    return [one for one in ranks[ranks.index(role) :] if at.org or one != Role.FOUNDERS.value]


def joins(request: PageRequest, at: GroupPath, role: str) -> Sequence[str]:
    """The roles that the caller may take by itself, from above."""
    me = request.caller.name
    if me is None or not at.group or not at.org or role:
        return []
    return [one.value for one in Role if request.may(Verb.CREATE, at.admin / ("roles", one.value, me))]


def _moves(request: PageRequest, at: GroupPath, held: Role, name: str) -> list[str]:
    others = (role.value for role in Role if role is not held)
    return [role for role in others if request.may(Verb.CREATE, at.admin / ("roles", role, name))]
