"""The caller's relation to the group of a path: its role, and the rules that depend on it."""

from __future__ import annotations

from collections.abc import Callable

from handlers.rules.ranks import OrgPlan, letters
from handlers.services.world import World
from handlers.trees.facets.contexts import GROUP, ORG
from vfs.access import Access, EffectiveGrant, Role, Verb
from vfs.context import Context
from vfs.parts import boolean
from vfs.ports.groups import Group, GroupRelation
from vfs.ports.items import Found
from vfs.ports.leaves import text_at
from vfs.rules import IN_PERSON, Rule

PENDING = "I-"
"""Prefix of the name of a user who is invited but not a member."""


def relation(context: Context[World]) -> GroupRelation | None:
    """Return the caller's relation to the innermost group of the path; None without a group."""
    return context.get(GROUP) if GROUP in context else context.get(ORG)


def here(context: Context[World]) -> GroupRelation:
    """Return the caller's relation to the group on routes that always have a group. Raises LookupError."""
    found = relation(context)
    if found is None:
        raise LookupError(f"{context.requested} leads through no group")
    return found


def enter(context: Context[World]) -> Found:
    """Return the item of the group, with the permissions that the caller's relation gives."""
    found = here(context)
    return Found(found.group.item, (EffectiveGrant(found.group.ref, letters(found)),))


def enter_shown(*options: str) -> Callable[[Context[World]], Found | None]:
    """Return the hook that enters a group for callers to whom one of these options shows a part of it."""

    def enter_or_not(context: Context[World]) -> Found | None:
        admitted = is_shown(context, *options) or takes_back(context, here(context).group.ref)
        return enter(context) if admitted else None

    return enter_or_not


def visible_group(context: Context[World], ref: str) -> GroupRelation | None:
    """Return the group if the signed-in caller may see it, or takes back its own invitation to it."""
    me = context.caller.name
    found = context.world.people.groups.find(ref, me) if me is not None else None
    return found if found is not None and (found.seen or takes_back(context, ref)) else None


def takes_back(context: Context[World], ref: str) -> bool:
    """Return whether the call takes back an invitation to a group that its caller sent.

    The sender may always do this below `admin`, even after it left the group and can no longer see it.
    """
    match tuple(context.requested):
        case (_, "admin", *_, "roles", role, name) if context.call.verb is Verb.REMOVE and IN_PERSON.test(
            context
        ):
            member = context.world.people.members.find(ref, name.removeprefix(PENDING))
            return (
                member is not None
                and member.pending
                and (member.role, member.invited_by) == (role, context.caller.name)
            )
    return False


def shows(world: World, group: Group, option: str) -> bool:
    """Return whether an option of a group is on (`show_profile`, `show_description`, `show_members`)."""
    return boolean(text_at(world.leaves, group.item.id, f"options/{option}") or "no")


def is_shown(context: Context[World], *options: str) -> bool:
    """Return whether the caller may read the group as a member, or by one of these options."""
    found = relation(context)
    if found is None:
        return False
    return "r" in letters(found) or any(_shows(context, found.group, option) for option in options)


def _shows(context: Context[World], group: Group, option: str) -> bool:
    """Return whether an option is set, looked up once for each call."""
    return context.once(f"{group.ref} {option}", lambda: shows(context.world, group, option))


def _sees(context: Context[World]) -> bool:
    """Return whether the caller may see the group; True for a missing one, so that it is not found."""
    return relation(context) is None or Access.INFO in context.access


def _founds(context: Context[World]) -> bool:
    return relation(context) is None or Access.DELETE in context.access


def _has_paid_plan(context: Context[World]) -> bool:
    found = relation(context)
    return found is not None and found.group.plan != OrgPlan.FREE


def _leads(context: Context[World]) -> bool:
    found = context.get(ORG)
    return found is not None and found.role in (Role.FOUNDERS, Role.ADMINS)


def _belongs(context: Context[World]) -> bool:
    found = relation(context)
    return found is not None and found.role is not None


def _sight(name: str, why: str, *options: str) -> Rule:
    """Return the rule that one of these options shows the caller a part of the group."""
    seen = Rule(f"sees the {name}", lambda p: is_shown(p, *options), f"a role there, as its {why}")
    return seen & IN_PERSON


SEES = Rule("sees the group", _sees, "any role in it") & IN_PERSON
MANAGES = (
    Rule("manages", lambda p: Access.WRITE in p.access, "the role of an admin or founder there") & IN_PERSON
)
FOUNDS = Rule("founds", _founds, "the role of a founder there") & IN_PERSON
LEADS = (
    Rule("leads the organisation", _leads, "the role of an admin or founder of the organisation") & IN_PERSON
)
MEMBER = Rule("member", _belongs, "a role there")
BELONGS = Rule("belongs", _belongs, "a role there") & IN_PERSON
PAID = Rule(
    "paid",
    _has_paid_plan,
    "the premium or enterprise plan: the organisation is on the free one, and the operator changes it "
    "(curlew org plan)",
)
PROFILE_SEEN = _sight("profile", "profile is not shown to others", "show_profile", "show_description")
CARD_SEEN = _sight("card", "profile is not shown", "show_profile")
DESCRIPTION_SEEN = _sight("description", "description is not shown to others", "show_description")
ROSTER_SEEN = _sight("members", "members are not shown to others", "show_members")
READS = Rule("reads", lambda p: Access.READ in p.access, "a role there") & IN_PERSON
