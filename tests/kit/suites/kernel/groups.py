"""Promises of groups, their members and the ties between users."""

from __future__ import annotations

from tests.kit.suites.kernel import EmptyWorld, add_user, raises
from vfs.access import EffectiveGrant, Grant, Role
from vfs.errors import Conflict, NotFound
from vfs.ports.groups import Group, GroupKind, GroupRelation, Member, SecondOrganisation, Tie, TieKind

MEMBERS, ADMINS, FOUNDERS = Role.MEMBERS, Role.ADMINS, Role.FOUNDERS
CONNECTION, FOLLOWING = TieKind.CONNECTION, TieKind.FOLLOWING


def team(empty_world: EmptyWorld, name: str = "team", founder: str = "alice") -> Group:
    """A user group."""
    return empty_world.groups.create(GroupKind.USER_GROUP, founder, name, founder)


def org(empty_world: EmptyWorld, name: str = "acme", owner: str = "boss") -> Group:
    """An organisation on the enterprise plan."""
    return empty_world.groups.create(GroupKind.ORG, owner, name, owner, "enterprise")


def below(empty_world: EmptyWorld, name: str = "sales", founder: str = "boss") -> Group:
    """A group of the organisation acme."""
    return empty_world.groups.create(GroupKind.ORG_GROUP, "acme", name, founder)


def refs(relations: object) -> list[str]:
    """The references of what is listed."""
    return [one.group.ref for one in relations]  # type: ignore[attr-defined]


