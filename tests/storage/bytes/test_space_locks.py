"""Locks of spaces are kept until they end, with their space."""

from __future__ import annotations

import pytest

from chains.spaces.locks import SpaceLock, is_inside
from storage.bytes.space_rows import StoredSpaceLocks
from tests.kit.suites.chains.spaces import make_space
from tests.kit.world import StoredWorld

NOW, SOON, LATER = (f"2026-01-01T0{hour}:00:00.000Z" for hour in range(3))


def lock_of(path: str, token: str = "a", *, deep: bool = True, expires_on: str = LATER) -> SpaceLock:
    return SpaceLock(token, path, deep, True, "alice", "<o/>", expires_on)


def test_locks_are_found_renewed_and_dropped(stored: StoredWorld) -> None:
    locks, space = StoredSpaceLocks(stored.database), make_space(stored).id
    other = make_space(stored, "other").id
    first, second = lock_of("d/x"), lock_of("d", "b", deep=False, expires_on=SOON)
    locks.add(space, first, NOW)
    locks.add(space, second, NOW)
    assert locks.of(space, NOW) == [second, first]
    assert locks.of(other, NOW) == []
    assert (locks.held("alice", NOW), locks.held("bob", NOW)) == (2, 0)
    assert locks.of(space, SOON) == [first]
    locks.renew("b", LATER)
    assert [one.expires_on for one in locks.of(space, SOON)] == [LATER, LATER]
    locks.drop(other, "b")
    locks.drop(space, "a")
    assert [one.token for one in locks.of(space, NOW)] == ["b"]
    locks.drop_below(space, "d/x")
    assert locks.held("alice", NOW) == 1
    locks.drop_below(space, "")
    assert locks.held("alice", NOW) == 0


def test_ended_locks_go_with_the_next_and_all_with_their_space(stored: StoredWorld) -> None:
    locks, item = StoredSpaceLocks(stored.database), make_space(stored)
    locks.add(item.id, lock_of("a", expires_on=SOON), NOW)
    locks.add(item.id, lock_of("b", "b"), SOON)
    assert stored.database.value("SELECT count(*) FROM space_lock") == 1
    stored.items.discard(item)
    assert stored.database.value("SELECT count(*) FROM space_lock") == 0


@pytest.mark.parametrize(
    ("path", "folder", "inside"),
    [("a/b", "a", True), ("a", "a", False), ("ab", "a", False), ("a", "", True), ("", "", False)],
)
def test_a_path_is_inside_of_a_folder(path: str, folder: str, inside: bool) -> None:
    assert is_inside(path, folder) is inside
    assert lock_of(folder).covers(path) is (inside or path == folder)
    assert lock_of(folder, deep=False).covers(path) is (path == folder)
