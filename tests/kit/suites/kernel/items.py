"""Promises of items: identity, names, copies, removal."""

from __future__ import annotations

from contextlib import suppress

from tests.kit.suites.kernel import Ground, raises
from vfs.access import Grant
from vfs.errors import Conflict, NotFound


class ItemsSuite:
    """Promises of vfs.ports.items.ItemStore about one item at a time."""

    def test_a_created_item_is_found_by_name_id_and_shortname(self, ground: Ground) -> None:
        item = ground.items.create("doc", "alice", "report")
        assert (item.kind, item.owner, item.name) == ("doc", "alice", "report")
        for found in (
            ground.items.find("doc", "alice", "report", "alice"),
            ground.items.at(item.id, "alice"),
            ground.items.by_shortname(item.shortname, "alice"),
        ):
            assert found is not None
            assert found.item == item
            assert found.reaches == ()

    def test_several_items_are_found_at_once(self, ground: Ground) -> None:
        items = [ground.items.create("doc", "alice", f"report{number}") for number in range(600)]
        for target, letters in (("@bob", "r"), ("public", "x")):
            ground.grants.give(items[1].id, Grant(target, letters, target))
        ids = [item.id for item in items]
        for caller in ("alice", "bob", None):
            found = ground.items.all_at([*ids, ids[0], 0], caller)
            assert found == {id: ground.items.at(id, caller) for id in ids}
        assert ground.items.all_at([], "alice") == {}

    def test_several_items_are_found_by_name_or_shortname_at_once(self, ground: Ground) -> None:
        items = [ground.items.create("doc", owner, name) for owner in ("alice", "bob") for name in "ab"]
        other = ground.items.create("grid", "alice", "a")
        ground.grants.give(items[0].id, Grant("@bob", "r", "@bob~r"))
        ground.grants.give(items[0].id, Grant("public", "x", "public~x"))
        names = [("alice", "a"), ("bob", "b"), ("carol", "c"), ("alice", "a")]
        for caller in ("alice", "bob", None):
            found = ground.items.all_named(
                "doc", names, [items[2].shortname, other.shortname, "none"], caller
            )
            assert found == [ground.items.at(items[number].id, caller) for number in (0, 2, 3)]
        assert ground.items.all_named("doc", [], [], "alice") == []
        assert ground.items.all_named("doc", [], [items[0].shortname], None) != []

    def test_what_one_owns_is_listed_by_name(self, ground: Ground) -> None:
        items = [ground.items.create("doc", "alice", name) for name in ("b", "a-b", "a", "c")]
        ground.items.create("grid", "alice", "a")
        theirs = ground.items.create("doc", "bob", "d")
        ground.grants.give(theirs.id, Grant("@alice", "r", "@alice~r"))
        stamps = ground.items.stamps_of("doc", "alice")
        assert {tuple(one) for one in stamps} == {
            (item.name, item.created_on, item.last_modified) for item in items
        }
        assert [name for name, _, _ in stamps] == [
            found.item.name for found in ground.items.visible("doc", "alice", "alice")
        ]
        assert list(ground.items.stamps_of("doc", "carol")) == []

    def test_names_next_to_one_are_found_in_their_order(self, ground: Ground) -> None:
        for name in ("a", "b", "b-a", "b_a", "c", "d", "e"):
            ground.items.create("doc", "alice", name)
        ground.items.create("grid", "alice", "bb")
        ground.items.create("doc", "bob", "ba")
        names = [name for name, _, _ in ground.items.stamps_of("doc", "alice")]
        for name in ("", "b", "bz", "c", "zz"):
            at = sum(one < name for one in names)
            assert sorted(ground.items.near("doc", "alice", name, 2)) == sorted(
                names[max(at - 2, 0) : at + 2]
            )
        assert list(ground.items.near("doc", "carol", "b", 2)) == []

    def test_what_is_not_there_is_none(self, ground: Ground) -> None:
        ground.items.create("doc", "alice", "report")
        assert ground.items.find("grid", "alice", "report", "alice") is None
        assert ground.items.find("doc", "bob", "report", "alice") is None
        assert ground.items.find("doc", "alice", "Report", "alice") is None
        assert ground.items.at(0, "alice") is None
        assert ground.items.by_shortname("nothing", None) is None

    def test_a_leaf_is_found_along_with_its_item(self, ground: Ground) -> None:
        item = ground.items.create("doc", "alice", "report")
        ground.leaves.put(item.id, "config/type", "pres", "alice")
        for target in ("@bob", "public"):
            ground.grants.give(item.id, Grant(target, "r", target))
        for caller in ("alice", "bob", "carol", None):
            there = ground.items.find("doc", "alice", "report", caller, "config/type")
            absent = ground.items.find("doc", "alice", "report", caller, "config")
            plain = ground.items.find("doc", "alice", "report", caller)
            assert there is not None
            assert absent is not None
            assert plain is not None
            assert (there.ahead, there.leaf) == ("config/type", ground.leaves.get(item.id, "config/type"))
            assert (absent.ahead, absent.leaf) == ("config", None)
            assert (plain.ahead, plain.leaf) == (None, None)
            assert there.reaches == absent.reaches == plain.reaches
        assert ground.items.find("doc", "alice", "none", "alice", "config/type") is None
        assert ground.items.find("doc", "alice", "none", "bob", "config/type") is None

    def test_names_are_unique_within_kind_and_owner(self, ground: Ground) -> None:
        ground.items.create("doc", "alice", "report")
        ground.items.create("grid", "alice", "report")
        ground.items.create("doc", "bob", "report")
        with raises(Conflict):
            ground.items.create("doc", "alice", "report")

    def test_shortnames_are_short_random_and_without_look_alikes(self, ground: Ground) -> None:
        names = {ground.items.create("doc", "alice", f"n{number}").shortname for number in range(50)}
        assert len(names) == 50
        assert all(len(name) >= 5 and name.isascii() and name.isalnum() for name in names)
        assert not set("0O1lI") & set("".join(names))

    def test_stamps_are_those_of_the_clock(self, ground: Ground) -> None:
        now = ground.clock.forward(1)
        item = ground.items.create("doc", "alice", "report")
        assert (item.created_on, item.last_modified) == (now, now)
        later = ground.clock.forward(1.5)
        assert ground.items.hold(item)
        found = ground.items.at(item.id, "alice")
        assert found is not None
        assert found.item.last_modified == now
        ground.items.touch(item)
        found = ground.items.at(item.id, "alice")
        assert found is not None
        assert (found.item.created_on, found.item.last_modified) == (now, later)

    def test_a_stamp_goes_back_with_what_it_was_for(self, ground: Ground) -> None:
        item = ground.items.create("doc", "alice", "report")
        ground.clock.forward(1)
        with ground.atomic():
            with suppress(KeyError), ground.atomic():
                ground.items.touch(item)
                raise KeyError
            ground.leaves.put(item.id, "content", "text", "alice")
        found = ground.items.at(item.id, "alice")
        assert found is not None
        assert found.item.last_modified == item.last_modified

    def test_a_renamed_item_keeps_all_but_its_name(self, ground: Ground) -> None:
        item = ground.items.create("doc", "alice", "report")
        ground.leaves.put(item.id, "content", "text", "alice")
        renamed = ground.items.rename(item, "summary")
        assert renamed.name == "summary"
        assert (renamed.id, renamed.shortname) == (item.id, item.shortname)
        assert ground.items.find("doc", "alice", "report", "alice") is None
        found = ground.items.find("doc", "alice", "summary", "alice")
        assert found is not None
        assert found.item == renamed
        assert ground.leaves.get(item.id, "content") is not None
        with raises(NotFound):
            ground.items.rename(item, "late")

    def test_a_rename_to_a_taken_name_changes_nothing(self, ground: Ground) -> None:
        item = ground.items.create("doc", "alice", "report")
        ground.items.create("doc", "alice", "summary")
        with ground.atomic():
            with raises(Conflict):
                ground.items.rename(item, "summary")
            assert ground.items.rename(item, "report") == item
        found = ground.items.at(item.id, "alice")
        assert found is not None
        assert found.item.name == "report"

    def test_a_removed_item_can_neither_be_stamped_nor_renamed(self, ground: Ground) -> None:
        item = ground.items.create("doc", "alice", "report")
        assert ground.items.touch(item)
        ground.items.remove(item)
        assert not ground.items.touch(item)
        assert not ground.items.hold(item)
        with raises(NotFound):
            ground.items.rename(item, "summary")

    def test_a_removed_item_takes_leaves_and_grants_and_frees_its_name(self, ground: Ground) -> None:
        item = ground.items.create("doc", "alice", "report")
        ground.leaves.put(item.id, "content", "text", "alice")
        ground.grants.give(item.id, Grant("@bob", "r", "@bob~r"))
        ground.items.remove(item)
        assert ground.items.at(item.id, "alice") is None
        assert ground.leaves.get(item.id, "content") is None
        assert ground.grants.on(item.id) == []
        again = ground.items.create("doc", "alice", "report")
        assert again.id != item.id
        assert again.shortname != item.shortname
        assert ground.leaves.under(again.id, "") == []
        ground.items.remove(item)

    def test_a_copy_holds_the_chosen_leaves_and_no_shares(self, ground: Ground) -> None:
        item = ground.items.create("doc", "alice", "report")
        blob = ground.blobs.add([b"bytes"], "image/png")
        for rel in ("content", "contents", "config/type", "config/custom/custom.css", "log"):
            ground.leaves.put(item.id, rel, f"text of {rel}", "alice")
        ground.leaves.put(item.id, "assets/a.png", blob, "alice")
        ground.grants.give(item.id, Grant("@bob", "r", "@bob~r"))
        now = ground.clock.forward(1)
        copy = ground.items.copy(item, "bob", "mine", ("content", "config", "config/type", "assets", "none"))
        assert (copy.kind, copy.owner, copy.name, copy.created_on) == ("doc", "bob", "mine", now)
        leaves = ground.leaves.texts(copy.id, "")
        assert [leaf.rel for leaf in leaves] == [
            "assets/a.png", "config/custom/custom.css", "config/type", "content",
        ]  # fmt: skip
        assert leaves[0].blob == blob
        assert leaves[3].text == "text of content"
        assert {(leaf.created_on, leaf.last_modified, leaf.author) for leaf in leaves} == {(now, now, "bob")}
        assert ground.grants.on(copy.id) == []
        assert len(ground.leaves.under(item.id, "")) == 6

    def test_a_copy_to_a_taken_name_copies_nothing(self, ground: Ground) -> None:
        item = ground.items.create("doc", "alice", "report")
        ground.leaves.put(item.id, "content", "text", "alice")
        other = ground.items.create("doc", "bob", "mine")
        with raises(Conflict):
            ground.items.copy(item, "bob", "mine", ("content",))
        assert ground.leaves.under(other.id, "") == []
