"""Restarts under load: no request is refused, cut short or answered twice."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.handlers.server.test_server import PATIENCE, ROOT, Running, closing, finish, start, status
from tests.kit.wire.malformed import head

RESTARTS = 8
CLIENTS = 2
# Hands a socket on as systemd does: as descriptor 3, with the id of the process.
AS_THIRD = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.execve(sys.argv[2], sys.argv[2:], {**os.environ, "LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "1"})
"""
LENGTH = b"content-length:"
BODY = b"x" * 900
# Quick and not, small and large, short and long on its way.
REQUESTS = (
    closing(head("GET", "/v1/text")),
    closing(head("POST", "/v1/raw", "Content-Type: text/plain", "Content-Length: 900", body=BODY)),
    closing(head("GET", "/v1/blob")),
)


class Load:
    """Clients that ask again and again, each on a connection of its own each time."""

    def __init__(self, server: Running) -> None:
        self._server = server
        self._over = threading.Event()
        self.answered = 0
        self.failures: list[str] = []

    def ask(self) -> None:
        while not self._over.is_set():
            for request in REQUESTS:
                self._exchange(request)

    def _exchange(self, request: bytes) -> None:
        try:
            answer = self._server.exchange(request)
            lines, _, body = answer.partition(b"\r\n\r\n")
            length = next(int(line[15:]) for line in lines.split(b"\r\n") if line[:15].lower() == LENGTH)
        except (OSError, StopIteration) as error:
            self.failures.append(f"{request[:20]!r}: {error!r}")
            return
        if status(answer) != 200 or len(body) != length:
            self.failures.append(f"{request[:20]!r}: {lines!r}, {len(body)} bytes of {length}")
        self.answered += 1

    @contextmanager
    def run(self) -> Iterator[None]:
        clients = [threading.Thread(target=self.ask) for _ in range(CLIENTS)]
        for client in clients:
            client.start()
        try:
            yield
        finally:
            self._over.set()
            for client in clients:
                client.join(PATIENCE)

    def await_answers(self, number: int) -> None:
        """Return when this number of further requests were answered, or one was not."""
        wanted, pause = self.answered + number, threading.Event()
        while self.answered < wanted and not self.failures:
            pause.wait(0.005)


def workers(server: Running) -> set[str]:
    parent = server.process.pid
    return set(Path(f"/proc/{parent}/task/{parent}/children").read_text().split())


def test_a_reload_under_load_loses_no_request(tmp_path: Path) -> None:
    server = start(tmp_path)
    try:
        load, known = Load(server), set[str]()
        with load.run():
            for _ in range(RESTARTS):
                load.await_answers(5)
                known |= workers(server)
                server.process.send_signal(signal.SIGHUP)
                while not load.failures and not workers(server) - known:
                    load.await_answers(1)
            load.await_answers(10)
        assert load.failures == []
        assert len(known | workers(server)) > RESTARTS
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(PATIENCE) == 0
        assert len((tmp_path / "access.log").read_text().splitlines()) >= load.answered
    finally:
        finish(server)


def test_a_server_is_replaced_on_a_socket_that_it_was_given(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=512) as listener:
        one, two = (activate(tmp_path / name, listener) for name in ("one", "two"))
        try:
            load = Load(one)
            with load.run():
                load.await_answers(10)
                one.process.send_signal(signal.SIGTERM)
                assert one.process.wait(PATIENCE) == 0
                load.await_answers(10)
            assert load.failures == []
        finally:
            finish(one)
            finish(two)


def activate(folder: Path, listener: socket.socket) -> Running:
    """A server that is given its socket as by systemd (sd_listen_fds(3)), and its address."""
    folder.mkdir()
    serve = [sys.executable, "-m", "tests.handlers.served", str(folder), "60", "127.0.0.1:0"]
    process = subprocess.Popen(
        [sys.executable, "-c", AS_THIRD, str(listener.fileno()), *serve],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        pass_fds=(listener.fileno(),),
        text=True,
    )
    assert process.stdout is not None
    return Running(process, process.stdout.readline().strip(), folder)
