"""A push for which the disk has no room is refused in words, whenever that shows."""

from __future__ import annotations

import io
import random
from pathlib import Path

import pytest

from handlers.git.smart_http import Git
from handlers.services.pushes import PushTerms
from storage.git.repositories import GitRepositories
from tests.handlers.git.test_git_edge import ADMITTED, ITEM, body_of, head
from tests.handlers.git.test_request_body import posted
from tests.kit.disk.small import filled, mounted
from vfs.ports.disk import DiskState


class FullDisk:
    """A disk without room (vfs.ports.disk.DiskRoom)."""

    def room(self) -> DiskState:
        return DiskState.FULL


@pytest.mark.podman  # root's
@pytest.mark.parametrize("room", [0, 4096, 20_000, 400_000])
def test_a_body_that_fills_the_disk_is_refused(tmp_path: Path, room: int) -> None:
    with mounted(tmp_path / "disk", 16 << 20) as disk:
        repositories = GitRepositories(disk / "repos", hook=("true",))
        repositories.create(ITEM)
        git = Git(repositories, lambda *_: ADMITTED, PushTerms(repositories.folder, {}))
        body = b"0000PACK" + random.Random(room).randbytes(1_000_000)
        with filled(disk, room):
            sent = posted("git-receive-pack", io.BytesIO(body), CONTENT_LENGTH=str(len(body)))
            answer = git(sent)
        assert answer.status == 507
        assert b"the server's disk is full" in answer.body
        assert int(dict(answer.headers)["Retry-After"]) > 0


def test_a_push_to_a_full_disk_is_refused_before_it_is_sent(tmp_path: Path) -> None:
    repositories = GitRepositories(tmp_path / "repos", hook=("true",))
    repositories.create(ITEM)
    git = Git(repositories, lambda *_: ADMITTED, PushTerms(repositories.folder, {}), disk=FullDisk())
    answer = git(head("/git/alice/upper.git/info/refs", "service=git-receive-pack"))
    assert answer.status == 507
    assert answer.body.startswith(b"The server's disk is full")
    assert int(dict(answer.headers)["Retry-After"]) > 0
    read = git(head("/git/alice/upper.git/info/refs", "service=git-upload-pack"))
    assert (read.status, body_of(read)[:4]) == (200, b"001e")
