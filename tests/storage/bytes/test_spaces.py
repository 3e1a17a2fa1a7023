"""The keepers of spaces keep the promises of the port, in few statements and without lost updates."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from chains.files.names import DEEPEST
from chains.spaces.space import Spaces
from storage.bytes.spaces import StoredSpaces
from tests.kit.counting.statements import Statements
from tests.kit.suites.chains.fills import SpaceFillsSuite
from tests.kit.suites.chains.spaces import (
    SpaceChangesSuite,
    SpaceReadsSuite,
    SpaceWorld,
    bytes_of,
    make_space,
    paths,
)
from tests.kit.world import StoredWorld
from tests.storage.upkeep.test_sweep import sweeping
from vfs.errors import TooLarge

THREADS = 6


class TestReads(SpaceReadsSuite):
    pass


class TestChanges(SpaceChangesSuite):
    pass


class TestFills(SpaceFillsSuite):
    def small(self, empty_world: SpaceWorld, **bounds: int) -> Spaces:
        assert isinstance(empty_world, StoredWorld)
        return StoredSpaces(empty_world.database, empty_world.clock, **bounds)


class TestInADatabase:
    def test_reads_are_one_statement_however_deep_and_many(
        self, stored: StoredWorld, statements: Statements
    ) -> None:
        deep, space = "/".join("d" * DEEPEST), make_space(stored).id
        stored.spaces.put(space, deep, bytes_of(1))
        for number in range(50):
            stored.spaces.put(space, f"many/{number}", bytes_of(2))
        reads: list[Callable[[], object]] = [
            lambda: stored.spaces.get(space, deep),
            lambda: stored.spaces.inside(space, "many"),
            lambda: stored.spaces.below(space, ""),
            lambda: stored.spaces.usage(space),
            lambda: stored.spaces.changes(space, 0, 1000),
        ]
        for read in reads:
            assert statements(read) == 1

    def test_a_tree_moves_in_as_many_statements_as_a_file(
        self, stored: StoredWorld, statements: Statements
    ) -> None:
        space = make_space(stored).id
        stored.spaces.put(space, "one", bytes_of(1))
        for number in range(50):
            stored.spaces.put(space, f"many/of/{number}", bytes_of(1))
        one = statements(lambda: stored.spaces.move(space, "one", "two"))
        assert statements(lambda: stored.spaces.move(space, "many", "most")) == one

    def test_many_files_are_filled_in_and_copied_in_as_many_statements_as_one(
        self, stored: StoredWorld, statements: Statements
    ) -> None:
        spaces, items = stored.spaces, [make_space(stored, name).id for name in "abcd"]
        few = {"d/0": bytes_of(1)}
        many = {f"d/{number}": bytes_of(number) for number in range(300)}
        fills = [statements(lambda f=f, n=n: spaces.fill(items[n], f)) for n, f in enumerate((few, many))]
        assert fills[0] == fills[1]
        copies = [statements(lambda n=n: spaces.copy(items[n], items[n + 2])) for n in (0, 1)]
        assert copies[0] == copies[1]
        assert len(spaces.below(items[3], "d")) == 300

    def test_writers_at_once_share_a_quota_and_a_journal(self, stored: StoredWorld) -> None:
        spaces = StoredSpaces(stored.database, stored.clock, quota=10 * THREADS - 1)
        space = make_space(stored).id

        def write(number: int) -> bool:
            try:
                return spaces.put(space, f"new/{number}", bytes_of(number, 10))
            except TooLarge:
                return False

        with ThreadPoolExecutor(THREADS) as pool:
            assert sorted(pool.map(write, range(THREADS))) == [False, *[True] * (THREADS - 1)]
        assert [change.seq for change in spaces.changes(space, 0, 99)] == [*range(1, THREADS + 1)]
        assert spaces.usage(space).size == 10 * (THREADS - 1)
        assert len(paths(spaces.inside(space, "new"))) == THREADS - 1

    def test_bytes_of_a_space_are_swept_once_nothing_names_them(self, stored: StoredWorld) -> None:
        space, sweep = make_space(stored).id, sweeping(stored)
        stored.spaces.put(space, "a", stored.blobs.add([b"kept"], "text/plain"))
        stored.spaces.put(space, "b", stored.blobs.add([b"gone"], "text/plain"))
        stored.spaces.remove(space, "b")
        stored.clock.forward(400 * 24 * 3600)
        assert sweep.run().blobs == 1
        entry = stored.spaces.get(space, "a")
        assert entry is not None
        assert entry.blob is not None
        with stored.blobs.open(entry.blob) as file:
            assert file.read() == b"kept"
