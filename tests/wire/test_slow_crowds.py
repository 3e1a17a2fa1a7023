"""Crowds before the whole service: followers of a log, and strangers who send half of a request to git."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest

from tests.kit.server import Server, add_image, web
from tests.wire.test_turns_of_workers import DOC, JOB, status

PATIENCE = 120.0
FILE = f"{DOC}/summary"
FOLLOWERS, GITS = 500, 150
GIT = "POST /git/alice/count.git/git-upload-pack HTTP/1.1\r\nHost: curlew\r\n"
# Half of a short body, and the beginning of a long one, which a thread waits for.
HALVES = (
    f"{GIT}Content-Length: 500\r\n\r\n0032want",
    f"{GIT}Transfer-Encoding: chunked\r\n\r\n7a120\r\n0032want",
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("crowds")
    with web(folder) as server:
        server.add("alice")
        add_image(folder, "")
        for path in (DOC, JOB):
            assert status(server, "PUT", path) == 201
        assert status(server, "POST", FILE, b"some text") == 200
        assert status(server, "POST", f"{JOB}/config/chains", b"count") == 200
        yield server


@pytest.fixture(scope="module")
def run(server: Server) -> str:
    """The path of a run that waits for a runner."""
    return trigger(server)


def trigger(server: Server) -> str:
    """The path of a run that was asked for, and that nobody waits for."""
    request = Request(f"{server.root}{JOB}/data", b"{}", method="POST")
    request.add_header("Authorization", f"Bearer {server.tokens['alice']}")
    request.add_header("Content-Type", "application/json")
    request.add_header("Prefer", "respond-async")
    with urlopen(request, timeout=PATIENCE) as answer:
        assert answer.status == 202
        return urlsplit(answer.headers["Location"]).path


def come(server: Server, crowd: contextlib.ExitStack, number: int, sent: str) -> None:
    address = urlsplit(server.origin)
    for _ in range(number):
        wire = crowd.enter_context(socket.create_connection((address.hostname, address.port), PATIENCE))
        wire.sendall(sent.encode())


def follow(server: Server, run: str) -> str:
    token = server.tokens["alice"]
    return f"GET {run}/log?follow=1 HTTP/1.1\r\nHost: curlew\r\nAuthorization: Bearer {token}\r\n\r\n"


def everything_is_answered(server: Server) -> None:
    with urlopen(f"{server.origin}/healthz", timeout=PATIENCE) as answer:
        assert answer.status == 200
    assert status(server, "GET", FILE) == 200
    assert status(server, "POST", FILE, b"other text") == 200
    trigger(server)


def test_followers_leave_room_for_everybody(server: Server, run: str) -> None:
    with contextlib.ExitStack() as crowd:
        come(server, crowd, FOLLOWERS, follow(server, run))
        everything_is_answered(server)


def test_strangers_before_git_leave_room_for_everybody(server: Server, run: str) -> None:
    with contextlib.ExitStack() as crowd:
        for sent in HALVES:
            come(server, crowd, GITS, sent)
        everything_is_answered(server)
        come(server, crowd, FOLLOWERS // 2, follow(server, run))
        everything_is_answered(server)
