"""A push into which a fault of the disk falls: the branch is where it was or is to be, and sound."""

from __future__ import annotations

import errno
import os
import random
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.durability.ground import USER, Ground
from tests.durability.warden import Fault
from tests.kit.counting.amount import points, seed

ERRORS = ((errno.EIO, False), (errno.ENOSPC, True))
MORE_THAN_A_PUSH_HAS = 1 << 20

pytestmark = pytest.mark.soak


class Working:
    """A working copy whose every push brings one commit more."""

    def __init__(self, folder: Path, address: str) -> None:
        self._folder = folder
        self._number = 0
        folder.mkdir()
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("remote", "add", "origin", address)

    def git(self, *words: str) -> subprocess.CompletedProcess[str]:
        names = {
            "GIT_AUTHOR_NAME": "a",
            "GIT_AUTHOR_EMAIL": "a@b",
            "GIT_COMMITTER_NAME": "a",
            "GIT_COMMITTER_EMAIL": "a@b",
        }
        own = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0"}
        return subprocess.run(
            ["git", *words], cwd=self._folder, env={**os.environ, **names, **own}, text=True,
            capture_output=True, check=False,
        )  # fmt: skip

    def commit(self) -> str:
        """A commit with a file of its own; its id."""
        self._number += 1
        (self._folder / f"file-{self._number}").write_text("x" * self._number)
        self.git("add", ".")
        self.git("commit", "--quiet", "--message", f"commit {self._number}")
        return self.git("rev-parse", "HEAD").stdout.strip()

    def pushed(self) -> str:
        """Where the server's branch is; empty while there is none."""
        listed = self.git("ls-remote", "origin", "refs/heads/main")
        assert listed.returncode == 0, listed
        return listed.stdout.partition("\t")[0]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_push_that_a_fault_falls_into_is_whole_or_not_there(ground: Ground, tmp_path: Path) -> None:
    dice = random.Random(seed())
    assert ground.client.call("PUT", "/v1/code/repos/code").status == 201
    assert ground.client.call("POST", "/v1/code/repos/code/config/type", b"code", "text/plain").status == 200
    address = f"http://{USER}:{ground.tokens[USER]}@127.0.0.1:{ground.service.port}/git/{USER}/code.git"
    working = Working(tmp_path / "working", address)
    for error, lasting in ERRORS:
        calls = push(ground, working, Fault(MORE_THAN_A_PUSH_HAS, error, lasting))
        for nth in chosen(dice, len(calls)):
            push(ground, working, Fault(nth, error, lasting))
        assert push(ground, working, Fault(MORE_THAN_A_PUSH_HAS, error)), "a push works again by itself"


def chosen(dice: random.Random, calls: int) -> Sequence[int]:
    """Some of the calls of a push."""
    return sorted(dice.sample(range(1, calls + 1), min(points(3), calls)))


def push(ground: Ground, working: Working, fault: Fault) -> list[str]:
    """Push a new commit while the fault is armed, and hold the result; the calls that were counted."""
    before, after = working.pushed(), working.commit()
    ground.warden.arm(fault)
    told = working.git("push", "--quiet", "origin", "main")
    failed, calls = ground.warden.disarm(), ground.warden.calls()
    now = working.pushed()
    assert now in (before, after)
    assert now == after or told.returncode != 0, (str(fault), failed, told)
    (bare,) = (ground.folder / "repos").glob("*.git")
    sound = working.git("--git-dir", str(bare), "fsck", "--strict")
    assert sound.returncode == 0, (str(fault), failed, sound)
    if not failed:
        assert now == after, told
    for call in failed:
        # A lock that git could not remove keeps pushes out until it is old.
        if call.startswith("unlink of ") and call.endswith(".lock"):
            os.utime(ground.folder / call.removeprefix("unlink of "), (0, 0))
    return calls
