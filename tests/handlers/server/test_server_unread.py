"""Bodies that are refused unread, answers nobody asks for, and the memory of both, under a real gunicorn."""

from __future__ import annotations

import contextlib
import http.client
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests

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


PIECE = ("Content-Type: text/plain", "Content-Range: bytes 4-9/10")


@pytest.mark.parametrize(
    "size", ["Content-Length: 6", f"Content-Length: {1 << 40}", "Transfer-Encoding: chunked"]
)
@pytest.mark.parametrize("method", ["PUT", "POST", "PATCH"])
def test_a_piece_is_refused_before_its_body_is_sent(server: Running, method: str, size: str) -> None:
    for more in ((), ("Expect: 100-continue",)):
        answer = server.exchange(head(method, "/v1/text", *PIECE, size, *more))
        assert (status(answer), answer.count(b"HTTP/1.1 ")) == (400, 1)
        assert b"bytes 4-9/10" in answer
        assert b"Connection: close" in answer


def test_after_a_piece_that_came_whole_the_connection_goes_on(server: Running) -> None:
    both = head("PUT", "/v1/text", *PIECE, "Content-Length: 6", body=b"456789") + closing(
        head("GET", "/healthz")
    )
    answer = server.exchange(both)
    assert (answer.count(b"HTTP/1.1 400 "), answer.endswith(b"pass\n")) == (1, True)


def test_ranges_in_the_git_protocol_are_left_to_git(server: Running) -> None:
    with server.connect() as wire:
        expecting = ("Content-Length: 6", "Expect: 100-continue", "Connection: close")
        wire.sendall(head("POST", "/git/a/b.git/git-upload-pack", *PIECE, *expecting))
        assert status(wire.recv(65536)) == 404


def test_curl_goes_on_with_no_upload(server: Running, tmp_path: Path) -> None:
    before = requests.get(f"{server.url}/v1/text", timeout=PATIENCE).content
    (tmp_path / "ten.txt").write_bytes(b"0123456789" * 200_000)
    for more in ([], ["-H", "Expect: 100-continue"], ["-H", "Transfer-Encoding: chunked"]):
        sent = ["curl", "-sS", "-C", "4", "-H", "Content-Type: text/plain", *more, "-T", tmp_path / "ten.txt"]
        output = subprocess.run([*sent, f"{server.url}/v1/text"], capture_output=True, check=True).stdout
        assert b"leave out -C" in output
    assert requests.get(f"{server.url}/v1/text", timeout=PATIENCE).content == before


def test_the_answer_to_head_of_a_stream_has_no_length(server: Running) -> None:
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
