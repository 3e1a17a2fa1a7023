"""Connections that come alone and together: nobody waits for a client that is slow to go."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.handlers.server.test_server import PATIENCE, Running, closing, finish, start
from tests.kit.wire.malformed import head

AT_ONCE = 0.5
# A worker that is forked takes a while until it has installed its signal handlers.
SLOW_FORK = """
import os, time
from handlers.server.server import Server, ServerOptions

def fork_slowly():
    os.write(1, b"forked\\n")
    time.sleep(0.5)

os.register_at_fork(after_in_child=fork_slowly)
Server(lambda: lambda environ, start: [], ServerOptions("127.0.0.1:0", workers=1, graceful=600)).run()
"""
HEALTH = head("GET", "/healthz")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    running = start(tmp_path_factory.mktemp("turns"))
    yield running
    finish(running)


def ask(wire: socket.socket, number: int = 1) -> float:
    """Ask on a connection, so often at once, until all is answered; in how many seconds."""
    began, answer = time.monotonic(), b""
    wire.sendall(HEALTH * number)
    while answer.count(b"pass\n") < number:
        answer += wire.recv(65536)
    assert answer.count(b"HTTP/1.1 200 ") == number
    return time.monotonic() - began


def test_nobody_waits_for_a_client_that_keeps_its_end_open(server: Running) -> None:
    kept = [server.connect() for _ in range(3)]
    for wire in kept:
        wire.sendall(closing(HEALTH))
        assert b"pass\n" in b"".join(iter(lambda: wire.recv(65536), b""))  # noqa: B023
    with server.connect() as other:
        assert ask(other) < AT_ONCE
    for wire in kept:
        wire.close()


@pytest.mark.parametrize("pause", [0, 0.02, 0.1])
def test_a_lone_connection_goes_on(server: Running, pause: float) -> None:
    with server.connect() as wire:
        for number in (1, 1, 3, 1):
            assert ask(wire, number) < AT_ONCE
            time.sleep(pause)


def test_connections_that_take_turns_wait_for_nobody(server: Running) -> None:
    with server.connect() as one, server.connect() as two:
        assert max(ask(wire) for _ in range(20) for wire in (one, two, two, one, one)) < AT_ONCE


def test_a_connection_that_was_served_last_does_not_hold_up_the_end(tmp_path: Path) -> None:
    running = start(tmp_path)
    try:
        with running.connect() as wire:
            ask(wire)
            running.process.send_signal(signal.SIGTERM)
            assert running.process.wait(PATIENCE / 2) == 0
    finally:
        finish(running)


def test_a_signal_that_comes_while_a_worker_is_forked_is_not_lost() -> None:
    process = subprocess.Popen([sys.executable, "-c", SLOW_FORK], stdout=subprocess.PIPE)
    assert process.stdout is not None
    with process.stdout:
        assert process.stdout.readline() == b"forked\n"
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0
