"""Streams under a real gunicorn: they end with their client, and with the server."""

from __future__ import annotations

import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.handlers.server.test_server import PATIENCE, Running, finish, start
from tests.kit.wire.malformed import head


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Running]:
    running = start(tmp_path)
    yield running
    finish(running)


def begun(server: Running, ended: Path) -> socket.socket:
    """The connection of a stream that has begun and goes on."""
    wire = server.connect()
    wire.settimeout(PATIENCE)
    wire.sendall(head("GET", f"/v1/endless?ended={ended}"))
    heard = b""
    while b"begun" not in heard:
        heard += wire.recv(4096)
    return wire


def until_there(path: Path) -> None:
    """Return as soon as the file is there."""
    until = time.monotonic() + PATIENCE
    while not path.exists():
        assert time.monotonic() < until
        time.sleep(0.01)


def test_a_stream_whose_client_is_gone_ends_without_a_byte_sent(server: Running, tmp_path: Path) -> None:
    ended = tmp_path / "ended-stream"
    wire = begun(server, ended)
    assert not ended.exists()
    wire.close()
    until_there(ended)


def test_streams_end_when_the_server_stops(server: Running, tmp_path: Path) -> None:
    with begun(server, tmp_path / "ended-stream") as wire:
        server.process.send_signal(signal.SIGTERM)
        rest = b"".join(iter(lambda: wire.recv(4096), b""))
        assert rest == b"0\r\n\r\n"
        assert server.process.wait(PATIENCE) == 0
