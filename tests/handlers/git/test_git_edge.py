"""What the git edge asks, refuses and bounds, request by request."""

from __future__ import annotations

import io
import resource
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from gunicorn.http.errors import InvalidChunkSize, InvalidHeader

from handlers.git.smart_http import Admitted, Git, GitAnswer, GitRequest, parse_request, spool
from storage.git.repositories import GitRepositories
from vfs.errors import (
    Conflict,
    Denied,
    Invalid,
    NoSpace,
    NotFound,
    TooLarge,
    TooMany,
    Unauthenticated,
    Unavailable,
    Unsupported,
    VfsError,
)

ITEM = 7
ADMITTED = Admitted(ITEM, "alice")
REFS = "/git/alice/upper.git/info/refs"


def environ(path: str = REFS, query: str = "service=git-upload-pack", **more: Any) -> dict[str, Any]:
    """A request."""
    return {"REQUEST_METHOD": "GET", "PATH_INFO": path, "QUERY_STRING": query, **more}


@dataclass
class Started:
    """What an application said when it began to answer."""

    status: str = ""
    headers: dict[str, str] = field(default_factory=dict)

    def __call__(self, status: str, headers: list[tuple[str, str]]) -> None:
        self.status, self.headers = status, dict(headers)


@pytest.fixture
def repositories(tmp_path: Path) -> GitRepositories:
    repositories = GitRepositories(tmp_path / "repos", hook=("true",))
    repositories.create(ITEM)
    return repositories


def answered(git: Git, asked_for: dict[str, Any]) -> tuple[Started, bytes]:
    """The whole answer, closed as a server does it."""
    started = Started()
    answer: Iterable[bytes] = git(asked_for, started)
    body = b"".join(answer)
    if isinstance(answer, GitAnswer):
        answer.close()
    return started, body


def test_a_request_names_the_repo_and_the_service() -> None:
    assert parse_request(environ()) == GitRequest("alice", "upper", "git-upload-pack", advertise=True)
    assert parse_request(environ("/git/alice/upper/info/refs")).repo == "upper"
    push = environ("/git/alice/upper.git/git-receive-pack", "", REQUEST_METHOD="POST")
    assert parse_request(push) == GitRequest("alice", "upper", "git-receive-pack", advertise=False)
    assert parse_request(push).service == "write"
    assert parse_request(environ(query="service=git-receive-pack")).service == "write"


@pytest.mark.parametrize(
    "request_, error",
    [
        (environ(query=""), Denied),
        (environ(query="service=git-upload-archive"), NotFound),
        (environ("/git/alice/upper.git/HEAD"), NotFound),
        (environ("/git/alice/upper.git/objects/info/packs"), NotFound),
        (environ("/git/alice/upper.git"), NotFound),
        (environ("/git/alice/../7.git/info/refs"), Invalid),
        (environ(RAW_URI="/git/alice%2Fupper.git/info/refs?service=git-upload-pack"), Invalid),
        (environ("/git/alice/up per.git/info/refs"), NotFound),
        (environ("/git/alice/.git/info/refs"), NotFound),
        (environ(REQUEST_METHOD="POST"), Unsupported),
        (environ("/git/alice/upper.git/git-upload-pack", ""), Unsupported),
    ],
)
def test_anything_but_the_smart_protocol_is_refused(request_: dict[str, Any], error: type[VfsError]) -> None:
    with pytest.raises(error):
        parse_request(request_)


@pytest.mark.parametrize(
    "error, status, header",
    [
        (Unauthenticated("why"), "401 Unauthorized", ("WWW-Authenticate", 'Basic realm="curlew"')),
        (Denied("why"), "403 Forbidden", None),
        (NotFound("why"), "404 Not Found", None),
        (Unsupported("why", allow=["GET", "HEAD"]), "405 Method Not Allowed", ("Allow", "GET, HEAD")),
        (TooMany("why", retry_after=7), "429 Too Many Requests", ("Retry-After", "7")),
        (Unavailable("why"), "503 Service Unavailable", None),
        (NoSpace("why"), "507 Insufficient Storage", None),
        (Conflict("why"), "400 Bad Request", None),
    ],
)
def test_a_refusal_is_a_line_of_text(
    repositories: GitRepositories, error: VfsError, status: str, header: tuple[str, str] | None
) -> None:
    def admit(*_: object) -> Admitted:
        raise error

    started, body = answered(Git(repositories, admit, {}), environ())
    assert started.status == status
    assert started.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert header is None or header in started.headers.items()
    assert body == b"why\n"


