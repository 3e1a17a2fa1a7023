"""Git over SSH with clients that leave, are silent or send what is no git: each ends, and git with it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from handlers.git.smart_http import RECEIVE, UPLOAD, GitRequest
from handlers.git.ssh_git import SshGit, SshPipes
from handlers.services.pushes import Admitted, PushTerms
from storage.git.repositories import GitRepositories
from vfs.errors import Invalid, TooLarge, Unavailable
from vfs.ports.disk import UnlimitedDisk

ENDS = tuple[int, int, int, int]


@pytest.fixture
def git(tmp_path: Path) -> SshGit:
    repositories = GitRepositories(tmp_path / "repos", ("true",))
    repositories.create(1)
    terms = PushTerms(repositories.folder, {})
    return SshGit(
        repositories, lambda _: Admitted(1, "alice", push=1 << 10), terms, UnlimitedDisk(), grace=0.3
    )


@pytest.fixture
def ends() -> Iterator[ENDS]:
    """What git reads, what its client writes, what that reads, what git writes."""
    made = (*os.pipe(), *os.pipe())
    yield made
    for each in made:
        with suppress(OSError):
            os.close(each)


def request(program: str) -> GitRequest:
    return GitRequest("alice", "tools", program, advertise=False)


@pytest.mark.parametrize("program", [UPLOAD, RECEIVE])
def test_a_client_that_left_takes_git_with_it(git: SshGit, ends: ENDS, program: str) -> None:
    source, _, mine, sink = ends
    os.close(mine)
    with pytest.raises(Unavailable):
        git(request(program), "version=1", SshPipes(source, sink, 20))


@pytest.mark.parametrize("program", [UPLOAD, RECEIVE])
def test_a_silent_client_is_refused(git: SshGit, ends: ENDS, program: str) -> None:
    source, _, _, sink = ends
    with pytest.raises(Invalid, match="no data was sent"):
        git(request(program), "", SshPipes(source, sink, 0.2))


def test_what_is_too_large_or_no_git_is_refused(git: SshGit, ends: ENDS) -> None:
    source, theirs, _, sink = ends
    os.write(theirs, b"0032" + b"x" * 46)
    os.close(theirs)
    assert git(request(UPLOAD), "", SshPipes(source, sink, 20)) != 0
    source, theirs = os.pipe()
    os.set_blocking(theirs, False)
    for _ in range(2):
        with suppress(BlockingIOError):
            os.write(theirs, b"0000" * (1 << 14))
    with pytest.raises((TooLarge, Invalid)):
        git(request(RECEIVE), "", SshPipes(source, sink, 20))
    os.close(source)
    os.close(theirs)
