"""Promises of shares: who is reached by them, one item at a time and many."""

from __future__ import annotations

from tests.kit.suites.kernel import EmptyWorld, add_user, raises
from vfs.access import EffectiveGrant, Grant, Holder, Role
from vfs.errors import NotFound
from vfs.ports.items import Item


def share(empty_world: EmptyWorld, item: Item, target: str, letters: str = "r") -> bool:
    """Give a grant named as its target and letters."""
    return empty_world.grants.give(item.id, Grant(target, letters, f"{target}~{letters}"))


def effective_grants(empty_world: EmptyWorld, item: Item, caller: str | None) -> set[EffectiveGrant]:
    """Reaches of a caller, which are the same whichever way the item is looked up."""
    every = empty_world.items.at(item.id, caller)
    assert every is not None
    listed = {
        found.item: set(found.effective_grants)
        for found in empty_world.items.visible(item.kind, None, caller)
    }
    assert listed.get(item, set()) == set(every.effective_grants)
    for found in (
        empty_world.items.find(item.kind, item.owner, item.name, caller),
        empty_world.items.by_shortname(item.shortname, caller),
    ):
        assert found is not None
        assert set(found.effective_grants) == set(every.effective_grants)
    return set(every.effective_grants)


def names(empty_world: EmptyWorld, owner: str | None, caller: str | None, kind: str = "doc") -> list[str]:
    """The items visible to a caller, as owner/name, in their order."""
    return [
        f"{found.item.owner}/{found.item.name}" for found in empty_world.items.visible(kind, owner, caller)
    ]


class GrantsSuite:
    """Promises of vfs.ports.grants.Grants."""

    def test_a_new_target_differs_from_a_changed_one(self, empty_world: EmptyWorld) -> None:
        item = empty_world.items.create("doc", "alice", "report")
        first = empty_world.clock.forward(1)
        assert share(empty_world, item, "@bob", "r")
        second = empty_world.clock.forward(1)
        assert share(empty_world, item, "@ada", "r")
        assert not share(empty_world, item, "@bob", "rw")
        assert empty_world.grants.on(item.id) == [
            Grant("@bob", "rw", "@bob~rw", first),
            Grant("@ada", "r", "@ada~r", second),
        ]

    def test_a_share_is_taken_once(self, empty_world: EmptyWorld) -> None:
        item = empty_world.items.create("doc", "alice", "report")
        share(empty_world, item, "@bob")
        assert empty_world.grants.take(item.id, "@bob")
        assert not empty_world.grants.take(item.id, "@bob")
        assert empty_world.grants.on(item.id) == []

    def test_what_is_removed_cannot_be_shared(self, empty_world: EmptyWorld) -> None:
        item = empty_world.items.create("doc", "alice", "report")
        empty_world.items.remove(item)
        with raises(NotFound):
            share(empty_world, item, "@bob")

    def test_holders_are_listed_by_user_then_oldest_share_first(self, empty_world: EmptyWorld) -> None:
        for name in ("alice", "bob", "carol", "dave"):
            add_user(empty_world, name, public=True)
        item = empty_world.items.create("doc", "alice", "report")
        empty_world.join("@carol~team", "alice", Role.MEMBERS)
        empty_world.join("@carol~team", "carol", Role.FOUNDERS)
        empty_world.join("@carol~team", "bob", Role.SUPERUSERS)
        empty_world.join("@carol~team", "dave", Role.ADMINS, pending=True)
        empty_world.join("+acme~sales", "bob", Role.MEMBERS)
        for target in ("@carol~team", "public", "@bob", "+acme~sales", "@nobody"):
            empty_world.clock.forward(1)
            share(empty_world, item, target, "r")
        team, _, direct, sales, _ = empty_world.grants.on(item.id)
        through = [Holder("bob", team, Role.SUPERUSERS), Holder("bob", direct)]
        carol = Holder("carol", team, Role.FOUNDERS)
        assert empty_world.grants.holders(item.id) == [*through, carol]
        empty_world.join("+acme~sales", "alice", Role.MEMBERS)
        assert empty_world.grants.holders(item.id) == [*through, Holder("bob", sales, Role.MEMBERS), carol]
        empty_world.join("@carol~team", "alice", Role.MEMBERS, pending=True)
        empty_world.grants.take(item.id, "@bob")
        assert empty_world.grants.holders(item.id) == [Holder("bob", sales, Role.MEMBERS)]

    def test_targets_of_many_items_are_read_at_once(self, empty_world: EmptyWorld) -> None:
        one, two, three = (empty_world.items.create("doc", "alice", name) for name in ("one", "two", "three"))
        for item, target in ((one, "public"), (one, "@bob"), (two, "+acme~sales")):
            share(empty_world, item, target)
        assert empty_world.grants.targets([one.id, two.id, three.id]) == {
            one.id: ["@bob", "public"],
            two.id: ["+acme~sales"],
        }
        assert empty_world.grants.targets([]) == {}

    def test_nobody_holds_what_is_not_shared(self, empty_world: EmptyWorld) -> None:
        add_user(empty_world, "alice")
        item = empty_world.items.create("doc", "alice", "report")
        assert empty_world.grants.holders(item.id) == []
        empty_world.grants.give(item.id, Grant("@alice", "r", "@alice~r"))
        assert empty_world.grants.holders(item.id) == []
        empty_world.items.remove(item)
        assert empty_world.grants.holders(item.id) == []

    def test_whom_shares_reach_is_counted_up_to_a_bound(self, empty_world: EmptyWorld) -> None:
        for name in ("alice", "bob", "carol", "dave"):
            add_user(empty_world, name)
            empty_world.join("@alice~crew", name, Role.MEMBERS, pending=name == "dave")
            empty_world.join("@bob~other", name, Role.MEMBERS, pending=name == "alice")
        item = empty_world.items.create("doc", "alice", "report")
        assert empty_world.grants.grant_counts(item.id, 9) == {}
        for target in ("@bob~other", "@alice~crew", "public", "@carol", "@alice", "@bob", "@nobody"):
            share(empty_world, item, target)
        counts = {"public": 0, "@bob": 1, "@carol": 1, "@alice~crew": 2}
        assert list(empty_world.grants.grant_counts(item.id, 9).items()) == list(counts.items())
        assert list(empty_world.grants.grant_counts(item.id, 2).items()) == [("public", 0), ("@bob", 1)]
        empty_world.grants.take(item.id, "public")
        assert empty_world.grants.grant_counts(item.id, 1) == {"@bob": 1}


