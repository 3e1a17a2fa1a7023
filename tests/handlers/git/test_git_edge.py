"""What the git edge asks, refuses and bounds, request by request."""

from __future__ import annotations

import io
import resource
import threading
from pathlib import Path
from typing import Any

import pytest

from handlers.git.backend import Backend
from handlers.git.smart_http import Git, GitRequest, parse_request
from handlers.http.request_head import Front, RequestHead, read_head
from handlers.http.response import Answer
from handlers.rules.shared_limit import room_of
from handlers.services.pushes import Admitted, PushTerms
from storage.git.command import GitCommand, GitLimits
from storage.git.repositories import GitRepositories
from vfs.errors import (
    Conflict,
    Denied,
    Invalid,
    NoSpace,
    NotFound,
    TooMany,
    Unauthenticated,
    Unavailable,
    Unsupported,
    VfsError,
)

ITEM = 7
ADMITTED = Admitted(ITEM, "alice")
REFS = "/git/alice/upper.git/info/refs"


def terms(repositories: GitRepositories) -> PushTerms:
    """The terms of pushes whose hook needs nothing."""
    return PushTerms(repositories.folder, {})


def environ(path: str = REFS, query: str = "service=git-upload-pack", **more: Any) -> dict[str, Any]:
    """A request."""
    return {"REQUEST_METHOD": "GET", "PATH_INFO": path, "QUERY_STRING": query, **more}


def head(*words: str, **more: Any) -> RequestHead:
    """The head of a request."""
    return read_head(environ(*words, **more), Front())


@pytest.fixture
def repositories(tmp_path: Path) -> GitRepositories:
    repositories = GitRepositories(tmp_path / "repos", hook=("true",))
    repositories.create(ITEM)
    return repositories


def body_of(answer: Answer) -> bytes:
    """The whole body of an answer, closed as a server does it."""
    if answer.pieces is None:
        return answer.body
    assert isinstance(answer.pieces, Backend)
    body = b"".join(answer.pieces)
    answer.pieces.close()
    return body


def test_a_request_names_the_repo_and_the_service() -> None:
    assert parse_request(head()) == GitRequest("alice", "upper", "git-upload-pack", advertise=True)
    assert parse_request(head("/git/alice/upper/info/refs")).repo == "upper"
    push = head("/git/alice/upper.git/git-receive-pack", "", REQUEST_METHOD="POST")
    assert parse_request(push) == GitRequest("alice", "upper", "git-receive-pack", advertise=False)
    assert parse_request(push).service == "write"
    assert parse_request(head(query="service=git-receive-pack")).service == "write"


@pytest.mark.parametrize(
    "request_, error",
    [
        (head(query=""), Denied),
        (head(query="service=git-upload-archive"), NotFound),
        (head("/git/alice/upper.git/HEAD"), NotFound),
        (head("/git/alice/upper.git/objects/info/packs"), NotFound),
        (head("/git/alice/upper.git"), NotFound),
        (head("/git/alice/../7.git/info/refs"), Invalid),
        (head(RAW_URI="/git/alice%2Fupper.git/info/refs?service=git-upload-pack"), Invalid),
        (head("/git/alice/up per.git/info/refs"), NotFound),
        (head("/git/alice/.git/info/refs"), NotFound),
        (head(REQUEST_METHOD="POST"), Unsupported),
        (head("/git/alice/upper.git/git-upload-pack", ""), Unsupported),
    ],
)
def test_anything_but_the_smart_protocol_is_refused(request_: RequestHead, error: type[VfsError]) -> None:
    with pytest.raises(error):
        parse_request(request_)


@pytest.mark.parametrize(
    "error, status, header",
    [
        (Unauthenticated("why"), 401, ("WWW-Authenticate", 'Basic realm="curlew"')),
        (Denied("why"), 403, None),
        (NotFound("why"), 404, None),
        (Unsupported("why", allow=["GET", "HEAD"]), 405, ("Allow", "GET, HEAD")),
        (TooMany("why", retry_after=7), 429, ("Retry-After", "7")),
        (Unavailable("why"), 503, None),
        (NoSpace("why"), 507, None),
        (Conflict("why"), 409, None),
    ],
)
def test_a_refusal_is_a_line_of_text(
    repositories: GitRepositories, error: VfsError, status: int, header: tuple[str, str] | None
) -> None:
    def admit(*_: object) -> Admitted:
        raise error

    answer = Git(repositories, admit, terms(repositories))(head())
    assert answer.status == status
    assert ("Content-Type", "text/plain; charset=utf-8") in answer.headers
    assert header is None or header in answer.headers
    assert answer.body == b"why\n"


def test_the_authorization_is_passed_on_unchanged(repositories: GitRepositories) -> None:
    seen: list[tuple[object, ...]] = []

    def admit(*words: object) -> Admitted:
        seen.append(words)
        return ADMITTED

    git = Git(repositories, admit, terms(repositories))
    body_of(git(head()))
    body_of(git(head(query="service=git-receive-pack", HTTP_AUTHORIZATION="Basic eDp5")))
    assert seen == [("alice", "upper", "read", None), ("alice", "upper", "write", "Basic eDp5")]


def test_the_refs_are_advertised(repositories: GitRepositories) -> None:
    git = Git(repositories, lambda *_: ADMITTED, terms(repositories))
    answer = git(head(HTTP_GIT_PROTOCOL="version=2"))
    headers = dict(answer.headers)
    assert answer.status == 200
    assert headers["Content-Type"] == "application/x-git-upload-pack-advertisement"
    assert headers["Cache-Control"].startswith("no-cache")
    assert b"version 2" in body_of(answer)
    assert b"version 2" not in body_of(git(head(HTTP_GIT_PROTOCOL="version=2\n")))


