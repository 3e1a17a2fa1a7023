"""Bodies of git's requests: bounded while they come, and waited for before git has anything to do."""

from __future__ import annotations

import io
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from gunicorn.http.errors import InvalidChunkSize, InvalidHeader

from handlers.git.request_body import FETCH_LARGEST, spool
from handlers.git.smart_http import Git
from handlers.http.request_head import RequestHead
from handlers.services.pushes import PushTerms
from storage.git.repositories import GitRepositories
from tests.handlers.git.test_git_edge import ADMITTED, ITEM, head
from vfs.errors import Invalid, TooLarge, VfsError


@pytest.fixture
def repositories(tmp_path: Path) -> GitRepositories:
    repositories = GitRepositories(tmp_path / "repos", hook=("true",))
    repositories.create(ITEM)
    return repositories


def posted(program: str, source: io.RawIOBase | io.BytesIO, **more: str) -> RequestHead:
    """A request with a body."""
    media = f"application/x-{program}-request"
    sent = {"REQUEST_METHOD": "POST", "CONTENT_TYPE": media, "wsgi.input": source, **more}
    return head(f"/git/alice/upper.git/{program}", "", **sent)


def test_a_fetch_never_reaches_the_disk_and_is_bounded(repositories: GitRepositories) -> None:
    files: list[str] = []

    class Watched(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            for fd in os.listdir("/proc/self/fd"):
                with suppress(OSError):
                    files.append(os.readlink(f"/proc/self/fd/{fd}"))
            return super().read(size)

    git = Git(repositories, lambda *_: ADMITTED, PushTerms(repositories.folder, {}))
    size = FETCH_LARGEST + 1
    for said in ({"CONTENT_LENGTH": str(size)}, {"HTTP_TRANSFER_ENCODING": "chunked"}):
        answer = git(posted("git-upload-pack", Watched(b"0" * size), **said))
        assert answer.status == 413
        assert b"2 MiB; fetch fewer" in answer.body
    assert any(name.startswith("/memfd:fetch") for name in files)
    assert not any(name.startswith(str(repositories.folder)) for name in files)


def test_a_push_is_refused_while_it_comes_in_the_shape_that_was_asked_for(
    repositories: GitRepositories,
) -> None:
    git = Git(repositories, lambda *_: ADMITTED._replace(push=1000), PushTerms(repositories.folder, {}))
    source = io.BytesIO(b"0" * 1_000_000)
    answer = git(posted("git-receive-pack", source, HTTP_TRANSFER_ENCODING="chunked"))
    assert (answer.status, source.tell()) == (413, 1 << 16)
    assert answer.body.startswith(b"One push may bring 1000 bytes; push fewer")
    source = io.BytesIO(b"0" * 1_000_000)
    sent = {"CONTENT_LENGTH": "1000000", "HTTP_ACCEPT": "application/json"}
    answer = git(posted("git-receive-pack", source, **sent))
    assert (answer.status, source.tell()) == (413, 0)
    told = json.loads(answer.body)
    assert (told["status"], told["limit"], told["title"]) == (413, 1000, "too large")


def test_a_body_is_written_to_a_file() -> None:
    file = io.BytesIO()
    body = {"wsgi.input": io.BytesIO(b"x" * 100_000 + b"next request"), "CONTENT_LENGTH": "100000"}
    assert spool(body, file, 1 << 20, "why") == 100_000
    assert file.getvalue() == b"x" * 100_000
    chunked = {"wsgi.input": io.BytesIO(b"abc"), "HTTP_TRANSFER_ENCODING": "Chunked"}
    assert spool(chunked, io.BytesIO(), 1 << 20, "why") == 3
    assert spool({"wsgi.input": io.BytesIO(b"abc")}, io.BytesIO(), 1 << 20, "why") == 0


class Broken(io.RawIOBase):
    """An input that breaks."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self._error = error

    def read(self, size: int = -1) -> bytes:
        raise self._error


@pytest.mark.parametrize(
    "body, error",
    [
        ({"wsgi.input": io.BytesIO(b"abc"), "CONTENT_LENGTH": "4"}, Invalid),
        ({"wsgi.input": Broken(OSError("gone")), "CONTENT_LENGTH": "4"}, Invalid),
        ({"wsgi.input": Broken(InvalidChunkSize(b"zz")), "HTTP_TRANSFER_ENCODING": "chunked"}, Invalid),
        ({"wsgi.input": Broken(InvalidHeader("no colon")), "HTTP_TRANSFER_ENCODING": "chunked"}, Invalid),
        ({"wsgi.input": io.BytesIO(b"x" * 20), "CONTENT_LENGTH": "20"}, TooLarge),
        ({"wsgi.input": io.BytesIO(b"x" * 20), "HTTP_TRANSFER_ENCODING": "chunked"}, TooLarge),
    ],
    ids=["short", "broken", "chunks", "trailers", "large", "large in chunks"],
)
def test_a_body_that_is_short_or_large_is_refused(body: dict[str, Any], error: type[VfsError]) -> None:
    with pytest.raises(error):
        spool(body, io.BytesIO(), 10, "why")
