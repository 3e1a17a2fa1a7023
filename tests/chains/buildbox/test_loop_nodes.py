"""Device files of loop devices are made where a machine that is a container has none."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from chains.buildbox.disk import make_nodes

pytestmark = pytest.mark.podman  # root's

DEVICES = {"class/misc/loop-control": "10:237\n", "block/loop0": "7:0\n", "block/loop31": "7:31\n"}


def test_missing_ones_are_made_and_others_left_alone(tmp_path: Path) -> None:
    devices, sys = tmp_path / "dev", tmp_path / "sys"
    devices.mkdir()
    for name, numbers in DEVICES.items():
        (sys / name).mkdir(parents=True)
        (sys / name / "dev").write_text(numbers)
    (sys / "block/sda").mkdir()
    (devices / "loop0").write_text("is there")
    make_nodes(devices, sys)
    assert sorted(path.name for path in devices.iterdir()) == ["loop-control", "loop0", "loop31"]
    assert (devices / "loop0").read_text() == "is there"
    for name, kind, number in (("loop-control", stat.S_IFCHR, (10, 237)), ("loop31", stat.S_IFBLK, (7, 31))):
        made = (devices / name).stat()
        assert made.st_mode == kind | 0o600
        assert (os.major(made.st_rdev), os.minor(made.st_rdev)) == number


def test_without_the_kernels_list_nothing_is_made(tmp_path: Path) -> None:
    make_nodes(tmp_path, tmp_path / "nowhere")
    assert list(tmp_path.iterdir()) == []
