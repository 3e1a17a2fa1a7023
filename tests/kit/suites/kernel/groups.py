"""Promises of groups, their members and the ties between users."""

from __future__ import annotations

from tests.kit.suites.kernel import Ground, add_user, raises
from vfs.access import Grant, Reach, Role
from vfs.errors import Conflict, NotFound
from vfs.ports.groups import Group, GroupKind, Member, SecondOrganisation, Standing, Tie, TieKind

MEMBERS, ADMINS, FOUNDERS = Role.MEMBERS, Role.ADMINS, Role.FOUNDERS
CONNECTION, FOLLOWING = TieKind.CONNECTION, TieKind.FOLLOWING


def team(ground: Ground, name: str = "team", founder: str = "alice") -> Group:
    """A user group."""
    return ground.groups.create(GroupKind.USER_GROUP, founder, name, founder)


def org(ground: Ground, name: str = "acme", owner: str = "boss") -> Group:
    """An organisation on the enterprise plan."""
    return ground.groups.create(GroupKind.ORG, owner, name, owner, "enterprise")


def below(ground: Ground, name: str = "sales", founder: str = "boss") -> Group:
    """A group of the organisation acme."""
    return ground.groups.create(GroupKind.ORG_GROUP, "acme", name, founder)


def refs(standings: object) -> list[str]:
    """The references of what is listed."""
    return [one.group.ref for one in standings]  # type: ignore[attr-defined]