def test_who_was_admitted_is_known_to_the_log(repositories: GitRepositories) -> None:
    request = head()
    body_of(Git(repositories, lambda *_: ADMITTED, terms(repositories))(request))
    assert request.user == "alice"


def test_a_repository_that_is_not_on_disk_is_absent(repositories: GitRepositories) -> None:
    answer = Git(repositories, lambda *_: ADMITTED._replace(item=ITEM + 1), terms(repositories))(head())
    body_of(answer)
    assert answer.status == 404


def test_a_request_of_the_wrong_media_type_is_refused(repositories: GitRepositories) -> None:
    post = head(
        "/git/alice/upper.git/git-upload-pack",
        "",
        REQUEST_METHOD="POST",
        CONTENT_TYPE="text/plain",
        **{"wsgi.input": io.BytesIO()},
    )
    answer = Git(repositories, lambda *_: ADMITTED, terms(repositories))(post)
    body_of(answer)
    assert answer.status == 415


def test_a_limited_number_is_served_at_once(repositories: GitRepositories) -> None:
    git = Git(repositories, lambda *_: ADMITTED, terms(repositories), room=room_of(1))
    first = git(head())
    second = git(head())
    assert second.status == 503
    assert ("Retry-After", "5") in second.headers
    assert b"try again soon" in second.body
    assert isinstance(first.pieces, Backend)
    first.pieces.close()
    third = git(head())
    body_of(third)
    assert third.status == 200


class SlowBody(io.RawIOBase):
    """A body whose next piece never arrives; `waits` counts those who wait for it."""

    def __init__(self) -> None:
        self.waits = threading.Semaphore(0)
        self.gate = threading.Event()

    def read(self, size: int = -1) -> bytes:
        self.waits.release()
        self.gate.wait()
        return b""


def test_strangers_who_send_slowly_leave_gits_to_others(repositories: GitRepositories) -> None:
    git = Git(repositories, lambda *_: ADMITTED._replace(by=users.get(threading.current_thread().name)),
              terms(repositories), room=room_of(40, gits=8))  # fmt: skip
    users, slow = {threading.current_thread().name: "alice"}, SlowBody()

    def post(address: str) -> RequestHead:
        path = "/git/alice/upper.git/git-upload-pack"
        return head(path, "", REQUEST_METHOD="POST", REMOTE_ADDR=address, CONTENT_LENGTH="9",
                    CONTENT_TYPE="application/x-git-upload-pack-request", **{"wsgi.input": slow})  # fmt: skip

    answers: list[int] = []
    addresses = ["203.0.113.1"] * 3 + [f"203.0.113.{number}" for number in range(2, 8)]
    senders = [
        threading.Thread(target=lambda address=address: answers.append(git(post(address)).status))
        for address in addresses
    ]
    for sender in senders:
        sender.start()
    for _ in range(4):
        slow.waits.acquire()
    fetched = git(head())
    body_of(fetched)
    slow.gate.set()
    for sender in senders:
        sender.join()
    assert fetched.status == 200
    # Four of them had the strangers' half; one address had two of these.
    assert sorted(answers) == [400] * 4 + [429] + [503] * 4 or sorted(answers) == [400] * 4 + [503] * 5


def test_a_client_that_leaves_ends_git(repositories: GitRepositories) -> None:
    backend = Git(repositories, lambda *_: ADMITTED, terms(repositories))(head()).pieces
    assert isinstance(backend, Backend)
    backend.close()
    assert backend.process.returncode is not None


def test_a_git_that_says_nothing_is_unavailable(
    repositories: GitRepositories, caplog: pytest.LogCaptureFixture
) -> None:
    (repositories.folder / "gitconfig").write_text("[broken")
    answer = Git(repositories, lambda *_: ADMITTED, terms(repositories))(head())
    assert answer.status == 503
    assert b"the server's log says why" in answer.body
    assert "bad config" in caplog.text


def test_a_git_that_its_limits_stop_is_unavailable(
    repositories: GitRepositories, caplog: pytest.LogCaptureFixture
) -> None:
    repositories.git = GitCommand(repositories.folder, ("true",), 1 << 20, GitLimits(memory=100 << 20))
    with (repositories.path(ITEM) / "packed-refs").open("wb") as references:
        references.truncate(300 << 20)
    fetch = head(
        "/git/alice/upper.git/git-upload-pack",
        "",
        REQUEST_METHOD="POST",
        CONTENT_TYPE="application/x-git-upload-pack-request",
        HTTP_GIT_PROTOCOL="version=2",
        CONTENT_LENGTH="24",
        **{"wsgi.input": io.BytesIO(b"0014command=ls-refs\n0000")},
    )
    answer = Git(repositories, lambda *_: ADMITTED, terms(repositories))(fetch)
    assert answer.status == 503
    assert answer.body.startswith(b"git needed more memory or processor time than this server gives it")
    assert caplog.text.count("git http-backend ended by its limits, or by the system,") == 1


def test_a_body_that_does_not_fit_on_the_disk_is_reported(repositories: GitRepositories) -> None:
    push = head(
        "/git/alice/upper.git/git-receive-pack",
        "",
        REQUEST_METHOD="POST",
        CONTENT_LENGTH="100000",
        **{"wsgi.input": io.BytesIO(b"0000" + b"x" * 99_996)},
    )
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, usual[1]))
    try:
        answer = Git(repositories, lambda *_: ADMITTED, terms(repositories))(push)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
    assert answer.status == 507
    assert b"disk is full" in answer.body