class GroupsSuite:
    """Promises of vfs.ports.groups.Groups."""

    def test_a_group_comes_with_its_founder_and_an_item(self, empty_world: EmptyWorld) -> None:
        now = empty_world.clock.forward(1)
        group = team(empty_world)
        assert (group.ref, group.kind, group.owner, group.name) == (
            "@alice~team", GroupKind.USER_GROUP, "alice", "team",
        )  # fmt: skip
        assert (group.public, group.plan, group.created_on, group.parent) == (False, None, now, None)
        assert (group.item.kind, group.item.owner, group.item.name) == ("user_group", "@alice", "team")
        assert empty_world.members.roster(group.ref) == [
            Member(group.ref, "alice", FOUNDERS, False, None, now, sole=True)
        ]
        assert empty_world.groups.find(group.ref, "alice") == GroupRelation(group, role=FOUNDERS, since=now)
        assert empty_world.groups.find("@alice~other", "alice") is None

    def test_names_are_unique_for_each_founder_and_in_each_organisation(
        self, empty_world: EmptyWorld
    ) -> None:
        team(empty_world)
        team(empty_world, founder="bob")
        org(empty_world)
        below(empty_world)
        with raises(Conflict):
            team(empty_world)
        with raises(Conflict):
            org(empty_world, owner="eve")
        with raises(Conflict):
            below(empty_world)
        assert empty_world.groups.orgs("eve") == []

    def test_an_account_has_one_organisation(self, empty_world: EmptyWorld) -> None:
        org(empty_world)
        with raises(SecondOrganisation):
            org(empty_world, "other")
        assert empty_world.groups.find("+other", "boss") is None
        assert empty_world.items.find("org", "+other", "other", None) is None

    def test_an_account_keeps_having_the_organisation_that_it_created(self, empty_world: EmptyWorld) -> None:
        assert not empty_world.groups.has_org("boss")
        group = org(empty_world)
        empty_world.members.put(group.ref, "ann", FOUNDERS, pending=False, by="boss")
        empty_world.members.drop(group.ref, "boss", FOUNDERS, pending=False)
        assert empty_world.groups.has_org("boss")
        assert not empty_world.groups.has_org("ann")
        empty_world.groups.remove(group)
        assert not empty_world.groups.has_org("boss")

    def test_a_group_needs_its_organisation(self, empty_world: EmptyWorld) -> None:
        with raises(NotFound):
            below(empty_world)

    def test_what_a_caller_is_there(self, empty_world: EmptyWorld) -> None:
        group = team(empty_world)
        assert not empty_world.groups.find(group.ref, "bob").seen  # type: ignore[union-attr]
        empty_world.members.put(group.ref, "bob", MEMBERS, pending=True, by="alice")
        relation = empty_world.groups.find(group.ref, "bob")
        assert relation is not None
        assert (relation.role, relation.invited, relation.seen) == (None, MEMBERS, True)
        empty_world.members.accept(group.ref, "bob")
        relation = empty_world.groups.find(group.ref, "bob")
        assert relation is not None
        assert (relation.role, relation.invited) == (MEMBERS, None)
        public = empty_world.groups.find(group.ref, None)
        assert public is not None
        assert (public.role, public.seen) == (None, False)

    def test_an_organisation_stands_above_its_groups(self, empty_world: EmptyWorld) -> None:
        org(empty_world)
        group = below(empty_world, founder="eve")
        assert (group.parent, group.plan) == ("+acme", "enterprise")
        relation = empty_world.groups.find(group.ref, "boss")
        assert relation is not None
        assert (relation.role, relation.over, relation.oversees, relation.seen) == (
            None, FOUNDERS, True, True,
        )  # fmt: skip
        empty_world.members.put("+acme", "sue", Role.SUPERUSERS, pending=False, by="boss")
        empty_world.members.put("+acme", "ann", ADMINS, pending=True, by="boss")
        overs = {name: empty_world.groups.find(group.ref, name) for name in ("sue", "ann")}
        assert not any(one.oversees or one.seen for one in overs.values())  # type: ignore[union-attr]
        above = empty_world.groups.find("+acme", "eve")
        assert above is not None
        assert (above.role, above.inside, above.seen) == (None, True, True)

    def test_listings(self, empty_world: EmptyWorld) -> None:
        org(empty_world)
        for name in ("sales", "ops"):
            below(empty_world, name)
        team(empty_world)
        empty_world.members.put("@alice~team", "boss", MEMBERS, pending=True, by="alice")
        empty_world.members.put("+acme~ops", "bob", MEMBERS, pending=True, by="boss")
        assert refs(empty_world.groups.of("boss")) == ["+acme", "+acme~ops", "+acme~sales", "@alice~team"]
        assert refs(empty_world.groups.theirs("boss", "bob")) == ["+acme", "+acme~ops", "+acme~sales"]
        assert [one.invited for one in empty_world.groups.theirs("boss", "bob")] == [None, MEMBERS, None]
        assert refs(empty_world.groups.under("+acme", "bob")) == ["+acme~ops", "+acme~sales"]
        assert refs(empty_world.groups.orgs("bob")) == ["+acme"]
        assert empty_world.groups.orgs("eve") == empty_world.groups.orgs(None) == []
        empty_world.groups.change("+acme", public=True)
        assert refs(empty_world.groups.orgs("eve")) == refs(empty_world.groups.orgs(None)) == ["+acme"]

    def test_groups_of_many_organisations_and_their_members(self, empty_world: EmptyWorld) -> None:
        org(empty_world)
        org(empty_world, "zeta", "chief")
        sales = below(empty_world)
        empty_world.groups.create(GroupKind.ORG_GROUP, "zeta", "ops", "alice")
        empty_world.members.put(sales.ref, "bob", MEMBERS, pending=True, by="boss")
        found = empty_world.groups.all_under(["+zeta", "+acme", "+none"], "alice")
        assert refs(found) == ["+acme~sales", "+zeta~ops"]
        under = [*empty_world.groups.under("+acme", "alice"), *empty_world.groups.under("+zeta", "alice")]
        assert list(found) == under
        assert list(empty_world.groups.all_under([], "alice")) == []
        rosters = empty_world.members.rosters(["+zeta~ops", "+acme~sales", "+none"])
        assert rosters == {ref: empty_world.members.roster(ref) for ref in ("+acme~sales", "+zeta~ops")}
        assert empty_world.members.rosters([]) == {}

    def test_plans_and_publicity_are_changed(self, empty_world: EmptyWorld) -> None:
        org(empty_world)
        below(empty_world)
        assert empty_world.groups.change("+acme", plan="free")
        found = empty_world.groups.find("+acme~sales", None)
        assert found is not None
        assert found.group.plan == "free"
        assert empty_world.groups.change("+acme~sales", public=True)
        assert not empty_world.groups.change("+acme~sales", plan="free")
        assert not empty_world.groups.change("+nothing", public=True)
        found = empty_world.groups.find("+acme~sales", None)
        assert found is not None
        assert found.group.public
        assert found.seen

    def test_a_group_goes_with_members_and_shares(self, empty_world: EmptyWorld) -> None:
        group = team(empty_world)
        item = empty_world.items.create("doc", "alice", "report")
        empty_world.grants.give(item.id, Grant(group.ref, "r", f"{group.ref}~r"))
        empty_world.grants.give(item.id, Grant("@bob", "r", "@bob~r"))
        empty_world.leaves.put(group.item.id, "name", "Team", "alice")
        empty_world.members.put(group.ref, "bob", MEMBERS, pending=False, by="alice")
        empty_world.groups.remove(group)
        assert empty_world.groups.find(group.ref, "alice") is None
        assert empty_world.groups.of("bob") == []
        assert [grant.target for grant in empty_world.grants.on(item.id)] == ["@bob"]
        assert empty_world.items.at(group.item.id, "alice") is None
        assert team(empty_world).item.id != group.item.id

    def test_an_organisation_goes_with_its_groups(self, empty_world: EmptyWorld) -> None:
        group = org(empty_world)
        below(empty_world)
        item = empty_world.items.create("doc", "boss", "report")
        empty_world.grants.give(item.id, Grant("+acme~sales", "r", "+acme~sales~r"))
        empty_world.groups.remove(group)
        assert empty_world.groups.of("boss") == []
        assert empty_world.grants.on(item.id) == []
        assert org(empty_world, "other").ref == "+other"


