"""Promises of filling, copying and the length of journals, of every keeper of spaces."""

from __future__ import annotations

from chains.spaces.space import Spaces, Usage
from tests.kit.suites.chains.spaces import ONE, TWO, SpaceWorld, make_space, paths, space_of, summarise
from tests.kit.suites.kernel import raises
from vfs.errors import Conflict, Invalid, NotFound, TooLarge


class SpaceFillsSuite:
    """Promises of `fill`, `copy`, `kept`, and of the numbers of journals."""

    def small(self, empty_world: SpaceWorld, **bounds: int) -> Spaces:
        """A keeper of the same spaces with a `quota` or with `kept` rows of journals."""
        raise AssertionError("a subclass gives the keeper")

    def test_an_empty_space_is_filled_with_files_and_their_folders(self, empty_world: SpaceWorld) -> None:
        space, spaces = space_of(empty_world), empty_world.spaces
        spaces.fill(space, {"b/c/d": TWO, "a": ONE, "b/e": ONE})
        assert paths(spaces.below(space, "")) == ["a", "b/", "b/c/", "b/c/d", "b/e"]
        assert paths(spaces.inside(space, "b")) == ["b/c/", "b/e"]
        assert summarise(spaces.changes(space, 0, 9)) == [
            "1 create a", "2 create b/", "3 create b/c/", "4 create b/c/d", "5 create b/e",
        ]  # fmt: skip
        assert spaces.usage(space) == Usage(ONE.size * 2 + TWO.size, 5)
        spaces.put(space, "b/f", ONE)
        assert spaces.usage(space) == Usage(ONE.size * 3 + TWO.size, 6)

    def test_nothing_fills_nothing(self, empty_world: SpaceWorld) -> None:
        space = space_of(empty_world)
        empty_world.spaces.fill(space, {})
        assert (paths(empty_world.spaces.below(space, "")), empty_world.spaces.usage(space)) == (
            [],
            Usage(0, 0),
        )

    def test_only_an_empty_space_is_filled_and_with_what_fits(self, empty_world: SpaceWorld) -> None:
        space, taken = space_of(empty_world), space_of(ground_named(empty_world), "x")
        with raises(Conflict):
            empty_world.spaces.fill(taken, {"a": ONE})
        with raises(Conflict):
            empty_world.spaces.copy(space, taken)
        with raises(Conflict):
            empty_world.spaces.fill(space, {"a": ONE, "a/b": TWO})
        with raises(Invalid):
            empty_world.spaces.fill(space, {"a/../b": ONE})
        with raises(TooLarge):
            self.small(empty_world, quota=7).fill(space, {"a": ONE, "b": TWO})
        with raises(NotFound):
            empty_world.spaces.fill(99, {"a": ONE})
        assert paths(empty_world.spaces.below(space, "")) == []
        assert empty_world.spaces.usage(space) == Usage(0, 0)

    def test_a_copy_holds_what_the_space_held_then(self, empty_world: SpaceWorld) -> None:
        space, spaces = space_of(empty_world, "a", "b/c"), empty_world.spaces
        spaces.make(space, "empty")
        copy = make_space(empty_world, "copy").id
        spaces.copy(space, copy)
        spaces.put(space, "a", TWO)
        spaces.remove(space, "b", recursive=True)
        assert paths(spaces.below(copy, "")) == ["a", "b/", "b/c", "empty/"]
        entry = spaces.get(copy, "a")
        assert entry is not None
        assert entry.blob == ONE
        assert sorted(line.split(" ", 1)[1] for line in summarise(spaces.changes(copy, 0, 9))) == [
            "create a", "create b/", "create b/c", "create empty/",
        ]  # fmt: skip
        assert spaces.usage(copy) == Usage(2 * ONE.size, 4)

    def test_a_tree_is_copied_beside_and_into_another_space(self, empty_world: SpaceWorld) -> None:
        space, spaces = space_of(empty_world, "a/b/c", "a/z", "a-b"), empty_world.spaces
        other = make_space(empty_world, "other").id
        spaces.describe(space, "a/z", '{"x": "y"}')
        spaces.copy_tree(space, "a", space, "ñ/new")
        spaces.copy_tree(space, "a/b", other, "deep", deep=False)
        spaces.copy_tree(space, "a/z", other, "z")
        assert paths(spaces.below(space, "ñ")) == ["ñ/new/", "ñ/new/b/", "ñ/new/b/c", "ñ/new/z"]
        assert [one.properties for one in spaces.inside(space, "ñ/new")] == ["", '{"x": "y"}']
        assert paths(spaces.below(other, "")) == ["deep/", "z"]
        assert paths(spaces.inside(space, "a")) == ["a/b/", "a/z"]
        assert spaces.usage(space).size == 5 * ONE.size
        assert summarise(spaces.changes(space, 6, 9))[0] == "7 create ñ/new/"
        assert summarise(spaces.changes(other, 0, 9)) == ["1 create deep/", "2 create z"]

    def test_a_tree_is_not_copied_over_anything_nor_into_itself(self, empty_world: SpaceWorld) -> None:
        space, spaces = space_of(empty_world, "a/b", "c"), self.small(empty_world, quota=3 * ONE.size)
        for to in ("c", "a", "a/new", ""):
            with raises(Conflict):
                spaces.copy_tree(space, "a", space, to)
        with raises(NotFound):
            spaces.copy_tree(space, "none", space, "d")
        spaces.copy_tree(space, "a", space, "d")
        with raises(TooLarge):
            spaces.copy_tree(space, "a", space, "e")
        assert paths(spaces.below(space, "")) == ["a/", "a/b", "c", "d/", "d/b"]

    def test_a_journal_keeps_its_newest_rows(self, empty_world: SpaceWorld) -> None:
        space, spaces = space_of(empty_world), self.small(empty_world, kept=20)
        for number in range(100):
            spaces.put(space, "a", ONE if number % 2 else TWO)
            changes = spaces.changes(space, 0, 1000)
            assert changes[-1].seq == number + 1
            assert min(number + 1, 20) <= len(changes) <= 22
            assert [change.seq for change in changes] == list(range(changes[0].seq, number + 2))
        assert spaces.usage(space) == Usage(ONE.size, 100)
        assert [change.seq for change in spaces.changes(space, 98, 9)] == [99, 100]

    def test_a_number_of_a_journal_is_never_given_out_again_under_its_name(
        self, empty_world: SpaceWorld
    ) -> None:
        spaces, first = empty_world.spaces, make_space(empty_world)
        for number in range(5):
            spaces.put(first.id, f"f{number}", ONE)
        empty_world.items.remove(first)
        again = make_space(empty_world)
        assert spaces.usage(again.id) == Usage(0, 6, 6)
        spaces.put(again.id, "a", ONE)
        assert [change.seq for change in spaces.changes(again.id, 0, 9)] == [7]
        away = empty_world.items.rename(again, "elsewhere")
        assert spaces.usage(away.id) == Usage(ONE.size, 7, 6)
        third = make_space(empty_world)
        assert spaces.usage(third.id) == Usage(0, 8, 8)
        empty_world.items.remove(third)
        back = empty_world.items.rename(away, again.name)
        usage = spaces.usage(back.id)
        assert usage.seq == usage.start + 1
        assert usage.start > 8
        assert [change.seq for change in spaces.changes(back.id, 0, 9)] == [usage.seq]
        spaces.put(back.id, "b", ONE)
        assert spaces.usage(back.id).seq == usage.seq + 1
        empty = make_space(empty_world, "empty")
        assert spaces.usage(empty_world.items.rename(empty, "elsewhere").id) == Usage(0, 8, 8)


def ground_named(empty_world: SpaceWorld) -> SpaceWorld:
    """The world, once the name that `space_of` gives is free again."""
    found = empty_world.items.find("space", "alice", "files", "alice")
    assert found is not None
    empty_world.items.rename(found.item, "first")
    return empty_world
