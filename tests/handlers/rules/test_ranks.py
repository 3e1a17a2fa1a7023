"""The rank rules over every relation, place and role."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.rules.ranks import RANKS, dropping, effective_grants, enters, letters, placing
from vfs.access import Role
from vfs.ports.groups import Group, GroupKind, GroupRelation, Member
from vfs.ports.items import Item

F, A, S, M = Role
ITEM = Item(1, "", "", "", "", "", "")
KINDS = st.sampled_from(GroupKind)
ROLES = st.sampled_from(Role)
MAYBE = st.none() | ROLES


def relation(kind: GroupKind, role: Role | None, over: Role | None = None) -> GroupRelation:
    """Return the relation of a caller to a group."""
    group = Group("ref", kind, "owner", "name", False, None, "", ITEM)
    return GroupRelation(group, role=role, over=over if kind is GroupKind.ORG_GROUP else None)


def member(
    role: Role, *, name: str = "bob", pending: bool = False, by: str = "eve", sole: bool = False
) -> Member:
    """A user's place."""
    return Member("ref", name, role, pending, by, "", sole=sole)


PRESENT = st.none() | st.builds(
    member,
    ROLES,
    name=st.sampled_from(["bob", "me"]),
    pending=st.booleans(),
    by=st.sampled_from(["eve", "me"]),
)


def test_ranks_are_in_the_order_of_the_roles() -> None:
    assert sorted(Role, key=RANKS.__getitem__, reverse=True) == list(Role)


@pytest.mark.parametrize(("role", "other"), list(itertools.product(Role, Role)))
def test_a_role_reaches_its_own_rank_and_below(role: Role, other: Role) -> None:
    expected = {S: {S, M}, A: {A, S, M}, F: {F, A, S, M}, M: set()}
    assert effective_grants(role, other) is (other in expected[role])
    assert not effective_grants(None, other)


@given(KINDS, MAYBE, MAYBE, PRESENT, ROLES)
def test_nobody_is_placed_above_oneself(
    kind: GroupKind, role: Role | None, over: Role | None, present: Member | None, wanted: Role
) -> None:
    caller = relation(kind, role, over)
    user = present.name if present is not None else "bob"
    if placing(caller, "me", user, present, wanted) is None:
        own = role or caller.over
        assert own is not None
        assert RANKS[wanted] <= RANKS[own]
        assert RANKS[own] >= RANKS[S]
        if role is None:
            assert user == "me"
            assert over in (A, F)
        elif present is not None:
            assert RANKS[present.role] <= RANKS[role]


@given(KINDS, MAYBE, MAYBE, PRESENT.filter(bool))
def test_nobody_above_oneself_is_removed(
    kind: GroupKind, role: Role | None, over: Role | None, present: Member
) -> None:
    if dropping(relation(kind, role, over), "me", present) is None:
        if present.pending and present.invited_by == "me":
            return
        if present.name == "me" and not present.pending:
            return
        assert role is not None
        assert RANKS[S] <= RANKS[role]
        assert RANKS[present.role] <= RANKS[role]


@given(KINDS, MAYBE, ROLES, st.sampled_from(["bob", "me"]))
def test_the_last_founder_stays(kind: GroupKind, role: Role | None, wanted: Role, name: str) -> None:
    last = member(F, name=name, sole=True)
    assert dropping(relation(kind, role), "me", last) is not None
    if wanted is not F:
        assert placing(relation(kind, role), "me", name, last, wanted) is not None


@given(MAYBE, PRESENT, ROLES)
def test_the_founder_of_a_user_group_is_fixed(
    role: Role | None, present: Member | None, wanted: Role
) -> None:
    caller = relation(GroupKind.USER_GROUP, role)
    founder = member(F, name="me")
    assert dropping(caller, "me", founder) is not None
    if wanted is not F:
        assert placing(caller, "me", "me", founder, wanted) is not None
    if present is None or present.role is not F:
        assert placing(caller, "me", "bob", present, F) is not None


def test_a_present_role_may_be_set_again_by_those_who_may_set_it() -> None:
    for kind in GroupKind:
        founder = member(F, name="me", sole=True)
        assert placing(relation(kind, F), "me", "me", founder, F) is None
        assert placing(relation(kind, A), "me", "bob", member(F), F) is not None


def test_a_sender_takes_its_invitation_back_whatever_it_is_now() -> None:
    invitation = member(A, pending=True, by="me")
    assert dropping(relation(GroupKind.ORG, M), "me", invitation) is None
    assert dropping(relation(GroupKind.ORG, M), "me", member(A, pending=True)) is not None
    assert dropping(relation(GroupKind.ORG, S), "me", member(S, pending=True)) is None
    assert dropping(relation(GroupKind.ORG, S), "me", member(A, pending=True)) is not None


@pytest.mark.parametrize(("over", "role"), list(itertools.product((None, *Role), (None, *Role))))
def test_roles_that_the_organisation_gives_in_its_groups(over: Role | None, role: Role | None) -> None:
    caller = relation(GroupKind.ORG_GROUP, role, over)
    entered = {wanted for wanted in Role if enters(caller, wanted)}
    expected = {A: {A, S, M}, F: {F, A, S, M}} if role is None else {}
    assert entered == expected.get(over, set())
    for wanted in entered:
        assert placing(caller, "me", "me", None, wanted) is None
        assert placing(caller, "me", "bob", None, wanted) is not None


def test_letters_of_each_relation() -> None:
    said = {role: letters(relation(GroupKind.ORG_GROUP, role)) for role in Role}
    assert said == {F: "rwd", A: "rw", S: "r", M: "r"}
    group = relation(GroupKind.ORG_GROUP, None).group
    assert [letters(relation(GroupKind.ORG_GROUP, None, over)) for over in Role] == ["r", "r", "", ""]
    assert letters(GroupRelation(group, invited=F)) == letters(GroupRelation(group, inside=True)) == "i"
    assert letters(GroupRelation(group)) == ""