class GroupsSuite:
    """Promises of vfs.ports.groups.Groups."""

    def test_a_group_comes_with_its_founder_and_an_item(self, ground: Ground) -> None:
        now = ground.clock.forward(1)
        group = team(ground)
        assert (group.ref, group.kind, group.owner, group.name) == (
            "@alice~team", GroupKind.USER_GROUP, "alice", "team",
        )  # fmt: skip
        assert (group.public, group.plan, group.created_on, group.parent) == (False, None, now, None)
        assert (group.item.kind, group.item.owner, group.item.name) == ("user_group", "@alice", "team")
        assert ground.members.roster(group.ref) == [
            Member(group.ref, "alice", FOUNDERS, False, None, now, sole=True)
        ]
        assert ground.groups.find(group.ref, "alice") == Standing(group, role=FOUNDERS, since=now)
        assert ground.groups.find("@alice~other", "alice") is None

    def test_names_are_unique_for_each_founder_and_in_each_organisation(self, ground: Ground) -> None:
        team(ground)
        team(ground, founder="bob")
        org(ground)
        below(ground)
        with raises(Conflict):
            team(ground)
        with raises(Conflict):
            org(ground, owner="eve")
        with raises(Conflict):
            below(ground)
        assert ground.groups.orgs("eve") == []

    def test_an_account_has_one_organisation(self, ground: Ground) -> None:
        org(ground)
        with raises(SecondOrganisation):
            org(ground, "other")
        assert ground.groups.find("+other", "boss") is None
        assert ground.items.find("org", "+other", "other", None) is None

    def test_an_account_keeps_having_the_organisation_that_it_created(self, ground: Ground) -> None:
        assert not ground.groups.has_org("boss")
        group = org(ground)
        ground.members.put(group.ref, "ann", FOUNDERS, pending=False, by="boss")
        ground.members.drop(group.ref, "boss", FOUNDERS, pending=False)
        assert ground.groups.has_org("boss")
        assert not ground.groups.has_org("ann")
        ground.groups.remove(group)
        assert not ground.groups.has_org("boss")

    def test_a_group_needs_its_organisation(self, ground: Ground) -> None:
        with raises(NotFound):
            below(ground)

    def test_what_a_caller_is_there(self, ground: Ground) -> None:
        group = team(ground)
        assert not ground.groups.find(group.ref, "bob").seen  # type: ignore[union-attr]
        ground.members.put(group.ref, "bob", MEMBERS, pending=True, by="alice")
        standing = ground.groups.find(group.ref, "bob")
        assert standing is not None
        assert (standing.role, standing.invited, standing.seen) == (None, MEMBERS, True)
        ground.members.accept(group.ref, "bob")
        standing = ground.groups.find(group.ref, "bob")
        assert standing is not None
        assert (standing.role, standing.invited) == (MEMBERS, None)
        public = ground.groups.find(group.ref, None)
        assert public is not None
        assert (public.role, public.seen) == (None, False)

    def test_an_organisation_stands_above_its_groups(self, ground: Ground) -> None:
        org(ground)
        group = below(ground, founder="eve")
        assert (group.parent, group.plan) == ("+acme", "enterprise")
        standing = ground.groups.find(group.ref, "boss")
        assert standing is not None
        assert (standing.role, standing.over, standing.oversees, standing.seen) == (
            None, FOUNDERS, True, True,
        )  # fmt: skip
        ground.members.put("+acme", "sue", Role.SUPERUSERS, pending=False, by="boss")
        ground.members.put("+acme", "ann", ADMINS, pending=True, by="boss")
        overs = {name: ground.groups.find(group.ref, name) for name in ("sue", "ann")}
        assert not any(one.oversees or one.seen for one in overs.values())  # type: ignore[union-attr]
        above = ground.groups.find("+acme", "eve")
        assert above is not None
        assert (above.role, above.inside, above.seen) == (None, True, True)

    def test_listings(self, ground: Ground) -> None:
        org(ground)
        for name in ("sales", "ops"):
            below(ground, name)
        team(ground)
        ground.members.put("@alice~team", "boss", MEMBERS, pending=True, by="alice")
        ground.members.put("+acme~ops", "bob", MEMBERS, pending=True, by="boss")
        assert refs(ground.groups.of("boss")) == ["+acme", "+acme~ops", "+acme~sales", "@alice~team"]
        assert refs(ground.groups.theirs("boss", "bob")) == ["+acme", "+acme~ops", "+acme~sales"]
        assert [one.invited for one in ground.groups.theirs("boss", "bob")] == [None, MEMBERS, None]
        assert refs(ground.groups.under("+acme", "bob")) == ["+acme~ops", "+acme~sales"]
        assert refs(ground.groups.orgs("bob")) == ["+acme"]
        assert ground.groups.orgs("eve") == ground.groups.orgs(None) == []
        ground.groups.change("+acme", public=True)
        assert refs(ground.groups.orgs("eve")) == refs(ground.groups.orgs(None)) == ["+acme"]

    def test_groups_of_many_organisations_and_their_members(self, ground: Ground) -> None:
        org(ground)
        org(ground, "zeta", "chief")
        sales = below(ground)
        ground.groups.create(GroupKind.ORG_GROUP, "zeta", "ops", "alice")
        ground.members.put(sales.ref, "bob", MEMBERS, pending=True, by="boss")
        found = ground.groups.all_under(["+zeta", "+acme", "+none"], "alice")
        assert refs(found) == ["+acme~sales", "+zeta~ops"]
        under = [*ground.groups.under("+acme", "alice"), *ground.groups.under("+zeta", "alice")]
        assert list(found) == under
        assert list(ground.groups.all_under([], "alice")) == []
        rosters = ground.members.rosters(["+zeta~ops", "+acme~sales", "+none"])
        assert rosters == {ref: ground.members.roster(ref) for ref in ("+acme~sales", "+zeta~ops")}
        assert ground.members.rosters([]) == {}

    def test_plans_and_publicity_are_changed(self, ground: Ground) -> None:
        org(ground)
        below(ground)
        assert ground.groups.change("+acme", plan="free")
        found = ground.groups.find("+acme~sales", None)
        assert found is not None
        assert found.group.plan == "free"
        assert ground.groups.change("+acme~sales", public=True)
        assert not ground.groups.change("+acme~sales", plan="free")
        assert not ground.groups.change("+nothing", public=True)
        found = ground.groups.find("+acme~sales", None)
        assert found is not None
        assert found.group.public
        assert found.seen

    def test_a_group_goes_with_members_and_shares(self, ground: Ground) -> None:
        group = team(ground)
        item = ground.items.create("doc", "alice", "report")
        ground.grants.give(item.id, Grant(group.ref, "r", f"{group.ref}~r"))
        ground.grants.give(item.id, Grant("@bob", "r", "@bob~r"))
        ground.leaves.put(group.item.id, "name", "Team", "alice")
        ground.members.put(group.ref, "bob", MEMBERS, pending=False, by="alice")
        ground.groups.remove(group)
        assert ground.groups.find(group.ref, "alice") is None
        assert ground.groups.of("bob") == []
        assert [grant.target for grant in ground.grants.on(item.id)] == ["@bob"]
        assert ground.items.at(group.item.id, "alice") is None
        assert team(ground).item.id != group.item.id

    def test_an_organisation_goes_with_its_groups(self, ground: Ground) -> None:
        group = org(ground)
        below(ground)
        item = ground.items.create("doc", "boss", "report")
        ground.grants.give(item.id, Grant("+acme~sales", "r", "+acme~sales~r"))
        ground.groups.remove(group)
        assert ground.groups.of("boss") == []
        assert ground.grants.on(item.id) == []
        assert org(ground, "other").ref == "+other"


