"""Limits of the machine: what the kernel tells, and what is near."""

from __future__ import annotations

import os
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from chains.host.host_limits import ALL, HostLimit, host_limits


def test_limits_are_what_the_kernel_tells(tmp_path: Path) -> None:
    found = {limit.key: limit for limit in host_limits(tmp_path)}
    disk = os.statvfs(tmp_path)
    assert found["files"].most == int(Path("/proc/sys/fs/file-max").read_text())
    assert found["inodes"].most == disk.f_files
    assert 0 < found["tmp_bytes"].used < found["tmp_bytes"].most
    assert str(tmp_path) in str(found["inodes"])


@given(st.integers(0, 10**12), st.integers(1, 10**12))
def test_a_limit_is_near_when_less_than_a_tenth_is_left(used: int, most: int) -> None:
    assert HostLimit("", "", "", used, most, ALL).is_near == (10 * (most - used) < most - most % 10)
    assert not HostLimit("", "", "", used, most, 0).is_near or used > most
