"""Bodies that are refused unread, answers nobody asks for, and the memory of both, under a real gunicorn."""

from __future__ import annotations

import contextlib
import http.client
import subprocess
import sys
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from handlers.server.limits import ClientLimits
from tests.handlers.server.test_server import PATIENCE, Running, closing, finish, start, status
from tests.kit.wire.malformed import head


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
            while sent < 4 * ClientLimits().unread:
                sent += wire.send(bytes(1 << 20))
    assert sent < 2 * ClientLimits().unread


def test_a_stream_whose_head_is_asked_for_has_no_length(server: Running) -> None:
    answer = server.exchange(closing(head("HEAD", "/v1/stream"))).lower()
    assert status(answer) == 200
    assert answer.endswith(b"\r\n\r\n")
    assert b"content-length" not in answer


PIECES = """
import pathlib, threading
from handlers.server.server import LARGE_BLOCK, return_large_blocks

def resident():
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * 4096

def gather(kept):
    for _ in range(80):
        kept.append(b"x" * LARGE_BLOCK)
        others.append(b"x" * 1000)

return_large_blocks()
before, bodies, others = resident(), [[] for _ in range(16)], []
threads = [threading.Thread(target=gather, args=(kept,)) for kept in bodies]
for one in threads:
    one.start()
for one in threads:
    one.join()
full = resident()
del bodies, one, threads
print(full - before, resident() - before)
"""


def test_memory_of_large_pieces_goes_back_to_the_system() -> None:
    said = subprocess.run([sys.executable, "-c", PIECES], capture_output=True, text=True, check=True).stdout
    taken, kept = map(int, said.split())
    assert taken > 16 * 80 * 60_000
    assert kept < taken // 10
