"""Promises of filling, copying and the length of journals, of every keeper of spaces."""

from __future__ import annotations

from chains.spaces.space import Spaces, Usage
from tests.kit.suites.chains.spaces import ONE, TWO, SpaceGround, make_space, paths, space_of, summarise
from tests.kit.suites.kernel import raises
from vfs.errors import Conflict, Invalid, NotFound, TooLarge


class SpaceFillsSuite:
    """Promises of `fill`, `copy`, `kept`, and of the numbers of journals."""

    def small(self, ground: SpaceGround, **bounds: int) -> Spaces:
        """A keeper of the same spaces with a `quota` or with `kept` rows of journals."""
        raise AssertionError("a subclass gives the keeper")

    def test_an_empty_space_is_filled_with_files_and_their_folders(self, ground: SpaceGround) -> None:
        space, spaces = space_of(ground), ground.spaces
        spaces.fill(space, {"b/c/d": TWO, "a": ONE, "b/e": ONE})
        assert paths(spaces.below(space, "")) == ["a", "b/", "b/c/", "b/c/d", "b/e"]
        assert paths(spaces.inside(space, "b")) == ["b/c/", "b/e"]
        assert summarise(spaces.changes(space, 0, 9)) == [
            "1 create a", "2 create b/", "3 create b/c/", "4 create b/c/d", "5 create b/e",
        ]  # fmt: skip
        assert spaces.usage(space) == Usage(ONE.size * 2 + TWO.size, 5)
        spaces.put(space, "b/f", ONE)
        assert spaces.usage(space) == Usage(ONE.size * 3 + TWO.size, 6)

    def test_nothing_fills_nothing(self, ground: SpaceGround) -> None:
        space = space_of(ground)
        ground.spaces.fill(space, {})
        assert (paths(ground.spaces.below(space, "")), ground.spaces.usage(space)) == ([], Usage(0, 0))

    def test_only_an_empty_space_is_filled_and_with_what_fits(self, ground: SpaceGround) -> None:
        space, taken = space_of(ground), space_of(ground_named(ground), "x")
        with raises(Conflict):
            ground.spaces.fill(taken, {"a": ONE})
        with raises(Conflict):
            ground.spaces.copy(space, taken)
        with raises(Conflict):
            ground.spaces.fill(space, {"a": ONE, "a/b": TWO})
        with raises(Invalid):
            ground.spaces.fill(space, {"a/../b": ONE})
        with raises(TooLarge):
            self.small(ground, quota=7).fill(space, {"a": ONE, "b": TWO})
        with raises(NotFound):
            ground.spaces.fill(99, {"a": ONE})
        assert paths(ground.spaces.below(space, "")) == []
        assert ground.spaces.usage(space) == Usage(0, 0)

    def test_a_copy_holds_what_the_space_held_then(self, ground: SpaceGround) -> None:
        space, spaces = space_of(ground, "a", "b/c"), ground.spaces
        spaces.make(space, "empty")
        copy = make_space(ground, "copy").id
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

    def test_a_journal_keeps_its_newest_rows(self, ground: SpaceGround) -> None:
        space, spaces = space_of(ground), self.small(ground, kept=20)
        for number in range(100):
            spaces.put(space, "a", ONE if number % 2 else TWO)
            changes = spaces.changes(space, 0, 1000)
            assert changes[-1].seq == number + 1
            assert min(number + 1, 20) <= len(changes) <= 22
            assert [change.seq for change in changes] == list(range(changes[0].seq, number + 2))
        assert spaces.usage(space) == Usage(ONE.size, 100)
        assert [change.seq for change in spaces.changes(space, 98, 9)] == [99, 100]

    def test_a_number_of_a_journal_is_never_given_out_again_under_its_name(self, ground: SpaceGround) -> None:
        spaces, first = ground.spaces, make_space(ground)
        for number in range(5):
            spaces.put(first.id, f"f{number}", ONE)
        ground.items.remove(first)
        again = make_space(ground)
        assert spaces.usage(again.id) == Usage(0, 6, 6)
        spaces.put(again.id, "a", ONE)
        assert [change.seq for change in spaces.changes(again.id, 0, 9)] == [7]
        away = ground.items.rename(again, "elsewhere")
        assert spaces.usage(away.id) == Usage(ONE.size, 7, 6)
        third = make_space(ground)
        assert spaces.usage(third.id) == Usage(0, 8, 8)
        ground.items.remove(third)
        back = ground.items.rename(away, again.name)
        usage = spaces.usage(back.id)
        assert usage.seq == usage.start + 1
        assert usage.start > 8
        assert [change.seq for change in spaces.changes(back.id, 0, 9)] == [usage.seq]
        spaces.put(back.id, "b", ONE)
        assert spaces.usage(back.id).seq == usage.seq + 1
        empty = make_space(ground, "empty")
        assert spaces.usage(ground.items.rename(empty, "elsewhere").id) == Usage(0, 8, 8)


def ground_named(ground: SpaceGround) -> SpaceGround:
    """The ground, once the name that `space_of` gives is free again."""
    found = ground.items.find("space", "alice", "files", "alice")
    assert found is not None
    ground.items.rename(found.item, "first")
    return ground