class MembersSuite:
    """Promises of vfs.ports.groups.Members."""

    def test_a_place_is_given_changed_and_taken(self, empty_world: EmptyWorld) -> None:
        ref, now = team(empty_world).ref, empty_world.clock.forward(1)
        assert empty_world.members.put(ref, "bob", ADMINS, pending=False, by="alice")
        empty_world.clock.forward(1)
        assert not empty_world.members.put(ref, "bob", MEMBERS, pending=False, by="eve")
        assert empty_world.members.find(ref, "bob") == Member(ref, "bob", MEMBERS, False, "eve", now)
        assert not empty_world.members.drop(ref, "bob", ADMINS, pending=False)
        assert not empty_world.members.drop(ref, "bob", MEMBERS, pending=True)
        assert empty_world.members.drop(ref, "bob", MEMBERS, pending=False)
        assert not empty_world.members.drop(ref, "bob", MEMBERS, pending=False)
        assert empty_world.members.find(ref, "bob") is None

    def test_an_invitation_is_accepted_once(self, empty_world: EmptyWorld) -> None:
        ref = team(empty_world).ref
        empty_world.members.put(ref, "bob", ADMINS, pending=True, by="alice")
        now = empty_world.clock.forward(1)
        assert empty_world.members.accept(ref, "bob")
        assert not empty_world.members.accept(ref, "bob")
        assert not empty_world.members.accept(ref, "eve")
        assert empty_world.members.find(ref, "bob") == Member(ref, "bob", ADMINS, False, "alice", now)

    def test_the_only_founder_is_found(self, empty_world: EmptyWorld) -> None:
        org(empty_world)
        assert [one.sole for one in empty_world.members.roster("+acme")] == [True]
        empty_world.members.put("+acme", "ann", FOUNDERS, pending=True, by="boss")
        empty_world.members.put("+acme", "bob", ADMINS, pending=False, by="boss")
        assert [(one.name, one.sole) for one in empty_world.members.roster("+acme")] == [
            ("ann", False), ("bob", False), ("boss", True),
        ]  # fmt: skip
        empty_world.members.accept("+acme", "ann")
        assert not any(one.sole for one in empty_world.members.roster("+acme"))

    def test_a_group_is_held_while_it_is_there(self, empty_world: EmptyWorld) -> None:
        org(empty_world)
        group = below(empty_world)
        with empty_world.atomic():
            assert empty_world.members.hold("+acme")
            assert empty_world.members.hold(group.ref)
            assert not empty_world.members.hold("+acme~other")
            assert not empty_world.members.hold("+other~sales")
            assert not empty_world.members.hold("@alice~team")

    def test_members_are_reached_by_shares_with_their_group(self, empty_world: EmptyWorld) -> None:
        ref = team(empty_world).ref
        item = empty_world.items.create("doc", "alice", "report")
        empty_world.grants.give(item.id, Grant(ref, "r", f"{ref}~r"))
        empty_world.members.put(ref, "bob", MEMBERS, pending=True, by="alice")
        assert empty_world.items.at(item.id, "bob").effective_grants == ()  # type: ignore[union-attr]
        empty_world.members.accept(ref, "bob")
        assert empty_world.items.at(item.id, "bob").effective_grants == (EffectiveGrant(ref, "r", MEMBERS),)  # type: ignore[union-attr]
        empty_world.members.drop(ref, "bob", MEMBERS, pending=False)
        assert empty_world.items.at(item.id, "bob").effective_grants == ()  # type: ignore[union-attr]


