"""Where a container hides its control groups, no image can be built, and it is said how to show them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.kit.server import environment

ASK = """
import sys, pathlib
from chains.buildbox.doctor import build_trouble
print(build_trouble(None, pathlib.Path(sys.argv[1])))
"""


@pytest.mark.podman  # root's
def test_hidden_control_groups_are_named_with_the_options_that_show_them(tmp_path: Path) -> None:
    hide = 'mount -t tmpfs none /sys/fs/cgroup && exec "$@"'
    words = ["unshare", "--mount", "sh", "-c", hide, "sh", sys.executable, "-c", ASK, str(tmp_path)]
    said = subprocess.run(words, env=environment(), text=True, capture_output=True, check=True).stdout
    assert "cannot be built on this host" in said
    assert "--cgroupns=host" in said
