"""On a full disk, files without a reference are removed sooner, once a minute at most."""

from __future__ import annotations

from datetime import timedelta

import pytest

from handlers.processes.background import SOON, DiskKeeper, background
from vfs.errors import Unavailable
from vfs.ports.disk import DiskState


class Disk:
    """A disk with the room that a test says (vfs.ports.disk.DiskRoom)."""

    now = DiskState.AMPLE

    def room(self) -> DiskState:
        return self.now


@pytest.mark.parametrize("error", [None, Unavailable("The database is busy."), ValueError("a mistake")])
def test_a_full_disk_is_swept(error: Exception | None) -> None:
    disk, swept = Disk(), list[timedelta]()

    def sweep(grace: timedelta) -> None:
        swept.append(grace)
        if error is not None:
            raise error

    keeper = DiskKeeper(disk, sweep)
    keeper.look()
    assert swept == []
    disk.now = DiskState.SPENT
    for _ in range(3):
        keeper.look()
    assert swept == [SOON]


def test_a_disk_is_looked_at_until_the_end() -> None:
    disk, swept = Disk(), list[timedelta]()
    disk.now = DiskState.FULL
    with background(DiskKeeper(disk, swept.append, every=0.01)):
        while not swept:
            pass
