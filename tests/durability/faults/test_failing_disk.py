"""A disk whose device answers EIO, really: what clients see, for how long, and what is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.durability.faults.stage import PLOT, Row, Stage, await_so, table
from tests.kit.disk.small import FailingDisk, mounted

SIZE = 96 << 20
LARGE = b"name,size\n" + b"terns,1\n" * 20_000
BROKEN_DISK = "a disk fails (EIO)"


def disk_fails(stage: Stage, row: Row, disk: FailingDisk) -> None:
    with disk.failing():
        # Whatever the device still takes was acknowledged rightly.
        await_so(lambda: stage.try_write().status != 200)
        for answer in (stage.try_write(), stage.call("POST", f"{PLOT}/data", LARGE)):
            row.tells(answer)
        assert stage.want("GET", f"{PLOT}/data") == stage.kept
        await_so(lambda: stage.check("disk")[:2] == (503, "fail"))
        row.says(stage.check("disk")[2])
    assert "mount it again" in row.act
    stage.close()
    disk.unmount()
    disk.mount()
    stage.restart()
    stage.measure(row)


@pytest.mark.podman  # root's
def test_a_disk_that_fails(tmp_path: Path) -> None:
    with mounted(tmp_path / "lower", SIZE) as lower:
        disk = FailingDisk(tmp_path / "data", lower, 4 * SIZE)
        stage = Stage(disk.path)
        try:
            disk.mount()
            stage.start()
            disk_fails(stage, table()[BROKEN_DISK], disk)
        finally:
            stage.close()
            disk.unmount()
