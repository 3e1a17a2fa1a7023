"""One organisation per account: an organisation account founds one, and is refused another with 403."""

from __future__ import annotations

from handlers.rules.ranks import OrgPlan
from handlers.services.world import World
from vfs.errors import Denied
from vfs.place import Place
from vfs.ports.groups import Group, GroupKind, SecondOrganisation
from vfs.ports.people import Account
from vfs.rules import IN_PERSON, Rule


def _may_found(place: Place[World]) -> bool:
    world = place.world
    user = world.people.users.find(place.me)
    return (
        user is not None
        and user.account is Account.ORGANISATION
        and not world.people.groups.has_org(place.me)
    )


ORGANISATION = (
    Rule(
        "organisation account",
        _may_found,
        "an organisation account that has not created its one organisation yet",
    )
    & IN_PERSON
)


def found_organisation(place: Place[World], name: str) -> Group:
    """The organisation of the caller's account, made now. Raises Denied where it has another by now."""
    plan = OrgPlan(place.world.service.settings.default_plan)
    try:
        return place.world.people.groups.create(GroupKind.ORG, place.me, name, place.me, plan)
    except SecondOrganisation:
        raise Denied(
            "your account has its organisation already: each organisation account creates exactly one"
        ) from None
