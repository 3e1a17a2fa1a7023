"""What takes room asks for it first."""

from __future__ import annotations

import pytest

from vfs.errors import NoSpace
from vfs.ports.disk import DiskSpace, DiskState, UnlimitedDisk, require_disk_space


class OneState:
    """A disk with this room (DiskRoom)."""

    def __init__(self, room: DiskState) -> None:
        self._room = room

    def room(self) -> DiskState:
        return self._room


@pytest.mark.parametrize("room", DiskState)
def test_a_full_disk_refuses_and_tells_when_to_come_again(room: DiskState) -> None:
    disk: DiskSpace = OneState(room)
    if room in (DiskState.AMPLE, DiskState.LOW):
        require_disk_space(disk)
        return
    with pytest.raises(NoSpace) as refusal:
        require_disk_space(disk)
    assert refusal.value.members["retry_after"] > 0
    assert "disk is full" in refusal.value.detail


def test_a_disk_that_nobody_looks_at_has_room() -> None:
    require_disk_space(UnlimitedDisk())
