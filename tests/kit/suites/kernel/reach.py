"""Promises of shares: who is reached by them, one item at a time and many."""

from __future__ import annotations

from tests.kit.suites.kernel import Ground, add_user, raises
from vfs.access import Grant, Holder, Reach, Role
from vfs.errors import NotFound
from vfs.ports.items import Item


def share(ground: Ground, item: Item, target: str, letters: str = "r") -> bool:
    """Give a grant named as its target and letters."""
    return ground.grants.give(item.id, Grant(target, letters, f"{target}~{letters}"))


def reaches(ground: Ground, item: Item, caller: str | None) -> set[Reach]:
    """Reaches of a caller, which are the same whichever way the item is looked up."""
    every = ground.items.at(item.id, caller)
    assert every is not None
    listed = {found.item: set(found.reaches) for found in ground.items.visible(item.kind, None, caller)}
    assert listed.get(item, set()) == set(every.reaches)
    for found in (
        ground.items.find(item.kind, item.owner, item.name, caller),
        ground.items.by_shortname(item.shortname, caller),
    ):
        assert found is not None
        assert set(found.reaches) == set(every.reaches)
    return set(every.reaches)


def names(ground: Ground, owner: str | None, caller: str | None, kind: str = "doc") -> list[str]:
    """The items visible to a caller, as owner/name, in their order."""
    return [f"{found.item.owner}/{found.item.name}" for found in ground.items.visible(kind, owner, caller)]


class GrantsSuite:
    """Promises of vfs.ports.grants.Grants."""

    def test_a_new_target_is_told_from_a_changed_one(self, ground: Ground) -> None:
        item = ground.items.create("doc", "alice", "report")
        first = ground.clock.forward(1)
        assert share(ground, item, "@bob", "r")
        second = ground.clock.forward(1)
        assert share(ground, item, "@ada", "r")
        assert not share(ground, item, "@bob", "rw")
        assert ground.grants.on(item.id) == [
            Grant("@bob", "rw", "@bob~rw", first),
            Grant("@ada", "r", "@ada~r", second),
        ]

    def test_a_share_is_taken_once(self, ground: Ground) -> None:
        item = ground.items.create("doc", "alice", "report")
        share(ground, item, "@bob")
        assert ground.grants.take(item.id, "@bob")
        assert not ground.grants.take(item.id, "@bob")
        assert ground.grants.on(item.id) == []

    def test_what_is_removed_cannot_be_shared(self, ground: Ground) -> None:
        item = ground.items.create("doc", "alice", "report")
        ground.items.remove(item)
        with raises(NotFound):
            share(ground, item, "@bob")

    def test_holders_are_told_by_user_then_oldest_share_first(self, ground: Ground) -> None:
        for name in ("alice", "bob", "carol", "dave"):
            add_user(ground, name, public=True)
        item = ground.items.create("doc", "alice", "report")
        ground.join("@carol~team", "alice", Role.MEMBERS)
        ground.join("@carol~team", "carol", Role.FOUNDERS)
        ground.join("@carol~team", "bob", Role.SUPERUSERS)
        ground.join("@carol~team", "dave", Role.ADMINS, pending=True)
        ground.join("+acme~sales", "bob", Role.MEMBERS)
        for target in ("@carol~team", "public", "@bob", "+acme~sales", "@nobody"):
            ground.clock.forward(1)
            share(ground, item, target, "r")
        team, _, direct, sales, _ = ground.grants.on(item.id)
        through = [Holder("bob", team, Role.SUPERUSERS), Holder("bob", direct)]
        carol = Holder("carol", team, Role.FOUNDERS)
        assert ground.grants.holders(item.id) == [*through, carol]
        ground.join("+acme~sales", "alice", Role.MEMBERS)
        assert ground.grants.holders(item.id) == [*through, Holder("bob", sales, Role.MEMBERS), carol]
        ground.join("@carol~team", "alice", Role.MEMBERS, pending=True)
        ground.grants.take(item.id, "@bob")
        assert ground.grants.holders(item.id) == [Holder("bob", sales, Role.MEMBERS)]

    def test_targets_of_many_items_are_told_at_once(self, ground: Ground) -> None:
        one, two, three = (ground.items.create("doc", "alice", name) for name in ("one", "two", "three"))
        for item, target in ((one, "public"), (one, "@bob"), (two, "+acme~sales")):
            share(ground, item, target)
        assert ground.grants.targets([one.id, two.id, three.id]) == {
            one.id: ["@bob", "public"],
            two.id: ["+acme~sales"],
        }
        assert ground.grants.targets([]) == {}

    def test_nobody_holds_what_is_not_shared(self, ground: Ground) -> None:
        add_user(ground, "alice")
        item = ground.items.create("doc", "alice", "report")
        assert ground.grants.holders(item.id) == []
        ground.grants.give(item.id, Grant("@alice", "r", "@alice~r"))
        assert ground.grants.holders(item.id) == []
        ground.items.remove(item)
        assert ground.grants.holders(item.id) == []

    def test_whom_shares_reach_is_counted_up_to_a_bound(self, ground: Ground) -> None:
        for name in ("alice", "bob", "carol", "dave"):
            add_user(ground, name)
            ground.join("@alice~crew", name, Role.MEMBERS, pending=name == "dave")
            ground.join("@bob~other", name, Role.MEMBERS, pending=name == "alice")
        item = ground.items.create("doc", "alice", "report")
        assert ground.grants.reach_counts(item.id, 9) == {}
        for target in ("@bob~other", "@alice~crew", "public", "@carol", "@alice", "@bob", "@nobody"):
            share(ground, item, target)
        told = {"public": 0, "@bob": 1, "@carol": 1, "@alice~crew": 2}
        assert list(ground.grants.reach_counts(item.id, 9).items()) == list(told.items())
        assert list(ground.grants.reach_counts(item.id, 2).items()) == [("public", 0), ("@bob", 1)]
        ground.grants.take(item.id, "public")
        assert ground.grants.reach_counts(item.id, 1) == {"@bob": 1}


