"""Slow clients by the hundred: they cost sockets and buffers, and everybody else is answered."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import socket
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.handlers.served import SLOTS
from tests.handlers.server.test_server import PATIENCE, Running, finish, start, status
from tests.kit.wire.malformed import head

# Anyone who waited for a slow client would do so for longer than any test does.
SILENCE = 1200
FILES = 4096
PIECE = 500_000
TEXT = ("POST", "/v1/text", "Content-Type: text/plain")
GATE = Path(tempfile.gettempdir()) / f"curlew-gate-{os.getpid()}"
# How many there are of each kind, and what each of them sends.
SLOW = {
    "heads": (800, b"GET /v1/text HTTP/1.1\r\nHost: cur"),
    "bodies": (400, head(*TEXT, "Content-Length: 500", body=b"half")),
    "chunks": (400, head(*TEXT, "Transfer-Encoding: chunked", body=b"5\r\nhe")),
    "long bodies": (300, head("POST", "/v1/raw", "Content-Length: 10000000", body=b"begun")),
    "readers of files": (200, head("GET", "/v1/blob") * (10_000_000 // PIECE)),
    "readers of streams": (2 * SLOTS + 2, head("GET", "/v1/torrent")),
    "followers": (500, head("POST", f"/v1/hold?until={GATE}")),
}


@pytest.fixture(scope="module", autouse=True)
def many_files() -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(before[0], FILES), before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    running = start(tmp_path_factory.mktemp("slow"), silence=SILENCE)
    yield running
    running.process.send_signal(signal.SIGTERM)
    running.process.wait(PATIENCE)
    finish(running)


@pytest.fixture
def crowd(server: Running) -> Iterator[contextlib.ExitStack]:
    """Connections of slow clients; the server has forgotten all of them at the end."""
    ask_all(server)
    before = open_files(server)
    with contextlib.ExitStack() as stack:
        yield stack
    GATE.touch()
    until = time.monotonic() + PATIENCE
    while open_files(server) > before + 2:
        assert time.monotonic() < until
        ask_all(server)
    GATE.unlink()


def ask(wire: socket.socket, request: bytes) -> int:
    """The status of a request's answer, which has come whole."""
    wire.settimeout(PATIENCE)
    wire.sendall(request)
    answer = b""
    while b"\r\n\r\n" not in answer:
        answer += wire.recv(65536)
    lines, _, body = answer.partition(b"\r\n\r\n")
    length = next(int(line.split(b":")[1]) for line in lines.split(b"\r\n") if b"ength:" in line)
    while len(body) < length:
        body += wire.recv(65536)
    return status(answer)


def ask_all(server: Running) -> None:
    """Ask for health, a small file and a change: of the loop and of threads."""
    with server.connect() as wire:
        for _ in range(10):
            assert ask(wire, head("GET", "/healthz")) == 200
            assert ask(wire, head("GET", "/v1/text")) == 200
            assert ask(wire, head(*TEXT, "Content-Length: 2", body=b"hi")) == 200


def open_files(server: Running) -> int:
    """The number of files that the server's worker has open."""
    parent = server.process.pid
    worker = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()[0]
    return len(os.listdir(f"/proc/{worker}/fd"))


def come(server: Running, crowd: contextlib.ExitStack, number: int, sent: bytes) -> None:
    for _ in range(number):
        wire = crowd.enter_context(server.connect())
        wire.settimeout(PATIENCE)
        wire.sendall(sent)


@pytest.mark.parametrize("kind", SLOW)
def test_nobody_waits_for_slow_clients(server: Running, crowd: contextlib.ExitStack, kind: str) -> None:
    come(server, crowd, *SLOW[kind])
    ask_all(server)


def test_nobody_waits_for_all_of_them_together(server: Running, crowd: contextlib.ExitStack) -> None:
    for number, sent in SLOW.values():
        come(server, crowd, number // 2, sent)
    ask_all(server)


def test_one_who_comes_last_finds_a_connection_where_others_only_keep_theirs(
    server: Running, crowd: contextlib.ExitStack
) -> None:
    come(server, crowd, 1100, b"GET")
    ask_all(server)
    assert open_files(server) < 1100
