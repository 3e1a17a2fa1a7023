"""What takes room asks for it first."""

from __future__ import annotations

import pytest

from vfs.errors import NoSpace
from vfs.ports.disk import AmpleRoom, DiskRoom, Room, require_room


class OneRoom:
    """A disk with this room (DiskRoom)."""

    def __init__(self, room: Room) -> None:
        self._room = room

    def room(self) -> Room:
        return self._room


@pytest.mark.parametrize("room", Room)
def test_a_full_disk_refuses_and_tells_when_to_come_again(room: Room) -> None:
    disk: DiskRoom = OneRoom(room)
    if room in (Room.AMPLE, Room.LOW):
        require_room(disk)
        return
    with pytest.raises(NoSpace) as refusal:
        require_room(disk)
    assert refusal.value.members["retry_after"] > 0
    assert "disk is full" in refusal.value.detail


def test_a_disk_that_nobody_looks_at_has_room() -> None:
    require_room(AmpleRoom())
