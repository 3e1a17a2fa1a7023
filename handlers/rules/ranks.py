"""Ranks: the rules of giving and taking roles in a group (interface, Role and rank rules; matrix 2.6)."""

from __future__ import annotations

from enum import StrEnum

from vfs.access import Access, Confers, Role
from vfs.ports.groups import GroupKind, Member, Standing

RANKS = {role: rank for rank, role in enumerate(reversed(Role))}

# What a standing confers on the group itself: `i` is to see that it is there.
CONFERS: Confers = {
    "i": Access.INFO,
    "r": Access.INFO | Access.READ,
    "w": Access.INFO | Access.WRITE,
    "d": Access.INFO | Access.DELETE,
}
_OF_ROLE = {Role.FOUNDERS: "rwd", Role.ADMINS: "rw", Role.SUPERUSERS: "r", Role.MEMBERS: "r"}


def letters(standing: Standing) -> str:
    """The letters of a standing: members read, admins also write the profile, founders also delete the group.

    Who oversees it from the organisation above reads; who sees it otherwise sees that it is there.
    """
    if standing.role is not None:
        return _OF_ROLE[standing.role]
    if standing.oversees:
        return "r"
    return "i" if standing.seen else ""


def effective_grants(role: Role | None, other: Role) -> bool:
    """Whether a role manages another one: from superusers up, its own rank and below."""
    return role is not None and RANKS[role] >= max(RANKS[other], RANKS[Role.SUPERUSERS])


def enters(standing: Standing, wanted: Role) -> bool:
    """Whether the caller may enter a group of its organisation, up to its rank there (R-12)."""
    over = standing.over
    return standing.role is None and standing.oversees and over is not None and RANKS[wanted] <= RANKS[over]


def placing(standing: Standing, me: str, user: str, present: Member | None, wanted: Role) -> str | None:
    """The reason why `me` may not give a user, whose place is `present`, a role; None when it may."""
    stays = present is not None and present.role is wanted
    if _is_founder_fixed(standing, wanted, present) and not stays:
        return "the founder of a user group is fixed when it is made: nobody else becomes founder of it"
    if user == me and (present is None or present.pending) and enters(standing, wanted):
        return None
    if reason := _beyond(standing, wanted, present):
        return reason
    return _last(present) if not stays else None


def dropping(standing: Standing, me: str, present: Member) -> str | None:
    """The reason why `me` may not take a user out of its place; None when it may."""
    if present.pending:
        return None if present.invited_by == me else _beyond(standing, present.role, present)
    if _is_founder_fixed(standing, present.role, present):
        return "the founder of a user group is fixed: the group ends with DELETE of the group itself"
    if reason := _last(present):
        return reason
    return None if present.name == me else _beyond(standing, present.role, present)


def _is_founder_fixed(standing: Standing, wanted: Role, present: Member | None) -> bool:
    """Whether it is about the founder of a user group."""
    about = (wanted, present.role if present is not None else None)
    return standing.group.kind is GroupKind.USER_GROUP and Role.FOUNDERS in about


def _beyond(standing: Standing, wanted: Role, present: Member | None) -> str | None:
    role = standing.role
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
    """Plans that an organisation may be on, from the least to the most."""

    FREE = "free"
    PREMIUM = "premium"
    ENTERPRISE = "enterprise"
