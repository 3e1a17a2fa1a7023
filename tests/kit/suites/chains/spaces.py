"""Promises of the content of spaces, of every keeper (chains.spaces.space.Spaces)."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Protocol

from chains.files.names import DEEPEST, LONGEST_NAME, LONGEST_PATH
from chains.spaces.refusals import Taken
from chains.spaces.space import Change, ChangeKind, SpaceEntry, Spaces, Usage
from tests.kit.suites.kernel import EmptyWorld, raises
from vfs.errors import Conflict, Invalid, NotFound, TooLarge
from vfs.ports.blobs import Ref
from vfs.ports.items import Item


class SpaceWorld(EmptyWorld, Protocol):
    """An empty world with the content of its spaces."""

    @property
    def spaces(self) -> Spaces: ...


def bytes_of(number: int, size: int = 3, media: str = "text/plain") -> Ref:
    """A reference to bytes that nobody needs to have."""
    return Ref(f"{number:064x}", size, media)


ONE, TWO = bytes_of(1), bytes_of(2, 5, "text/csv")


def space_of(empty_world: SpaceWorld, *paths: str) -> int:
    """A space that holds files at these paths; its id."""
    item = make_space(empty_world)
    for path in paths:
        empty_world.spaces.put(item.id, path, ONE)
    return item.id


def make_space(empty_world: SpaceWorld, name: str = "files") -> Item:
    """An empty space."""
    return empty_world.items.create("space", "alice", name)


def paths(entries: Iterable[SpaceEntry]) -> list[str]:
    """The paths of entries, of folders with a slash behind."""
    return [f"{entry.path}/" if entry.folder else entry.path for entry in entries]


def summarise(changes: Iterable[Change]) -> list[str]:
    """Rows of a journal in a few words."""
    return [
        f"{one.seq} {one.kind} {one.old_path + ' ' if one.old_path else ''}{one.path}"
        f"{'' if one.digest else '/'}"
        for one in changes
    ]


class SpaceReadsSuite:
    """Promises of reading and writing."""

    def test_a_file_is_written_whole_and_replaced(self, empty_world: SpaceWorld) -> None:
        space, spaces = space_of(empty_world), empty_world.spaces
        now = empty_world.clock.forward(1)
        assert spaces.get(space, "a.txt") is None
        assert spaces.put(space, "a.txt", ONE)
        assert spaces.get(space, "a.txt") == SpaceEntry("a.txt", ONE, now, now)
        later = empty_world.clock.forward(1)
        assert not spaces.put(space, "a.txt", TWO)
        assert spaces.get(space, "a.txt") == SpaceEntry("a.txt", TWO, now, later)

    def test_folders_come_with_what_is_in_them_and_stay(self, empty_world: SpaceWorld) -> None:
        space, spaces = space_of(empty_world, "a/b/c.txt"), empty_world.spaces
        assert paths(spaces.below(space, "")) == ["a/", "a/b/", "a/b/c.txt"]
        spaces.remove(space, "a/b/c.txt")
        assert paths(spaces.below(space, "")) == ["a/", "a/b/"]
        assert spaces.make(space, "a/d")
        assert not spaces.make(space, "a/d")
        assert not spaces.make(space, "")
        assert paths(spaces.inside(space, "a")) == ["a/b/", "a/d/"]

    def test_a_folder_lists_its_entries_by_code_point(self, empty_world: SpaceWorld) -> None:
        space, spaces = (
            space_of(empty_world, "𝄞", "é/ü", "a/b/c", "a/z", "a0", "a-b", "a.txt"),
            empty_world.spaces,
        )
        space_of_another = make_space(empty_world, "other").id
        spaces.put(space_of_another, "a/other", ONE)
        assert paths(spaces.inside(space, "")) == ["a/", "a-b", "a.txt", "a0", "é/", "𝄞"]
        assert paths(spaces.inside(space, "a")) == ["a/b/", "a/z"]
        assert paths(spaces.below(space, "a")) == ["a/b/", "a/b/c", "a/z"]
        assert paths(spaces.inside(space, "a/b/c")) == []
        assert paths(spaces.below(space, "%")) == []
        assert [entry.name for entry in spaces.inside(space, "é")] == ["ü"]

    def test_no_file_takes_a_folders_place_nor_the_other_way_round(self, empty_world: SpaceWorld) -> None:
        space, spaces = space_of(empty_world, "a/b"), empty_world.spaces
        for path in ("a", "", "a/b/c", "a/b/c/d"):
            with raises(Conflict):
                spaces.put(space, path, TWO)
        for path in ("a/b", "a/b/c"):
            with raises(Conflict):
                spaces.make(space, path)
        assert paths(spaces.below(space, "")) == ["a/", "a/b"]
        assert spaces.usage(space) == Usage(3, 2)

    def test_paths_have_limits(self, empty_world: SpaceWorld) -> None:
        space, spaces = space_of(empty_world), empty_world.spaces
        deepest = "/".join("x" * DEEPEST)
        assert spaces.put(space, deepest, ONE)
        assert spaces.put(space, "é" * (LONGEST_NAME // 2), ONE)
        long = "/".join(["x" * LONGEST_NAME] * (LONGEST_PATH // LONGEST_NAME))
        assert spaces.put(space, long, ONE)
        bad = (
            f"{deepest}/x", "é" * (LONGEST_NAME // 2 + 1), f"{long}/{'x' * 99}",
            "a//b", "./a", "a/..", "a\\b", "a\tb", "a\0", "\ud800",
        )  # fmt: skip
        for path in bad:
            with raises(Invalid):
                spaces.put(space, path, ONE)
            with raises(Invalid):
                spaces.make(space, path)
            with raises(Invalid):
                spaces.move(space, deepest, path)
        assert spaces.put(space, "/a//".strip("/") + "/", ONE)
        assert spaces.get(space, "a") is not None

    def test_a_label_may_stand_before_what_a_space_is_filled_with(self, empty_world: SpaceWorld) -> None:
        digits = "".join(sha256(b"%d" % number).hexdigest() for number in range(40))
        long = "/".join([digits[number : number + 200] for number in range(0, 1_800, 200)])
        long += f"/{digits[: LONGEST_PATH - len(long) - 1]}"
        deepest, label = "/".join("x" * DEEPEST), "l" * LONGEST_NAME
        for number, path in enumerate((deepest, long, f"{label}/{deepest}", f"{label}/{long}")):
            space = make_space(empty_world, f"files-{number}").id
            empty_world.spaces.fill(space, {path: ONE})
            assert empty_world.spaces.get(space, path) is not None
        space = make_space(empty_world).id
        for path in (f"l/m/{deepest}", f"l/{label}/{long}"):
            with raises(Invalid):
                empty_world.spaces.fill(space, {path: ONE})
        assert paths(empty_world.spaces.below(space, "")) == []

    def test_names_that_differ_in_any_byte_are_two(self, empty_world: SpaceWorld) -> None:
        names = (
            "\u00e9", "e\u0301", "CASE", "case", "a b", "a\u00a0b", "a\u202fb", "a\u200cb", "a\u200db", "ab",
            "a\u00adb", "\ufeffa", "a", "\u2028", "\ue000", "\u0378", "\uffff", "\u0085", "...", "\U0010ffff",
            "\U0010ffff" * (LONGEST_NAME // 4),
        )  # fmt: skip
        space, spaces = space_of(empty_world), empty_world.spaces
        files = {f"{folder}/{name}": ONE for folder in names for name in names}
        spaces.fill(space, files)
        assert {entry.path for entry in spaces.below(space, "") if not entry.folder} == set(files)
        for name in names:
            assert {entry.name for entry in spaces.inside(space, name)} == set(names)
            spaces.move(space, name, f"moved/{name}")
        assert {entry.path for entry in spaces.below(space, "moved") if not entry.folder} == {
            f"moved/{path}" for path in files
        }

    def test_a_space_holds_no_more_than_its_quota(self, empty_world: SpaceWorld) -> None:
        space, spaces = space_of(empty_world), empty_world.spaces
        spaces.put(space, "all", bytes_of(3, spaces.quota))
        with raises(TooLarge):
            spaces.put(space, "more/one", bytes_of(4, 1))
        assert paths(spaces.below(space, "")) == ["all"]
        spaces.put(space, "nothing", bytes_of(5, 0))
        with raises(TooLarge):
            spaces.put(space, "all", bytes_of(6, spaces.quota + 1))
        spaces.put(space, "all", bytes_of(7, spaces.quota - 2))
        spaces.put(space, "more", bytes_of(8, 2))
        assert spaces.usage(space).size == spaces.quota

    def test_content_goes_with_its_space(self, empty_world: SpaceWorld) -> None:
        item, spaces = make_space(empty_world), empty_world.spaces
        spaces.put(item.id, "a/b", ONE)
        renamed = empty_world.items.rename(item, "papers")
        assert paths(spaces.below(renamed.id, "")) == ["a/", "a/b"]
        empty_world.items.remove(renamed)
        assert spaces.get(item.id, "a/b") is None
        assert spaces.changes(item.id, 0, 10) == []
        assert spaces.usage(item.id) == Usage(0, 0)
        with raises(NotFound):
            spaces.put(item.id, "a", ONE)
        with raises(NotFound):
            spaces.make(item.id, "a")


class SpaceChangesSuite:
    """Promises of moving, removing and the journal."""

    def test_a_file_moves_and_replaces_another(self, empty_world: SpaceWorld) -> None:
        space, spaces = space_of(empty_world, "a", "b"), empty_world.spaces
        before = spaces.put(space, "c", TWO) and spaces.get(space, "c")
        empty_world.clock.forward(1)
        spaces.move(space, "c", "new/c.csv")
        after = spaces.get(space, "new/c.csv")
        assert before
        assert after == SpaceEntry("new/c.csv", TWO, before.created_on, before.last_modified)
        with raises(Taken):
            spaces.move(space, "new/c.csv", "a")
        assert spaces.get(space, "a") != after
        spaces.move(space, "new/c.csv", "a", replace=True)
        assert paths(spaces.below(space, "")) == ["a", "b", "new/"]
        assert spaces.usage(space).size == ONE.size + TWO.size
        assert summarise(spaces.changes(space, 3, 9)) == [
            "4 create new/",
            "5 move c new/c.csv",
            "6 move new/c.csv a",
        ]

    def test_a_folder_moves_with_all_in_it(self, empty_world: SpaceWorld) -> None:
        space, spaces = space_of(empty_world, "a/b/c", "a/z", "a-b", "a0"), empty_world.spaces
        spaces.move(space, "a", "ñ/a/new")
        assert paths(spaces.below(space, "")) == [
            "a-b", "a0", "ñ/", "ñ/a/", "ñ/a/new/", "ñ/a/new/b/", "ñ/a/new/b/c", "ñ/a/new/z",
        ]  # fmt: skip
        assert paths(spaces.inside(space, "ñ/a")) == ["ñ/a/new/"]
        assert paths(spaces.inside(space, "ñ/a/new")) == ["ñ/a/new/b/", "ñ/a/new/z"]
        assert summarise(spaces.changes(space, 6, 9)) == ["7 create ñ/", "8 create ñ/a/", "9 move a ñ/a/new/"]
        spaces.move(space, "ñ/a/new/b", "b")
        assert paths(spaces.inside(space, "b")) == ["b/c"]
        seq = spaces.usage(space).seq
        spaces.move(space, "b", "b")
        assert spaces.usage(space).seq == seq

    def test_a_move_is_refused_where_it_would_lose_something(self, empty_world: SpaceWorld) -> None:
        space, spaces = space_of(empty_world, "a/b/c", "f"), empty_world.spaces
        before, seq = spaces.below(space, ""), spaces.usage(space).seq
        refused = (
            ("a", "a/b/d"), ("a", "f"), ("f", "a"), ("f", "a/b"), ("a/b", "a"), ("a", "f/a"), ("f", "f/a"),
            ("f", ""), ("a", ""),
        )  # fmt: skip
        for old, new in refused:
            with raises(Conflict):
                spaces.move(space, old, new, replace=True)
        for old in ("none", ""):
            with raises(NotFound):
                spaces.move(space, old, "x")
        assert spaces.below(space, "") == before
        assert spaces.usage(space).seq == seq

    def test_a_folder_does_not_move_beyond_the_limits(self, empty_world: SpaceWorld) -> None:
        deep = "/".join("x" * (DEEPEST - 2))
        wide = "/".join(["w" * LONGEST_NAME] * (LONGEST_PATH // LONGEST_NAME))
        space, spaces = space_of(empty_world, f"deep/{deep}", wide), empty_world.spaces
        spaces.move(space, "deep", "a/deep")
        with raises(Invalid):
            spaces.move(space, "a/deep", "a/b/deep")
        with raises(Invalid):
            spaces.move(space, "w" * LONGEST_NAME, f"{'é' * 100}/{'w' * 100}")
        assert spaces.get(space, wide) is not None

    def test_a_folder_that_holds_something_goes_only_with_all(self, empty_world: SpaceWorld) -> None:
        space, spaces = space_of(empty_world, "a/b/c", "a0", "a-b"), empty_world.spaces
        with raises(Conflict):
            spaces.remove(space, "a")
        spaces.remove(space, "a", recursive=True)
        assert paths(spaces.below(space, "")) == ["a-b", "a0"]
        assert spaces.usage(space).size == 2 * ONE.size
        spaces.remove(space, "a0")
        spaces.make(space, "empty")
        spaces.remove(space, "empty")
        for path in ("a", "none"):
            with raises(NotFound):
                spaces.remove(space, path, recursive=True)
        assert summarise(spaces.changes(space, 5, 9)) == [
            "6 delete a a/", "7 delete a0 a0", "8 create empty/", "9 delete empty empty/",
        ]  # fmt: skip

    def test_the_root_is_emptied(self, empty_world: SpaceWorld) -> None:
        space, spaces = space_of(empty_world, "a/b/c", "d"), empty_world.spaces
        spaces.remove(space, "", recursive=True)
        assert spaces.below(space, "") == []
        assert spaces.usage(space).size == 0
        assert summarise(spaces.changes(space, 4, 9)) == ["5 delete a a/", "6 delete d d"]
        with raises(NotFound):
            spaces.remove(space, "", recursive=True)

    def test_the_journal_tells_each_change_once(self, empty_world: SpaceWorld) -> None:
        space, spaces = space_of(empty_world), empty_world.spaces
        now = empty_world.clock.forward(1)
        spaces.put(space, "a/b", ONE)
        spaces.put(space, "a/b", TWO)
        assert spaces.changes(space, 0, 9) == [
            Change(1, "a", ChangeKind.CREATE, None, None, None, now),
            Change(2, "a/b", ChangeKind.CREATE, ONE.digest, ONE.size, None, now),
            Change(3, "a/b", ChangeKind.UPDATE, TWO.digest, TWO.size, None, now),
        ]
        assert summarise(spaces.changes(space, 0, 2)) == ["1 create a/", "2 create a/b"]
        assert summarise(spaces.changes(space, 2, 2)) == ["3 update a/b"]
        assert spaces.changes(space, 3, 2) == []
        assert spaces.usage(space) == Usage(TWO.size, 3)

    def test_a_change_that_is_rolled_back_is_never_reported(self, empty_world: SpaceWorld) -> None:
        space, spaces = space_of(empty_world, "a"), empty_world.spaces
        with raises(RuntimeError), empty_world.atomic():
            spaces.put(space, "b", ONE)
            spaces.remove(space, "a")
            raise RuntimeError
        assert paths(spaces.below(space, "")) == ["a"]
        spaces.put(space, "c", ONE)
        assert summarise(spaces.changes(space, 0, 9)) == ["1 create a", "2 create c"]
