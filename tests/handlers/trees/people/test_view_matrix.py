"""Who reads which part of a group or organisation, for every viewer and every setting of its options
(decisions 34; reliability 2.6).
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from handlers.rules.ranks import OrgPlan
from tests.handlers.trees.town import Town
from vfs.access import PUBLIC, Caller, Grant, Role, Verb
from vfs.errors import Denied, NotFound, Unauthenticated
from vfs.ports.groups import GroupKind

ROLES = {"member": Role.MEMBERS, "superuser": Role.SUPERUSERS, "admin": Role.ADMINS, "founder": Role.FOUNDERS}
OVERSEERS = {"org-admin": Role.ADMINS, "org-founder": Role.FOUNDERS}
OTHERS = {"org-member": Role.MEMBERS, "org-superuser": Role.SUPERUSERS}
VIEWERS = ("anonymous", "outsider", "invited", *ROLES)
SHOWS = ("show_profile", "show_description", "show_members")
PARTS = {
    "": None,
    "name": None,
    "role": None,
    "profile": "show_profile",
    "description": "show_description",
    "roles": "show_members",
    "roles/founders": "show_members",
    "roles/founders/founder": "show_members",
    "shared": "",
    "shared/vis/plots": "",
    "shared/vis/plots/@founder~birds": "",
    "shared/vis/docs": "nothing",
    "email": "",
}
PLACES = {
    GroupKind.USER_GROUP: ("@founder~team", "/v1/users/founder/groups/team"),
    GroupKind.ORG_GROUP: ("+acme~team", "/v1/orgs/acme/groups/team"),
    GroupKind.ORG: ("+acme", "/v1/orgs/acme"),
}
OF_GROUPS = ("shared", "email")


class Square(Town):
    """A group of a kind with a user in each role, and a plot that its founder shares with it."""

    def __init__(self, folder: Path, kind: GroupKind) -> None:
        super().__init__(folder)
        self.kind = kind
        self.ref, self.path = PLACES[kind]
        for name in ("outsider", "invited", *ROLES, *OVERSEERS, *OTHERS):
            self.citizen(name, public=name == "founder")
        if kind is not GroupKind.USER_GROUP:
            self.groups.create(GroupKind.ORG, "acme", "acme", "founder", OrgPlan.ENTERPRISE)
        if kind is not GroupKind.ORG:
            owner = "acme" if kind is GroupKind.ORG_GROUP else "founder"
            self.groups.create(kind, owner, "team", "founder")
        for name, role in ROLES.items():
            self.join(self.ref, name, role)
        self.join(self.ref, "invited", Role.MEMBERS, pending=True)
        if kind is GroupKind.ORG_GROUP:
            for name, role in (OVERSEERS | OTHERS).items():
                self.join("+acme", name, role)
        plot = self.items.create("plot", "founder", "birds")
        self.grants.give(plot.id, Grant(self.ref, "r", f"{self.ref}~r"))
        self.callers = {name: self.token(name) for name in self.viewers()[1:]}

    def viewers(self) -> tuple[str, ...]:
        """All viewers of this kind of group."""
        more = (*OVERSEERS, *OTHERS) if self.kind is GroupKind.ORG_GROUP else ()
        return (*VIEWERS, *more)

    def choose(self, public: bool, shows: tuple[bool, ...]) -> None:
        """Set the options."""
        standing = self.groups.find(self.ref, None)
        assert standing is not None
        self.groups.change(self.ref, public=public)
        for option, shown in zip(SHOWS, shows, strict=True):
            word = "yes" if shown else "no"
            self.leaves.put(standing.group.item.id, f"options/{option}", word, "founder")

    def answer(self, viewer: str, part: str) -> str:
        """What a viewer is answered."""
        caller: Caller = self.callers.get(viewer, PUBLIC)
        try:
            self.call(Verb.READ, f"{self.path}/{part}", caller)
        except (NotFound, Denied, Unauthenticated) as refused:
            return type(refused).__name__
        return "+"


def expected(kind: GroupKind, viewer: str, part: str, public: bool, shows: tuple[bool, ...]) -> str:
    """What the viewer has to be answered."""
    if viewer == "anonymous":
        return "Unauthenticated"
    opened = PARTS[part]
    holds, oversees = viewer in ROLES, viewer in OVERSEERS
    if opened == "":
        mailed = part != "email" or kind is GroupKind.ORG_GROUP
        return "+" if holds and mailed and kind is not GroupKind.ORG else "NotFound"
    if opened == "nothing" or not (public or holds or oversees or viewer == "invited"):
        return "NotFound"
    if opened is None or holds or oversees:
        return "+"
    return "+" if shows[SHOWS.index(opened)] else "NotFound"


@pytest.mark.parametrize("kind", GroupKind)
def test_every_viewer_reads_what_is_shown_to_it(tmp_path: Path, kind: GroupKind) -> None:
    square = Square(tmp_path, kind)
    wrong = []
    for public, *shows in product((False, True), repeat=4):
        square.choose(public, tuple(shows))
        for viewer, part in product(square.viewers(), PARTS):
            found = square.answer(viewer, part)
            wanted = expected(kind, viewer, part, public, tuple(shows))
            if found != wanted:
                wrong.append(
                    f"{viewer} reads {part!r} (public {public}, shows {shows}): {found}, not {wanted}"
                )
    assert wrong == []
