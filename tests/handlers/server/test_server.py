"""The edge under a real gunicorn, over real sockets: hostile requests, held ones, the end."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests

from tests.handlers.served import SLOTS
from tests.kit.wire.malformed import PATHS, REQUESTS, head

ROOT = Path(__file__).parents[3]
PATIENCE = 120.0


@dataclass
class Running:
    """A server in a separate process."""

    process: subprocess.Popen[str]
    url: str
    folder: Path

    def exchange(self, sent: bytes, *, end: bool = False) -> bytes:
        """Everything that comes back on a fresh connection; `end` closes our side after sending."""
        with self.connect() as wire:
            wire.sendall(sent)
            if end:
                wire.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: wire.recv(65536), b""))

    def connect(self) -> socket.socket:
        if self.url.startswith("unix:"):
            wire = socket.socket(socket.AF_UNIX)
            wire.connect(self.url.removeprefix("unix:"))
            return wire
        address = urlsplit(self.url)
        return socket.create_connection((address.hostname, address.port), PATIENCE)


def start(folder: Path, silence: int = 60, bind: str = "127.0.0.1:0") -> Running:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.handlers.served", str(folder), str(silence), bind],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    return Running(process, process.stdout.readline().strip(), folder)


def finish(running: Running) -> None:
    running.process.kill()
    running.process.wait()
    assert running.process.stdout is not None
    running.process.stdout.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    running = start(tmp_path_factory.mktemp("served"))
    yield running
    finish(running)


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


def closing(request: bytes) -> bytes:
    """The request, asking that the connection ends with its answer."""
    return request.replace(b"\r\n", b"\r\nConnection: close\r\n", 1) if b"\r\n" in request else request


@pytest.mark.parametrize("sent, expected", REQUESTS.values(), ids=list(REQUESTS))
def test_a_hostile_request_is_refused_in_the_one_shape(server: Running, sent: bytes, expected: int) -> None:
    answer = server.exchange(closing(sent), end=True)
    assert status(answer) == expected
    _, _, body = answer.partition(b"\r\n\r\n")
    if expected != 200:
        assert json.loads(body)["status"] == expected
    assert answer.count(b"HTTP/1.1 ") == 1


@pytest.mark.parametrize("path", PATHS)
def test_a_hostile_path_is_refused(server: Running, path: str) -> None:
    assert status(server.exchange(closing(head("GET", path)))) == 400


def test_ten_megabytes_of_headers_are_refused(server: Running) -> None:
    with server.connect() as wire:
        try:
            wire.sendall(b"GET /v1/text HTTP/1.1\r\nHost: curlew\r\n")
            for number in range(1000):
                wire.sendall(f"X-{number}: {'a' * 10_000}\r\n".encode())
        except (BrokenPipeError, ConnectionResetError):
            pass
        try:
            answer = wire.recv(65536)
        except ConnectionResetError:
            answer = b""
    assert not answer or status(answer) == 431
    answered = requests.get(f"{server.url}/healthz", timeout=PATIENCE)
    assert (answered.text, answered.headers["Server"]) == ("pass\n", f"curlew/{version('curlew')}")


@pytest.mark.parametrize(
    "headers, body",
    [
        (["Content-Length: 100"], b"half"),
        (["Content-Length: 100"], b""),
        (["Transfer-Encoding: chunked"], b"5\r\nhel"),
        (["Transfer-Encoding: chunked"], b"5\r\nhello\r\n"),
        (["Transfer-Encoding: chunked"], b""),
        (["Transfer-Encoding: chunked"], b"5\r\nhello\r\n0\r\n"),
    ],
)
def test_a_body_cut_short_is_refused_and_stores_nothing(
    server: Running, headers: list[str], body: bytes
) -> None:
    before = requests.get(f"{server.url}/v1/text", timeout=PATIENCE).text
    sent = head("POST", "/v1/text", "Content-Type: text/plain", *headers, body=body)
    answer = server.exchange(sent, end=True)
    assert status(answer) == 400
    assert b"cut short" in answer
    assert requests.get(f"{server.url}/v1/text", timeout=PATIENCE).text == before


@pytest.mark.parametrize("size", [0, 1, 70_000, 8_000_000])
@pytest.mark.parametrize("chunked", [True, False])
def test_a_body_arrives_whole(server: Running, size: int, chunked: bool) -> None:
    content = os.urandom(size)
    pieces = (content[at : at + 50_000] for at in range(0, size, 50_000))
    answer = requests.post(f"{server.url}/v1/raw", data=pieces if chunked else content, timeout=PATIENCE)
    assert (answer.status_code, answer.text) == (200, str(size))


def test_a_client_that_waits_for_the_word_to_go_on_gets_it(server: Running) -> None:
    with server.connect() as wire:
        wire.sendall(
            head("POST", "/v1/raw", "Content-Length: 5", "Expect: 100-continue", "Connection: close")
        )
        assert wire.recv(100).startswith(b"HTTP/1.1 100 Continue\r\n")
        wire.sendall(b"hello")
        assert b"\r\n\r\n5" in b"".join(iter(lambda: wire.recv(65536), b""))


def test_a_smuggled_request_is_never_served(server: Running) -> None:
    inner = head("GET", "/v1/smuggled")
    for framing in (["Content-Length: 0", "Transfer-Encoding: chunked"], ["Transfer-Encoding: chunked"] * 2):
        answer = server.exchange(head("POST", "/v1/text", *framing, body=b"0\r\n\r\n" + inner), end=True)
        assert answer.count(b"HTTP/1.1 ") == 1
    refused = head("POST", "/v1/text", "Transfer-Encoding: chunked", body=b"zz\r\n\r\n" + inner)
    assert server.exchange(refused, end=True).count(b"HTTP/1.1 ") == 1
    assert "smuggled" not in (server.folder / "access.log").read_text()


def test_a_connection_serves_one_request_after_another(server: Running) -> None:
    first = head("POST", "/v1/nope", "Content-Length: 5", body=b"hello")
    both = first + closing(head("GET", "/healthz"))
    answer = server.exchange(both)
    assert answer.count(b"HTTP/1.1 ") == 2
    assert answer.endswith(b"pass\n")


def test_too_large_a_body_is_refused_before_it_has_arrived(server: Running) -> None:
    answer = requests.post(
        f"{server.url}/v1/text",
        data=b"x" * 20_000_000,
        headers={"Content-Type": "text/plain", "Expect": "100-continue"},
        timeout=PATIENCE,
    )
    assert answer.status_code == 413
    assert "1000 bytes" in answer.json()["message"]


def test_files_arrive_with_their_folders(server: Running) -> None:
    content = os.urandom(3_000_000)
    files = [("file", ("deep/one.bin", content)), ("file", ("ø two.txt", b"2"))]
    answer = requests.post(f"{server.url}/v1/files", files=files, timeout=PATIENCE)
    assert answer.json() == ["deep/one.bin", "ø two.txt"]
    assert (server.folder / "uploads/deep/one.bin").read_bytes() == content


@pytest.mark.parametrize(
    "requested, part", [(None, (0, 500_000)), ("bytes=7-", (7, 500_000)), ("bytes=5-400004", (5, 400_005))]
)
def test_stored_bytes_are_sent_from_their_file(
    server: Running, requested: str | None, part: tuple[int, int]
) -> None:
    answer = requests.get(f"{server.url}/v1/blob", headers={"Range": requested}, timeout=PATIENCE)
    whole = b"0123456789" * 50_000
    assert answer.content == whole[part[0] : part[1]]
    assert answer.headers["ETag"] == f'"{hashlib.sha256(whole).hexdigest()}"'


def test_a_stream_is_sent_in_chunks(server: Running) -> None:
    answer = requests.get(f"{server.url}/v1/stream", timeout=PATIENCE)
    assert (answer.text, answer.headers["Transfer-Encoding"]) == ("one\ntwo\n", "chunked")


def held(server: Running, gate: Path) -> int:
    answer = requests.post(f"{server.url}/v1/hold", params={"until": str(gate)}, timeout=PATIENCE)
    return answer.status_code


def until_held(server: Running, count: int) -> None:
    """Return as soon as this number of requests have been held since the server began."""
    while int(requests.get(f"{server.url}/v1/held", timeout=PATIENCE).text) < count:
        time.sleep(0.01)


def test_health_answers_while_an_address_holds_all_it_may(server: Running, tmp_path: Path) -> None:
    gate, share = tmp_path / "gate", SLOTS // 4
    with ThreadPoolExecutor(share) as clients:
        open_ones = [clients.submit(held, server, gate) for _ in range(share)]
        until_held(server, share)
        refused = requests.post(f"{server.url}/v1/hold", params={"until": str(gate)}, timeout=PATIENCE)
        assert (refused.status_code, refused.headers["Retry-After"]) == (429, "5")
        for path in ("/healthz", "/readyz", "/v1/text"):
            began = time.monotonic()
            assert requests.get(server.url + path, timeout=PATIENCE).status_code == 200
            assert time.monotonic() - began < 5
        gate.touch()
        assert [one.result() for one in open_ones] == [202] * share
    assert held(server, gate) == 202


def test_half_sent_requests_starve_nobody(server: Running) -> None:
    half = [server.connect() for _ in range(12)]
    for wire in half:
        wire.sendall(b"GET /v1/text HTTP/1.1\r\nHost: cur")
    assert requests.get(f"{server.url}/healthz", timeout=PATIENCE).text == "pass\n"
    for wire in half:
        wire.close()


def test_a_silent_client_is_not_waited_for_without_end(tmp_path: Path) -> None:
    running = start(tmp_path, silence=1)
    try:
        cut = head("POST", "/v1/text", "Content-Type: text/plain", "Content-Length: 5", body=b"hel")
        answer = running.exchange(cut)
        assert status(answer) == 400
        assert b"cut short" in answer
        assert running.exchange(b"GET /v1/text HTTP/1.1\r\nHost: cur") == b""
        assert requests.get(f"{running.url}/healthz", timeout=PATIENCE).text == "pass\n"
    finally:
        finish(running)


def test_a_socket_in_the_file_system_will_do(tmp_path: Path) -> None:
    running = start(tmp_path, bind=f"unix:{tmp_path}/edge")
    try:
        assert running.url == f"unix:{tmp_path}/edge"
        assert running.exchange(closing(head("GET", "/healthz"))).endswith(b"pass\n")
        assert status(running.exchange(closing(head("GET", "/v1/text")))) == 200
    finally:
        finish(running)


def test_an_answer_that_http_cannot_carry_is_our_mistake(server: Running) -> None:
    answer = requests.get(f"{server.url}/v1/oddity", timeout=PATIENCE)
    assert (answer.status_code, answer.json()["title"]) == (500, "internal error")


def test_open_requests_end_before_the_server_does(tmp_path: Path) -> None:
    running = start(tmp_path)
    try:
        gate, results = tmp_path / "gate", []
        client = threading.Thread(target=lambda: results.append(held(running, gate)))
        client.start()
        until_held(running, 1)
        running.process.send_signal(signal.SIGTERM)
        with pytest.raises(subprocess.TimeoutExpired):
            running.process.wait(0.5)
        gate.touch()
        client.join(PATIENCE)
        assert results == [202]
        assert running.process.wait(PATIENCE) == 0
        assert (tmp_path / "ended").exists()
        assert "/v1/hold\n" in (tmp_path / "uses").read_text()
        lines = [json.loads(line) for line in (tmp_path / "access.log").read_text().splitlines()]
        assert [line["status"] for line in lines if line["path"] == "/v1/hold"] == [202]
    finally:
        finish(running)
