"""Hosts with too few user ids, or a covered /sys: they say what they lack, and what to do."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from chains.buildbox.doctor import advice_on
from chains.host import host_limits
from chains.host.host_limits import EACH, count_ids, lacks_ids
from tests.kit.server import environment

FEW = "0 0 65536"
"""As many ids as a container or a machine of systemd-nspawn gets for itself."""


def test_this_host_has_the_ids_of_steps() -> None:
    assert lacks_ids(100_000) is None
    assert count_ids() > 1 << 20


def test_a_runner_with_few_ids_does_not_start_and_says_so(tmp_path: Path) -> None:
    runner = [sys.executable, "-P", "-m", "handlers", "runner", "--data", str(tmp_path / "data")]
    begun = ["unshare", "--user", "sh", "-c", 'echo && read go && exec "$@"', "sh", *runner]
    with subprocess.Popen(
        begun, env=environment(), text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        process.stdout.readline()
        for name in ("uid_map", "gid_map"):
            Path(f"/proc/{process.pid}/{name}").write_text(FEW)
        _, said = process.communicate("go\n", 120)
    assert process.returncode == 1, said
    assert "this host has 65,536 user ids (/proc/self/uid_map), and not all of those from 100000" in said
    assert "set userns = false" in said


@given(
    st.lists(st.tuples(st.integers(0, 300_000), st.integers(1, 200_000)), min_size=1, max_size=4),
    st.integers(0, 300_000),
)
def test_ids_are_counted_as_a_set_of_them_would_be(ranges: list[tuple[int, int]], first: int) -> None:
    at, apart = 0, []
    for gap, length in ranges:
        apart.append((at + gap, length))
        at += gap + length
    there = {number for begin, length in apart for number in range(begin, begin + length)}
    whole = there.issuperset(range(first, first + EACH))
    assert host_limits.covers(apart, first) == whole


def test_a_trial_that_fails_for_a_covered_sys_says_what_to_do() -> None:
    assert "SYSTEMD_NSPAWN_API_VFS_WRITABLE=yes" in advice_on("cannot unmount /sys/kernel")
    assert "user.max_user_namespaces" in advice_on("mount: permission denied")
