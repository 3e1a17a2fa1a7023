"""A Podman that hangs takes connections and answers none: it is noticed, and callers try again."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from chains.host.daemon import PodmanService
from chains.podman.api import Podman

HELD = 1.0
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"


class Listener:
    """A service on a unix socket that holds its first connection without a word, then answers."""

    def __init__(self, address: Path) -> None:
        self.address = address
        self.over = threading.Event()
        self._door = socket.socket(socket.AF_UNIX)
        self._door.bind(str(address))
        self._door.listen()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        held, _ = self._door.accept()
        self.over.wait(HELD)
        held.close()
        while True:
            try:
                wire, _ = self._door.accept()
            except OSError:
                return
            with wire:
                wire.recv(1 << 16)
                wire.sendall(ANSWER)

    def close(self) -> None:
        """Hang up."""
        self.over.set()
        self._door.close()


@pytest.fixture
def listener(tmp_path: Path) -> Iterator[Listener]:
    listener = Listener(tmp_path / "podman.sock")
    yield listener
    listener.close()


def test_one_that_takes_connections_and_says_nothing_does_not_answer(
    listener: Listener, tmp_path: Path
) -> None:
    service = PodmanService(listener.address, {}, tmp_path / "log", patience=HELD / 5)
    assert not service.answers()
    listener.over.set()
    assert service.answers()
    assert not PodmanService(tmp_path / "none", {}, tmp_path / "log").answers()


def test_a_call_is_made_again_however_long_the_first_one_hung(listener: Listener) -> None:
    assert Podman(listener.address, patience=HELD / 2).call("get", "/_ping").status == 200
