"""The profile of groups and organisations, mounted at three paths, and the creation of an organisation."""

from __future__ import annotations

from collections.abc import Mapping

from handlers.rules.profile_values import colour
from handlers.rules.ranks import CONFERS, OrgPlan
from handlers.services.world import World
from handlers.trees.facets.declared_files import YES_NO, switch
from handlers.trees.facets.meta import markdown
from handlers.trees.facets.pictures import pictures
from handlers.trees.people.group_relation import (
    CARD_SEEN,
    DESCRIPTION_SEEN,
    MANAGES,
    PAID,
    PROFILE_SEEN,
    READS,
    enter_shown,
    here,
)
from vfs.access import Verb
from vfs.context import Context
from vfs.errors import Denied
from vfs.nodes import KIB, Dir, Each, File, Node
from vfs.param import Param
from vfs.parts import flag, line, text
from vfs.path import NAME, NAME_RULE
from vfs.ports.groups import Group, GroupKind, SecondOrganisation
from vfs.ports.leaves import Leaf
from vfs.ports.people import Account
from vfs.rules import IN_PERSON, Rule


def _may_found(context: Context[World]) -> bool:
    world = context.world
    user = world.people.users.find(context.me)
    return (
        user is not None
        and user.account is Account.ORGANISATION
        and not world.people.groups.has_org(context.me)
    )


ORGANISATION = (
    Rule(
        "organisation account",
        _may_found,
        "an organisation account that has not created its one organisation yet",
    )
    & IN_PERSON
)


def found_organisation(context: Context[World], name: str) -> Group:
    """Create the organisation of the caller's account. Raises Denied if it already has one."""
    plan = OrgPlan(context.world.service.settings.default_plan)
    try:
        return context.world.people.groups.create(GroupKind.ORG, context.me, name, context.me, plan)
    except SecondOrganisation:
        raise Denied(
            "your account has its organisation already: each organisation account creates exactly one"
        ) from None


SHOWS = {
    "show_profile": "whether others see name and pictures",
    "show_description": "whether others see the description",
    "show_members": "whether others see the members",
}

LARGEST_THEME = 64 * KIB
THEMES = Each[Leaf](
    Param("theme"),
    text(largest=LARGEST_THEME, about="a theme: style sheet of documents, custom properties first"),
    name=NAME,
    name_rule=NAME_RULE,
    upsert=True,
    rules={Verb.READ: READS},
    listed=READS,
    candid=READS,
    about="themes of documents, named +<organisation>/<theme> in config/theme",
)


def profile(kind: GroupKind) -> Dir:
    """Return the node `profile` of groups of a kind; some options need a paid plan (decisions 34)."""
    return Dir(
        {
            "name": line(about="display name", rules={Verb.READ: CARD_SEEN}),
            "description": markdown("long text, markdown", rules={Verb.READ: DESCRIPTION_SEEN}),
            "picture": pictures({Verb.READ: CARD_SEEN}),
            "options": Dir(_options(kind), rules={Verb.READ: READS}, listed=READS, about="options"),
            **({"themes": THEMES} if kind is GroupKind.ORG else {}),
        },
        enter=enter_shown("show_profile", "show_description"),
        confers=CONFERS,
        rules={Verb.READ: PROFILE_SEEN, Verb.WRITE: MANAGES},
        listed=PROFILE_SEEN,
        about="public information about it",
    )


def _options(kind: GroupKind) -> Mapping[str, Node]:
    gated = {} if kind is GroupKind.USER_GROUP else {Verb.WRITE: MANAGES & PAID}
    shared: dict[str, Node] = {
        "public": switch(
            lambda context: here(context).group.public,
            _publish,
            "whether everyone who is signed in sees that it is there",
        ),
        **{name: flag(False, words=YES_NO, about=about, rules=gated) for name, about in SHOWS.items()},
        "is_open": flag(False, words=YES_NO, about="stored, without effect"),
    }
    return {**shared, **_OWN[kind]()}


def _org() -> Mapping[str, Node]:
    return {
        "enable_subdomain": flag(False, words=YES_NO, about="whether its groups may have mail addresses"),
        "primary_color": _colour("first identity colour, #RRGGBB"),
        "secondary_color": _colour("second identity colour, #RRGGBB"),
    }


def _org_group() -> Mapping[str, Node]:
    return {
        "allow_inbound_mail": flag(False, words=YES_NO, about="whether mail to it triggers jobs"),
        "mail_verify_dkim": flag(True, words=YES_NO, about="whether an aligned DKIM signature is checked"),
        "mail_verify_spf": flag(True, words=YES_NO, about="whether an aligned SPF envelope is checked"),
    }


_OWN = {GroupKind.USER_GROUP: dict, GroupKind.ORG: _org, GroupKind.ORG_GROUP: _org_group}


def _colour(about: str) -> File:
    return text(
        check=colour,
        largest=KIB,
        rules={Verb.READ: MANAGES, Verb.WRITE: MANAGES & PAID},
        listed=MANAGES,
        about=about,
    )


def _publish(context: Context[World], public: bool) -> None:
    context.world.people.groups.change(here(context).group.ref, public=public)
