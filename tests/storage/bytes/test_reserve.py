"""The reserve gives its room up when the disk is full, and takes it again once there is enough of it."""

from __future__ import annotations

import errno
import fcntl
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.bytes.reserve import LEAST, NAME, Reserve, Space
from vfs.ports.disk import DiskState

SIZE = 4 << 20
TOTAL = 100 << 20


class Small(Reserve):
    """A reserve on a disk of 100 MiB; others use `used` bytes."""

    used = 0

    def look(self) -> Space:
        held = super().look().held
        return Space(TOTAL, max(TOTAL - self.used - (held or 0), 0), held)


@given(st.lists(st.integers(0, TOTAL), max_size=12))
def test_room_is_what_is_free_and_the_reserve_goes_and_comes_with_it(uses: list[int]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        reserve = Small(Path(folder), SIZE)
        reserve.make()
        for used in [0, *uses, 0]:
            reserve.used = used
            before = reserve.look().held
            room, after = reserve.room(), reserve.look()
            assert room.is_full == (after.held == 0)
            assert reserve.room() is room
            if before and not after.held:
                assert TOTAL - used - before < LEAST
            if not before and after.held:
                assert TOTAL - used >= before + SIZE + SIZE // 2 + LEAST
            if room is DiskState.SPENT:
                assert after.free < LEAST
        assert room is DiskState.AMPLE
        assert (Path(folder) / NAME).stat().st_blocks * 512 >= SIZE


def test_room_is_low_before_it_is_full(tmp_path: Path) -> None:
    reserve = Small(tmp_path, SIZE)
    reserve.make()
    reserve.used = TOTAL - SIZE - TOTAL // 10
    assert reserve.room() is DiskState.AMPLE
    reserve.used += 1
    assert reserve.room() is DiskState.LOW


def test_a_reserve_that_was_never_made_is_not_looked_for(tmp_path: Path) -> None:
    reserve = Small(tmp_path, SIZE)
    assert reserve.room() is DiskState.AMPLE
    reserve.used = TOTAL
    assert reserve.room() is DiskState.SPENT
    reserve.used = 0
    assert reserve.room() is DiskState.AMPLE
    assert list(tmp_path.iterdir()) == []
    none = Small(tmp_path, 0)
    none.make()
    assert list(tmp_path.iterdir()) == []


def test_nobody_takes_what_another_takes_or_planted(tmp_path: Path) -> None:
    reserve, file = Small(tmp_path, SIZE), tmp_path / NAME
    file.touch()
    taken = os.open(file, os.O_RDWR)
    fcntl.flock(taken, fcntl.LOCK_EX)
    assert reserve.room() is DiskState.FULL
    os.close(taken)
    assert reserve.room() is DiskState.AMPLE
    file.unlink()
    (tmp_path / "treasure").write_text("gold")
    file.symlink_to(tmp_path / "treasure")
    reserve.make()
    reserve.used = TOTAL
    assert reserve.room() is DiskState.SPENT
    assert (tmp_path / "treasure").read_text() == "gold"
    file.unlink()
    os.mkfifo(file)
    reserve.make()
    assert reserve.room() is DiskState.SPENT


def test_a_reserve_is_the_eighth_part_of_a_small_disk_at_most(tmp_path: Path) -> None:
    reserve = Small(tmp_path, 1 << 40)
    reserve.make()
    assert reserve.look().held == TOTAL // 8


def test_where_there_is_no_folder_other_words_are_found(tmp_path: Path) -> None:
    assert Reserve(tmp_path / "none", SIZE).room() is DiskState.AMPLE


def test_a_disk_that_gives_no_room_after_all_leaves_it_given_up(tmp_path: Path) -> None:
    class Boasting(Small):
        def look(self) -> Space:
            return Space(1 << 63, 1 << 62, Reserve.look(self).held)

    (tmp_path / NAME).touch()
    reserve = Boasting(tmp_path, 1 << 59)
    assert reserve.room() is DiskState.FULL
    assert (tmp_path / NAME).stat().st_size == 0


@pytest.mark.parametrize("size", [1, LEAST])
def test_a_small_reserve_counts_as_well(tmp_path: Path, size: int) -> None:
    reserve = Small(tmp_path, size)
    reserve.make()
    reserve.used = TOTAL
    assert reserve.room().is_full


def test_the_reason_why_nothing_can_be_written_is_reported(tmp_path: Path) -> None:
    assert Reserve(tmp_path, SIZE).flaw() is None
    assert Reserve(tmp_path / "none", SIZE).flaw() == os.strerror(errno.ENOENT)