class ReachSuite:
    """Promises of vfs.ports.items.ItemStore about who is reached."""

    def test_the_owner_needs_no_grant(self, ground: Ground) -> None:
        add_user(ground, "alice", public=True)
        item = ground.items.create("doc", "alice", "report")
        share(ground, item, "public")
        share(ground, item, "@alice")
        assert reaches(ground, item, "alice") == set()
        assert names(ground, None, "alice") == ["alice/report"]

    def test_a_direct_share_reaches_that_user_alone(self, ground: Ground) -> None:
        item = ground.items.create("doc", "alice", "report")
        share(ground, item, "@bob", "rw")
        assert reaches(ground, item, "bob") == {Reach("@bob", "rw")}
        assert reaches(ground, item, "bo") == set()
        assert reaches(ground, item, None) == set()
        ground.grants.take(item.id, "@bob")
        assert reaches(ground, item, "bob") == set()

    def test_a_public_share_counts_while_the_account_is_public(self, ground: Ground) -> None:
        add_user(ground, "alice")
        item = ground.items.create("doc", "alice", "report")
        share(ground, item, "public")
        assert reaches(ground, item, None) == set()
        ground.users.change("alice", public=True)
        assert reaches(ground, item, None) == {Reach("public", "r")}
        assert reaches(ground, item, "bob") == {Reach("public", "r")}
        ground.users.change("alice", public=False)
        assert reaches(ground, item, "bob") == set()

    def test_a_group_share_carries_the_role_and_needs_both_to_be_members(self, ground: Ground) -> None:
        item = ground.items.create("doc", "alice", "report")
        for group in ("@carol~team", "+acme~sales"):
            share(ground, item, group, "rd")
            ground.join(group, "bob", Role.MEMBERS)
            assert reaches(ground, item, "bob") == set()
            ground.join(group, "alice", Role.ADMINS, pending=True)
            assert reaches(ground, item, "bob") == set()
            ground.join(group, "alice", Role.ADMINS)
            assert reaches(ground, item, "bob") == {Reach(group, "rd", Role.MEMBERS)}
            assert reaches(ground, item, "eve") == set()
            assert reaches(ground, item, None) == set()
            ground.grants.take(item.id, group)

    def test_an_invited_user_is_not_reached_yet(self, ground: Ground) -> None:
        item = ground.items.create("doc", "alice", "report")
        share(ground, item, "@alice~team")
        ground.join("@alice~team", "alice", Role.FOUNDERS)
        ground.join("@alice~team", "bob", Role.MEMBERS, pending=True)
        assert reaches(ground, item, "bob") == set()
        ground.join("@alice~team", "bob", Role.SUPERUSERS)
        assert reaches(ground, item, "bob") == {Reach("@alice~team", "r", Role.SUPERUSERS)}

    def test_every_effective_grant_comes_along(self, ground: Ground) -> None:
        add_user(ground, "alice", public=True)
        item = ground.items.create("doc", "alice", "report")
        for group in ("@alice~one", "@alice~two"):
            share(ground, item, group, "d")
            ground.join(group, "alice", Role.FOUNDERS)
            ground.join(group, "bob", Role.ADMINS)
        share(ground, item, "@bob", "w")
        share(ground, item, "@eve", "rwdx")
        share(ground, item, "public")
        assert reaches(ground, item, "bob") == {
            Reach("@alice~one", "d", Role.ADMINS),
            Reach("@alice~two", "d", Role.ADMINS),
            Reach("@bob", "w"),
            Reach("public", "r"),
        }

    def test_listings_hold_what_is_owned_or_reached_by_owner_and_name(self, ground: Ground) -> None:
        add_user(ground, "carol", public=True)
        for owner, name in (
            ("bob", "b"),
            ("alice", "z"),
            ("alice", "a"),
            ("alice", "hidden"),
            ("carol", "c"),
        ):
            ground.items.create("doc", owner, name)
        for owner, name, target in (("alice", "z", "@bob"), ("alice", "a", "@bob"), ("carol", "c", "public")):
            found = ground.items.find("doc", owner, name, owner)
            assert found is not None
            share(ground, found.item, target)
        grid = ground.items.create("grid", "alice", "g")
        share(ground, grid, "@bob")
        assert names(ground, None, "bob") == ["alice/a", "alice/z", "bob/b", "carol/c"]
        assert names(ground, "alice", "bob") == ["alice/a", "alice/z"]
        assert names(ground, "bob", "bob") == ["bob/b"]
        assert names(ground, "carol", "bob") == ["carol/c"]
        assert names(ground, None, None) == ["carol/c"]
        assert names(ground, "alice", None) == []
        assert names(ground, "alice", "alice") == ["alice/a", "alice/hidden", "alice/z"]
        assert names(ground, None, "bob", "grid") == ["alice/g"]

    def test_names_are_listed_by_code_point(self, ground: Ground) -> None:
        for name in ("a_b", "a-b", "ab", "a1", "a"):
            ground.items.create("doc", "alice", name)
        assert names(ground, "alice", "alice") == [
            "alice/a",
            "alice/a-b",
            "alice/a1",
            "alice/a_b",
            "alice/ab",
        ]
        assert names(ground, None, "alice") == names(ground, "alice", "alice")

    def test_what_is_shared_with_groups_comes_with_all_that_reaches_the_caller(self, ground: Ground) -> None:
        items = {
            f"{kind} {owner}": ground.items.create(kind, owner, "report")
            for kind, owner in (("doc", "bob"), ("doc", "alice"), ("grid", "alice"), ("doc", "gone"))
        }
        for group in ("@alice~one", "+acme~two"):
            for user in ("alice", "bob", "me"):
                ground.join(group, user, Role.MEMBERS)
            ground.join(group, "gone", Role.MEMBERS, pending=True)
        for target, letters in (("@alice~one", "r"), ("+acme~two", "w"), ("@me", "d")):
            share(ground, items["doc alice"], target, letters)
        share(ground, items["doc bob"], "+acme~two", "x")
        share(ground, items["doc gone"], "+acme~two", "x")
        share(ground, items["grid alice"], "+acme~two", "x")
        all_of_it = {
            Reach("@alice~one", "r", Role.MEMBERS),
            Reach("+acme~two", "w", Role.MEMBERS),
            Reach("@me", "d"),
        }
        one = ground.items.through("doc", ["@alice~one"], "me")
        assert [(found.item, set(found.reaches)) for found in one] == [(items["doc alice"], all_of_it)]
        both = ground.items.through("doc", ["@alice~one", "+acme~two"], "me")
        assert [found.item.owner for found in both] == ["alice", "bob"]
        own = ground.items.through("doc", ["@alice~one"], "alice")
        assert [(found.item.owner, found.reaches) for found in own] == [("alice", ())]
        assert ground.items.through("doc", [], "me") == []
        assert ground.items.through("mail", ["@alice~one"], "me") == []
        outside = ground.items.through("doc", ["@alice~one"], "eve")
        assert [found.reaches for found in outside] == [()]
        assert ground.grants.kinds("+acme~two") == {"doc", "grid"}
        assert ground.grants.kinds("@alice~one") == {"doc"}
        assert ground.grants.kinds("@nobody~x") == frozenset()