class MembersSuite:
    """Promises of vfs.ports.groups.Members."""

    def test_a_place_is_given_changed_and_taken(self, ground: Ground) -> None:
        ref, now = team(ground).ref, ground.clock.forward(1)
        assert ground.members.put(ref, "bob", ADMINS, pending=False, by="alice")
        ground.clock.forward(1)
        assert not ground.members.put(ref, "bob", MEMBERS, pending=False, by="eve")
        assert ground.members.find(ref, "bob") == Member(ref, "bob", MEMBERS, False, "eve", now)
        assert not ground.members.drop(ref, "bob", ADMINS, pending=False)
        assert not ground.members.drop(ref, "bob", MEMBERS, pending=True)
        assert ground.members.drop(ref, "bob", MEMBERS, pending=False)
        assert not ground.members.drop(ref, "bob", MEMBERS, pending=False)
        assert ground.members.find(ref, "bob") is None

    def test_an_invitation_is_accepted_once(self, ground: Ground) -> None:
        ref = team(ground).ref
        ground.members.put(ref, "bob", ADMINS, pending=True, by="alice")
        now = ground.clock.forward(1)
        assert ground.members.accept(ref, "bob")
        assert not ground.members.accept(ref, "bob")
        assert not ground.members.accept(ref, "eve")
        assert ground.members.find(ref, "bob") == Member(ref, "bob", ADMINS, False, "alice", now)

    def test_the_only_founder_is_told(self, ground: Ground) -> None:
        org(ground)
        assert [one.sole for one in ground.members.roster("+acme")] == [True]
        ground.members.put("+acme", "ann", FOUNDERS, pending=True, by="boss")
        ground.members.put("+acme", "bob", ADMINS, pending=False, by="boss")
        assert [(one.name, one.sole) for one in ground.members.roster("+acme")] == [
            ("ann", False), ("bob", False), ("boss", True),
        ]  # fmt: skip
        ground.members.accept("+acme", "ann")
        assert not any(one.sole for one in ground.members.roster("+acme"))

    def test_a_group_is_held_while_it_is_there(self, ground: Ground) -> None:
        org(ground)
        group = below(ground)
        with ground.atomic():
            assert ground.members.hold("+acme")
            assert ground.members.hold(group.ref)
            assert not ground.members.hold("+acme~other")
            assert not ground.members.hold("+other~sales")
            assert not ground.members.hold("@alice~team")

    def test_members_are_reached_by_shares_with_their_group(self, ground: Ground) -> None:
        ref = team(ground).ref
        item = ground.items.create("doc", "alice", "report")
        ground.grants.give(item.id, Grant(ref, "r", f"{ref}~r"))
        ground.members.put(ref, "bob", MEMBERS, pending=True, by="alice")
        assert ground.items.at(item.id, "bob").reaches == ()  # type: ignore[union-attr]
        ground.members.accept(ref, "bob")
        assert ground.items.at(item.id, "bob").reaches == (Reach(ref, "r", MEMBERS),)  # type: ignore[union-attr]
        ground.members.drop(ref, "bob", MEMBERS, pending=False)
        assert ground.items.at(item.id, "bob").reaches == ()  # type: ignore[union-attr]


class TiesSuite:
    """Promises of vfs.ports.groups.Ties."""

    def test_a_tie_begins_once_and_ends_once(self, ground: Ground) -> None:
        now = ground.clock.forward(1)
        assert ground.ties.put(FOLLOWING, "alice", "bob")
        assert not ground.ties.put(FOLLOWING, "alice", "bob", pending=True)
        tie = Tie(FOLLOWING, "alice", "bob", False, now)
        assert ground.ties.find(FOLLOWING, "alice", "bob") == tie
        assert ground.ties.find(FOLLOWING, "bob", "alice") is None
        assert ground.ties.of(FOLLOWING, "alice") == ground.ties.to(FOLLOWING, "bob") == [tie]
        assert ground.ties.of(CONNECTION, "alice") == ground.ties.to(CONNECTION, "bob") == []
        assert ground.ties.drop(FOLLOWING, "alice", "bob")
        assert not ground.ties.drop(FOLLOWING, "alice", "bob")

    def test_ties_are_listed_by_name(self, ground: Ground) -> None:
        for other in ("zoe", "ann"):
            ground.ties.put(FOLLOWING, "bob", other)
            ground.ties.put(FOLLOWING, other, "bob")
        assert [tie.other for tie in ground.ties.of(FOLLOWING, "bob")] == ["ann", "zoe"]
        assert [tie.name for tie in ground.ties.to(FOLLOWING, "bob")] == ["ann", "zoe"]

    def test_connected_users_see_each_other(self, ground: Ground) -> None:
        for name in ("alice", "bob", "eve"):
            add_user(ground, name)
        ground.ties.put(CONNECTION, "alice", "bob", pending=True)
        ground.ties.put(FOLLOWING, "alice", "eve")
        assert not ground.users.sees("alice", "bob")
        assert ground.ties.accept(CONNECTION, "alice", "bob")
        assert not ground.ties.accept(CONNECTION, "alice", "bob")
        assert ground.users.sees("alice", "bob")
        assert ground.users.sees("bob", "alice")
        assert not ground.users.sees("alice", "eve")
        seen = {name: [user.name for user in ground.users.visible(name)] for name in ("alice", "bob", "eve")}
        assert seen == {"alice": ["alice", "bob"], "bob": ["alice", "bob"], "eve": ["eve"]}

    def test_a_tie_is_ended_as_it_is(self, ground: Ground) -> None:
        ground.ties.put(CONNECTION, "alice", "bob", pending=True)
        assert not ground.ties.drop(CONNECTION, "alice", "bob", pending=False)
        ground.ties.accept(CONNECTION, "alice", "bob")
        assert not ground.ties.drop(CONNECTION, "alice", "bob", pending=True)
        assert ground.ties.drop(CONNECTION, "alice", "bob", pending=False)
