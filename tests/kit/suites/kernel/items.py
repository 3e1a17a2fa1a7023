"""Promises of items: identity, names, copies, removal."""

from __future__ import annotations

from contextlib import suppress

from tests.kit.suites.kernel import EmptyWorld, raises
from vfs.access import Grant
from vfs.errors import Conflict, NotFound


class ItemsSuite:
    """Promises of vfs.ports.items.ItemStore about one item at a time."""

    def test_a_created_item_is_found_by_name_id_and_shortname(self, empty_world: EmptyWorld) -> None:
        item = empty_world.items.create("doc", "alice", "report")
        assert (item.kind, item.owner, item.name) == ("doc", "alice", "report")
        for found in (
            empty_world.items.find("doc", "alice", "report", "alice"),
            empty_world.items.at(item.id, "alice"),
            empty_world.items.by_shortname(item.shortname, "alice"),
        ):
            assert found is not None
            assert found.item == item
            assert found.effective_grants == ()

    def test_several_items_are_found_at_once(self, empty_world: EmptyWorld) -> None:
        items = [empty_world.items.create("doc", "alice", f"report{number}") for number in range(600)]
        for target, letters in (("@bob", "r"), ("public", "x")):
            empty_world.grants.give(items[1].id, Grant(target, letters, target))
        ids = [item.id for item in items]
        for caller in ("alice", "bob", None):
            found = empty_world.items.all_at([*ids, ids[0], 0], caller)
            assert found == {id: empty_world.items.at(id, caller) for id in ids}
        assert empty_world.items.all_at([], "alice") == {}

    def test_several_items_are_found_by_name_or_shortname_at_once(self, empty_world: EmptyWorld) -> None:
        items = [empty_world.items.create("doc", owner, name) for owner in ("alice", "bob") for name in "ab"]
        other = empty_world.items.create("grid", "alice", "a")
        empty_world.grants.give(items[0].id, Grant("@bob", "r", "@bob~r"))
        empty_world.grants.give(items[0].id, Grant("public", "x", "public~x"))
        names = [("alice", "a"), ("bob", "b"), ("carol", "c"), ("alice", "a")]
        for caller in ("alice", "bob", None):
            found = empty_world.items.all_named(
                "doc", names, [items[2].shortname, other.shortname, "none"], caller
            )
            assert found == [empty_world.items.at(items[number].id, caller) for number in (0, 2, 3)]
        assert empty_world.items.all_named("doc", [], [], "alice") == []
        assert empty_world.items.all_named("doc", [], [items[0].shortname], None) != []

    def test_what_one_owns_is_listed_by_name(self, empty_world: EmptyWorld) -> None:
        items = [empty_world.items.create("doc", "alice", name) for name in ("b", "a-b", "a", "c")]
        empty_world.items.create("grid", "alice", "a")
        theirs = empty_world.items.create("doc", "bob", "d")
        empty_world.grants.give(theirs.id, Grant("@alice", "r", "@alice~r"))
        stamps = empty_world.items.stamps_of("doc", "alice")
        assert {tuple(one) for one in stamps} == {
            (item.name, item.created_on, item.last_modified) for item in items
        }
        assert [name for name, _, _ in stamps] == [
            found.item.name for found in empty_world.items.visible("doc", "alice", "alice")
        ]
        assert list(empty_world.items.stamps_of("doc", "carol")) == []

    def test_names_next_to_one_are_found_in_their_order(self, empty_world: EmptyWorld) -> None:
        for name in ("a", "b", "b-a", "b_a", "c", "d", "e"):
            empty_world.items.create("doc", "alice", name)
        empty_world.items.create("grid", "alice", "bb")
        empty_world.items.create("doc", "bob", "ba")
        names = [name for name, _, _ in empty_world.items.stamps_of("doc", "alice")]
        for name in ("", "b", "bz", "c", "zz"):
            at = sum(one < name for one in names)
            assert sorted(empty_world.items.near("doc", "alice", name, 2)) == sorted(
                names[max(at - 2, 0) : at + 2]
            )
        assert list(empty_world.items.near("doc", "carol", "b", 2)) == []

    def test_a_missing_item_is_none(self, empty_world: EmptyWorld) -> None:
        empty_world.items.create("doc", "alice", "report")
        assert empty_world.items.find("grid", "alice", "report", "alice") is None
        assert empty_world.items.find("doc", "bob", "report", "alice") is None
        assert empty_world.items.find("doc", "alice", "Report", "alice") is None
        assert empty_world.items.at(0, "alice") is None
        assert empty_world.items.by_shortname("nothing", None) is None

    def test_names_are_unique_within_kind_and_owner(self, empty_world: EmptyWorld) -> None:
        empty_world.items.create("doc", "alice", "report")
        empty_world.items.create("grid", "alice", "report")
        empty_world.items.create("doc", "bob", "report")
        with raises(Conflict):
            empty_world.items.create("doc", "alice", "report")

    def test_shortnames_are_short_random_and_without_look_alikes(self, empty_world: EmptyWorld) -> None:
        names = {empty_world.items.create("doc", "alice", f"n{number}").shortname for number in range(50)}
        assert len(names) == 50
        assert all(len(name) >= 5 and name.isascii() and name.isalnum() for name in names)
        assert not set("0O1lI") & set("".join(names))

    def test_stamps_are_those_of_the_clock(self, empty_world: EmptyWorld) -> None:
        now = empty_world.clock.forward(1)
        item = empty_world.items.create("doc", "alice", "report")
        assert (item.created_on, item.last_modified) == (now, now)
        later = empty_world.clock.forward(1.5)
        assert empty_world.items.hold(item)
        found = empty_world.items.at(item.id, "alice")
        assert found is not None
        assert found.item.last_modified == now
        empty_world.items.touch(item)
        found = empty_world.items.at(item.id, "alice")
        assert found is not None
        assert (found.item.created_on, found.item.last_modified) == (now, later)

    def test_a_stamp_goes_back_with_what_it_was_for(self, empty_world: EmptyWorld) -> None:
        item = empty_world.items.create("doc", "alice", "report")
        empty_world.clock.forward(1)
        with empty_world.atomic():
            with suppress(KeyError), empty_world.atomic():
                empty_world.items.touch(item)
                raise KeyError
            empty_world.leaves.put(item.id, "content", "text", "alice")
        found = empty_world.items.at(item.id, "alice")
        assert found is not None
        assert found.item.last_modified == item.last_modified

    def test_a_renamed_item_keeps_all_but_its_name(self, empty_world: EmptyWorld) -> None:
        item = empty_world.items.create("doc", "alice", "report")
        empty_world.leaves.put(item.id, "content", "text", "alice")
        renamed = empty_world.items.rename(item, "summary")
        assert renamed.name == "summary"
        assert (renamed.id, renamed.shortname) == (item.id, item.shortname)
        assert empty_world.items.find("doc", "alice", "report", "alice") is None
        found = empty_world.items.find("doc", "alice", "summary", "alice")
        assert found is not None
        assert found.item == renamed
        assert empty_world.leaves.get(item.id, "content") is not None
        with raises(NotFound):
            empty_world.items.rename(item, "late")

    def test_a_rename_to_a_taken_name_changes_nothing(self, empty_world: EmptyWorld) -> None:
        item = empty_world.items.create("doc", "alice", "report")
        empty_world.items.create("doc", "alice", "summary")
        with empty_world.atomic():
            with raises(Conflict):
                empty_world.items.rename(item, "summary")
            assert empty_world.items.rename(item, "report") == item
        found = empty_world.items.at(item.id, "alice")
        assert found is not None
        assert found.item.name == "report"

    def test_a_removed_item_can_neither_be_stamped_nor_renamed(self, empty_world: EmptyWorld) -> None:
        item = empty_world.items.create("doc", "alice", "report")
        assert empty_world.items.touch(item)
        empty_world.items.remove(item)
        assert not empty_world.items.touch(item)
        assert not empty_world.items.hold(item)
        with raises(NotFound):
            empty_world.items.rename(item, "summary")

    def test_a_removed_item_takes_leaves_and_grants_and_frees_its_name(self, empty_world: EmptyWorld) -> None:
        item = empty_world.items.create("doc", "alice", "report")
        empty_world.leaves.put(item.id, "content", "text", "alice")
        empty_world.grants.give(item.id, Grant("@bob", "r", "@bob~r"))
        empty_world.items.remove(item)
        assert empty_world.items.at(item.id, "alice") is None
        assert empty_world.leaves.get(item.id, "content") is None
        assert empty_world.grants.on(item.id) == []
        again = empty_world.items.create("doc", "alice", "report")
        assert again.id != item.id
        assert again.shortname != item.shortname
        assert empty_world.leaves.under(again.id, "") == []
        empty_world.items.remove(item)

    def test_a_copy_holds_the_chosen_leaves_and_no_shares(self, empty_world: EmptyWorld) -> None:
        item = empty_world.items.create("doc", "alice", "report")
        blob = empty_world.blobs.add([b"bytes"], "image/png")
        for rel in ("content", "contents", "config/type", "config/custom/custom.css", "log"):
            empty_world.leaves.put(item.id, rel, f"text of {rel}", "alice")
        empty_world.leaves.put(item.id, "assets/a.png", blob, "alice")
        empty_world.grants.give(item.id, Grant("@bob", "r", "@bob~r"))
        now = empty_world.clock.forward(1)
        copy = empty_world.items.copy(
            item, "bob", "mine", ("content", "config", "config/type", "assets", "none")
        )
        assert (copy.kind, copy.owner, copy.name, copy.created_on) == ("doc", "bob", "mine", now)
        leaves = empty_world.leaves.texts(copy.id, "")
        assert [leaf.rel for leaf in leaves] == [
            "assets/a.png", "config/custom/custom.css", "config/type", "content",
        ]  # fmt: skip
        assert leaves[0].blob == blob
        assert leaves[3].text == "text of content"
        assert {(leaf.created_on, leaf.last_modified, leaf.author) for leaf in leaves} == {(now, now, "bob")}
        assert empty_world.grants.on(copy.id) == []
        assert len(empty_world.leaves.under(item.id, "")) == 6

    def test_a_copy_to_a_taken_name_copies_nothing(self, empty_world: EmptyWorld) -> None:
        item = empty_world.items.create("doc", "alice", "report")
        empty_world.leaves.put(item.id, "content", "text", "alice")
        other = empty_world.items.create("doc", "bob", "mine")
        with raises(Conflict):
            empty_world.items.copy(item, "bob", "mine", ("content",))
        assert empty_world.leaves.under(other.id, "") == []
