"""Ranks: the rules for giving and removing roles (interface, Role and rank rules; matrix 2.6)."""

from __future__ import annotations

from enum import StrEnum

from vfs.access import Access, Confers, Role
from vfs.ports.groups import GroupKind, GroupRelation, Member

RANKS = {role: rank for rank, role in enumerate(reversed(Role))}

# Access to the group itself for each letter of a relation to it: `i` is to see that the group exists.
CONFERS: Confers = {
    "i": Access.INFO,
    "r": Access.INFO | Access.READ,
    "w": Access.INFO | Access.WRITE,
    "d": Access.INFO | Access.DELETE,
}
_OF_ROLE = {Role.FOUNDERS: "rwd", Role.ADMINS: "rw", Role.SUPERUSERS: "r", Role.MEMBERS: "r"}


def letters(relation: GroupRelation) -> str:
    """Return the letters of a relation: members read, admins also write, founders also delete.

    Overseers from the organisation above read; other callers who may see it only see that it exists.
    """
    if relation.role is not None:
        return _OF_ROLE[relation.role]
    if relation.oversees:
        return "r"
    return "i" if relation.seen else ""


def effective_grants(role: Role | None, other: Role) -> bool:
    """Return whether a role manages another one: from superusers up, its own rank and below."""
    return role is not None and RANKS[role] >= max(RANKS[other], RANKS[Role.SUPERUSERS])


def enters(relation: GroupRelation, wanted: Role) -> bool:
    """Return whether the caller may enter a group of its organisation, up to its rank there (R-12)."""
    over = relation.over
    return relation.role is None and relation.oversees and over is not None and RANKS[wanted] <= RANKS[over]


def placing(relation: GroupRelation, me: str, user: str, present: Member | None, wanted: Role) -> str | None:
    """Return the reason why `me` may not give a user a role, or None. `present` is its membership."""
    stays = present is not None and present.role is wanted
    if _is_founder_fixed(relation, wanted, present) and not stays:
        return "the founder of a user group is fixed when it is made: nobody else becomes founder of it"
    if user == me and (present is None or present.pending) and enters(relation, wanted):
        return None
    if reason := _beyond(relation, wanted, present):
        return reason
    return _last(present) if not stays else None


def dropping(relation: GroupRelation, me: str, present: Member) -> str | None:
    """Return the reason why `me` may not remove a member, or None."""
    if present.pending:
        return None if present.invited_by == me else _beyond(relation, present.role, present)
    if _is_founder_fixed(relation, present.role, present):
        return "the founder of a user group is fixed: the group ends with DELETE of the group itself"
    if reason := _last(present):
        return reason
    return None if present.name == me else _beyond(relation, present.role, present)


def _is_founder_fixed(relation: GroupRelation, wanted: Role, present: Member | None) -> bool:
    """Return whether the change concerns the founder of a user group."""
    about = (wanted, present.role if present is not None else None)
    return relation.group.kind is GroupKind.USER_GROUP and Role.FOUNDERS in about


def _beyond(relation: GroupRelation, wanted: Role, present: Member | None) -> str | None:
    role = relation.role
    if not effective_grants(role, Role.MEMBERS):
        return "roles are managed by superusers, admins and founders of the group"
    if not effective_grants(role, wanted):
        return f"{wanted} rank above your own role, {role}"
    if present is not None and not effective_grants(role, present.role):
        return f"{present.name} is one of {present.role}, who rank above your own role, {role}"
    return None


def _last(present: Member | None) -> str | None:
    if present is None or not present.sole:
        return None
    return (
        f"{present.name} is its last founder: a group always keeps one, so make somebody else founder first"
    )


class OrgPlan(StrEnum):
    """Plans of an organisation, from the lowest to the highest."""

    FREE = "free"
    PREMIUM = "premium"
    ENTERPRISE = "enterprise"