class ReachSuite:
    """Promises of vfs.ports.items.ItemStore about who is reached."""

    def test_the_owner_needs_no_grant(self, empty_world: EmptyWorld) -> None:
        add_user(empty_world, "alice", public=True)
        item = empty_world.items.create("doc", "alice", "report")
        share(empty_world, item, "public")
        share(empty_world, item, "@alice")
        assert effective_grants(empty_world, item, "alice") == set()
        assert names(empty_world, None, "alice") == ["alice/report"]

    def test_a_direct_share_reaches_that_user_alone(self, empty_world: EmptyWorld) -> None:
        item = empty_world.items.create("doc", "alice", "report")
        share(empty_world, item, "@bob", "rw")
        assert effective_grants(empty_world, item, "bob") == {EffectiveGrant("@bob", "rw")}
        assert effective_grants(empty_world, item, "bo") == set()
        assert effective_grants(empty_world, item, None) == set()
        empty_world.grants.take(item.id, "@bob")
        assert effective_grants(empty_world, item, "bob") == set()

    def test_a_public_share_counts_while_the_account_is_public(self, empty_world: EmptyWorld) -> None:
        add_user(empty_world, "alice")
        item = empty_world.items.create("doc", "alice", "report")
        share(empty_world, item, "public")
        assert effective_grants(empty_world, item, None) == set()
        empty_world.users.change("alice", public=True)
        assert effective_grants(empty_world, item, None) == {EffectiveGrant("public", "r")}
        assert effective_grants(empty_world, item, "bob") == {EffectiveGrant("public", "r")}
        empty_world.users.change("alice", public=False)
        assert effective_grants(empty_world, item, "bob") == set()

    def test_a_group_share_carries_the_role_and_needs_both_to_be_members(
        self, empty_world: EmptyWorld
    ) -> None:
        item = empty_world.items.create("doc", "alice", "report")
        for group in ("@carol~team", "+acme~sales"):
            share(empty_world, item, group, "rd")
            empty_world.join(group, "bob", Role.MEMBERS)
            assert effective_grants(empty_world, item, "bob") == set()
            empty_world.join(group, "alice", Role.ADMINS, pending=True)
            assert effective_grants(empty_world, item, "bob") == set()
            empty_world.join(group, "alice", Role.ADMINS)
            assert effective_grants(empty_world, item, "bob") == {EffectiveGrant(group, "rd", Role.MEMBERS)}
            assert effective_grants(empty_world, item, "eve") == set()
            assert effective_grants(empty_world, item, None) == set()
            empty_world.grants.take(item.id, group)

    def test_an_invited_user_is_not_reached_yet(self, empty_world: EmptyWorld) -> None:
        item = empty_world.items.create("doc", "alice", "report")
        share(empty_world, item, "@alice~team")
        empty_world.join("@alice~team", "alice", Role.FOUNDERS)
        empty_world.join("@alice~team", "bob", Role.MEMBERS, pending=True)
        assert effective_grants(empty_world, item, "bob") == set()
        empty_world.join("@alice~team", "bob", Role.SUPERUSERS)
        assert effective_grants(empty_world, item, "bob") == {
            EffectiveGrant("@alice~team", "r", Role.SUPERUSERS)
        }

    def test_every_effective_grant_comes_along(self, empty_world: EmptyWorld) -> None:
        add_user(empty_world, "alice", public=True)
        item = empty_world.items.create("doc", "alice", "report")
        for group in ("@alice~one", "@alice~two"):
            share(empty_world, item, group, "d")
            empty_world.join(group, "alice", Role.FOUNDERS)
            empty_world.join(group, "bob", Role.ADMINS)
        share(empty_world, item, "@bob", "w")
        share(empty_world, item, "@eve", "rwdx")
        share(empty_world, item, "public")
        assert effective_grants(empty_world, item, "bob") == {
            EffectiveGrant("@alice~one", "d", Role.ADMINS),
            EffectiveGrant("@alice~two", "d", Role.ADMINS),
            EffectiveGrant("@bob", "w"),
            EffectiveGrant("public", "r"),
        }

    def test_listings_hold_what_is_owned_or_reached_by_owner_and_name(self, empty_world: EmptyWorld) -> None:
        add_user(empty_world, "carol", public=True)
        for owner, name in (
            ("bob", "b"),
            ("alice", "z"),
            ("alice", "a"),
            ("alice", "hidden"),
            ("carol", "c"),
        ):
            empty_world.items.create("doc", owner, name)
        for owner, name, target in (("alice", "z", "@bob"), ("alice", "a", "@bob"), ("carol", "c", "public")):
            found = empty_world.items.find("doc", owner, name, owner)
            assert found is not None
            share(empty_world, found.item, target)
        grid = empty_world.items.create("grid", "alice", "g")
        share(empty_world, grid, "@bob")
        assert names(empty_world, None, "bob") == ["alice/a", "alice/z", "bob/b", "carol/c"]
        assert names(empty_world, "alice", "bob") == ["alice/a", "alice/z"]
        assert names(empty_world, "bob", "bob") == ["bob/b"]
        assert names(empty_world, "carol", "bob") == ["carol/c"]
        assert names(empty_world, None, None) == ["carol/c"]
        assert names(empty_world, "alice", None) == []
        assert names(empty_world, "alice", "alice") == ["alice/a", "alice/hidden", "alice/z"]
        assert names(empty_world, None, "bob", "grid") == ["alice/g"]

    def test_names_are_listed_by_code_point(self, empty_world: EmptyWorld) -> None:
        for name in ("a_b", "a-b", "ab", "a1", "a"):
            empty_world.items.create("doc", "alice", name)
        assert names(empty_world, "alice", "alice") == [
            "alice/a",
            "alice/a-b",
            "alice/a1",
            "alice/a_b",
            "alice/ab",
        ]
        assert names(empty_world, None, "alice") == names(empty_world, "alice", "alice")

    def test_what_is_shared_with_groups_comes_with_all_that_reaches_the_caller(
        self, empty_world: EmptyWorld
    ) -> None:
        items = {
            f"{kind} {owner}": empty_world.items.create(kind, owner, "report")
            for kind, owner in (("doc", "bob"), ("doc", "alice"), ("grid", "alice"), ("doc", "gone"))
        }
        for group in ("@alice~one", "+acme~two"):
            for user in ("alice", "bob", "me"):
                empty_world.join(group, user, Role.MEMBERS)
            empty_world.join(group, "gone", Role.MEMBERS, pending=True)
        for target, letters in (("@alice~one", "r"), ("+acme~two", "w"), ("@me", "d")):
            share(empty_world, items["doc alice"], target, letters)
        share(empty_world, items["doc bob"], "+acme~two", "x")
        share(empty_world, items["doc gone"], "+acme~two", "x")
        share(empty_world, items["grid alice"], "+acme~two", "x")
        all_of_it = {
            EffectiveGrant("@alice~one", "r", Role.MEMBERS),
            EffectiveGrant("+acme~two", "w", Role.MEMBERS),
            EffectiveGrant("@me", "d"),
        }
        one = empty_world.items.through("doc", ["@alice~one"], "me")
        assert [(found.item, set(found.effective_grants)) for found in one] == [
            (items["doc alice"], all_of_it)
        ]
        both = empty_world.items.through("doc", ["@alice~one", "+acme~two"], "me")
        assert [found.item.owner for found in both] == ["alice", "bob"]
        own = empty_world.items.through("doc", ["@alice~one"], "alice")
        assert [(found.item.owner, found.effective_grants) for found in own] == [("alice", ())]
        assert empty_world.items.through("doc", [], "me") == []
        assert empty_world.items.through("mail", ["@alice~one"], "me") == []
        outside = empty_world.items.through("doc", ["@alice~one"], "eve")
        assert [found.effective_grants for found in outside] == [()]
        assert empty_world.grants.kinds("+acme~two") == {"doc", "grid"}
        assert empty_world.grants.kinds("@alice~one") == {"doc"}
        assert empty_world.grants.kinds("@nobody~x") == frozenset()
