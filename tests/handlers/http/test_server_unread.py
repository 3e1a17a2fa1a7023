"""Bodies that are refused unread and answers that are not asked for, under a real gunicorn."""

from __future__ import annotations

import contextlib
import http.client
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from handlers.http.door.limits import DoorLimits
from tests.handlers.http.test_server import PATIENCE, Running, closing, finish, start, status
from tests.kit.malformed import head


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    running = start(tmp_path_factory.mktemp("served"))
    yield running
    finish(running)


@pytest.mark.parametrize("connection", ["keep-alive", "close"])
def test_who_sends_all_before_it_looks_finds_its_answer(server: Running, connection: str) -> None:
    address = urlsplit(server.url)
    assert address.hostname is not None
    wire = http.client.HTTPConnection(address.hostname, address.port, timeout=PATIENCE)
    for _ in range(2):
        headers = {"Content-Type": "text/plain", "Connection": connection}
        wire.request("POST", "/v1/text", b"x" * 8_000_000, headers)
        answer = wire.getresponse()
        assert (answer.status, b"1000 bytes" in answer.read()) == (413, True)
    wire.close()


def test_who_sends_without_end_is_cut_off(server: Running) -> None:
    with server.connect() as wire:
        wire.sendall(head("POST", "/v1/text", "Content-Type: text/plain", f"Content-Length: {1 << 40}"))
        assert status(wire.recv(65536)) == 413
        sent = 0
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            while sent < 4 * DoorLimits().unread:
                sent += wire.send(bytes(1 << 20))
    assert sent < 2 * DoorLimits().unread


def test_a_stream_whose_head_is_asked_for_has_no_length(server: Running) -> None:
    answer = server.exchange(closing(head("HEAD", "/v1/stream"))).lower()
    assert status(answer) == 200
    assert answer.endswith(b"\r\n\r\n")
    assert b"content-length" not in answer