class TiesSuite:
    """Promises of vfs.ports.groups.Ties."""

    def test_a_tie_begins_once_and_ends_once(self, empty_world: EmptyWorld) -> None:
        now = empty_world.clock.forward(1)
        assert empty_world.ties.put(FOLLOWING, "alice", "bob")
        assert not empty_world.ties.put(FOLLOWING, "alice", "bob", pending=True)
        tie = Tie(FOLLOWING, "alice", "bob", False, now)
        assert empty_world.ties.find(FOLLOWING, "alice", "bob") == tie
        assert empty_world.ties.find(FOLLOWING, "bob", "alice") is None
        assert empty_world.ties.of(FOLLOWING, "alice") == empty_world.ties.to(FOLLOWING, "bob") == [tie]
        assert empty_world.ties.of(CONNECTION, "alice") == empty_world.ties.to(CONNECTION, "bob") == []
        assert empty_world.ties.drop(FOLLOWING, "alice", "bob")
        assert not empty_world.ties.drop(FOLLOWING, "alice", "bob")

    def test_ties_are_listed_by_name(self, empty_world: EmptyWorld) -> None:
        for other in ("zoe", "ann"):
            empty_world.ties.put(FOLLOWING, "bob", other)
            empty_world.ties.put(FOLLOWING, other, "bob")
        assert [tie.other for tie in empty_world.ties.of(FOLLOWING, "bob")] == ["ann", "zoe"]
        assert [tie.name for tie in empty_world.ties.to(FOLLOWING, "bob")] == ["ann", "zoe"]

    def test_connected_users_see_each_other(self, empty_world: EmptyWorld) -> None:
        for name in ("alice", "bob", "eve"):
            add_user(empty_world, name)
        empty_world.ties.put(CONNECTION, "alice", "bob", pending=True)
        empty_world.ties.put(FOLLOWING, "alice", "eve")
        assert not empty_world.users.sees("alice", "bob")
        assert empty_world.ties.accept(CONNECTION, "alice", "bob")
        assert not empty_world.ties.accept(CONNECTION, "alice", "bob")
        assert empty_world.users.sees("alice", "bob")
        assert empty_world.users.sees("bob", "alice")
        assert not empty_world.users.sees("alice", "eve")
        seen = {
            name: [user.name for user in empty_world.users.visible(name)] for name in ("alice", "bob", "eve")
        }
        assert seen == {"alice": ["alice", "bob"], "bob": ["alice", "bob"], "eve": ["eve"]}

    def test_a_tie_is_ended_as_it_is(self, empty_world: EmptyWorld) -> None:
        empty_world.ties.put(CONNECTION, "alice", "bob", pending=True)
        assert not empty_world.ties.drop(CONNECTION, "alice", "bob", pending=False)
        empty_world.ties.accept(CONNECTION, "alice", "bob")
        assert not empty_world.ties.drop(CONNECTION, "alice", "bob", pending=True)
        assert empty_world.ties.drop(CONNECTION, "alice", "bob", pending=False)