def test_who_asks_is_told_as_it_came(repositories: GitRepositories) -> None:
    seen: list[tuple[object, ...]] = []

    def admit(*words: object) -> Admitted:
        seen.append(words)
        return ADMITTED

    git = Git(repositories, admit, {})
    answered(git, environ())
    answered(git, environ(query="service=git-receive-pack", HTTP_AUTHORIZATION="Basic eDp5"))
    assert seen == [("alice", "upper", "read", None), ("alice", "upper", "write", "Basic eDp5")]


def test_the_refs_are_advertised(repositories: GitRepositories) -> None:
    started, body = answered(
        Git(repositories, lambda *_: ADMITTED, {}), environ(HTTP_GIT_PROTOCOL="version=2")
    )
    assert started.status == "200 OK"
    assert started.headers["Content-Type"] == "application/x-git-upload-pack-advertisement"
    assert started.headers["Cache-Control"].startswith("no-cache")
    assert b"version 2" in body
    _, plain = answered(Git(repositories, lambda *_: ADMITTED, {}), environ(HTTP_GIT_PROTOCOL="version=2\n"))
    assert b"version 2" not in plain


def test_a_repository_that_is_not_on_disk_is_absent(repositories: GitRepositories) -> None:
    started, _ = answered(Git(repositories, lambda *_: ADMITTED._replace(item=ITEM + 1), {}), environ())
    assert started.status.startswith("404")


def test_a_service_that_is_asked_in_the_wrong_media_is_refused(repositories: GitRepositories) -> None:
    post = environ(
        "/git/alice/upper.git/git-upload-pack", "", REQUEST_METHOD="POST", CONTENT_TYPE="text/plain"
    )
    started, _ = answered(Git(repositories, lambda *_: ADMITTED, {}), post)
    assert started.status.startswith("415")


def test_only_so_many_are_served_at_once(repositories: GitRepositories) -> None:
    git = Git(repositories, lambda *_: ADMITTED, {}, at_once=1)
    first = git(environ(), Started())
    started, body = answered(git, environ())
    assert started.status == "503 Service Unavailable"
    assert started.headers["Retry-After"] == "2"
    assert b"Too many" in body
    assert isinstance(first, GitAnswer)
    first.close()
    assert answered(git, environ())[0].status == "200 OK"


def test_a_client_that_leaves_ends_git(repositories: GitRepositories) -> None:
    answer = Git(repositories, lambda *_: ADMITTED, {})(environ(), Started())
    assert isinstance(answer, GitAnswer)
    answer.close()
    assert answer.process.returncode is not None


def test_a_git_that_says_nothing_is_unavailable(
    repositories: GitRepositories, caplog: pytest.LogCaptureFixture
) -> None:
    (repositories.folder / "gitconfig").write_text("[broken")
    started, body = answered(Git(repositories, lambda *_: ADMITTED, {}), environ())
    assert started.status == "503 Service Unavailable"
    assert b"the server's log says why" in body
    assert "bad config" in caplog.text


def test_a_body_that_the_disk_does_not_take_is_told(repositories: GitRepositories) -> None:
    push = environ(
        "/git/alice/upper.git/git-receive-pack", "", REQUEST_METHOD="POST", CONTENT_LENGTH="100000"
    )
    push["wsgi.input"] = io.BytesIO(b"x" * 100_000)
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, usual[1]))
    try:
        started, body = answered(Git(repositories, lambda *_: ADMITTED, {}), push)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
    assert started.status == "507 Insufficient Storage"
    assert b"disk is full" in body


def test_a_refusal_of_head_has_no_body(repositories: GitRepositories) -> None:
    started, body = answered(Git(repositories, lambda *_: ADMITTED, {}), environ(REQUEST_METHOD="HEAD"))
    assert (started.status, body) == ("405 Method Not Allowed", b"")


def test_a_body_is_written_to_a_file() -> None:
    file = io.BytesIO()
    body = {"wsgi.input": io.BytesIO(b"x" * 100_000 + b"next request"), "CONTENT_LENGTH": "100000"}
    assert spool(body, file, 1 << 20) == 100_000
    assert file.getvalue() == b"x" * 100_000
    chunked = {"wsgi.input": io.BytesIO(b"abc"), "HTTP_TRANSFER_ENCODING": "Chunked"}
    assert spool(chunked, io.BytesIO(), 1 << 20) == 3
    assert spool({"wsgi.input": io.BytesIO(b"abc")}, io.BytesIO(), 1 << 20) == 0


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
        spool(body, io.BytesIO(), 10)
