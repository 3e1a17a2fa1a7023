"""The way from a step to the API, against a web server that answers with the request."""

from __future__ import annotations

import http.client
import ipaddress
import json
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.processes.api_proxy import CONNECTIONS, decode_chunks, forwarding, upstream
from handlers.settings.settings import Settings

LOOPBACK = ipaddress.IPv4Address("127.0.0.1")
NEIGHBOURS = ipaddress.IPv4Network("127.0.0.0/24")


class Telling(BaseHTTPRequestHandler):
    """Answers each request with the request; /v1/slowly in two pieces, the second after a signal."""

    protocol_version = "HTTP/1.1"
    server: Web

    def do_GET(self) -> None:
        if self.path == "/v1/slowly":
            self.slowly()
            return
        body = b""
        if self.headers.get("Transfer-Encoding") == "chunked":
            body = b"".join(decode_chunks(self.rfile))
        elif length := self.headers.get("Content-Length"):
            body = self.rfile.read(int(length))
        said = {"line": self.requestline, "headers": list(self.headers.items()), "body": body.decode()}
        text = json.dumps(said).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.send_header("Keep-Alive", "timeout=5")
        self.send_header("ETag", '"one"')
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(text)

    do_POST = do_HEAD = do_GET  # noqa: N815

    def slowly(self) -> None:
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.write(b"5\r\nfirst\r\n")
        self.server.more.wait(20)
        self.wfile.write(b"6\r\nsecond\r\n0\r\n\r\n")

    def log_message(self, format: str, *args: object) -> None:
        """Write no log."""


class Web(ThreadingHTTPServer):
    """The web server behind."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Telling)
        self.more = threading.Event()

    def handle_error(self, request: object, client_address: object) -> None:
        """A request that the forwarder gave up."""


@pytest.fixture(scope="module")
def web() -> Iterator[Web]:
    """A web server, running."""
    with Web() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def port(web: Web) -> Iterator[int]:
    """The port of a forwarder to it."""
    with forwarding(LOOPBACK, NEIGHBOURS, ("127.0.0.1", web.server_port), "the mark") as port:
        yield port


def ask(
    port: int, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None
) -> tuple[http.client.HTTPResponse, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    connection.request(method, path, body, dict(headers or {}))  # type: ignore[arg-type]
    answer = connection.getresponse()
    said = answer.read()
    connection.close()
    return answer, said


def raw(port: int, request: bytes) -> bytes:
    """Return all that a connection sends until its end."""
    with socket.create_connection(("127.0.0.1", port), timeout=120) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(65_536), b""))


def test_a_request_and_its_answer_are_passed_on(port: int) -> None:
    answer, said = ask(
        port, "POST", "/v1/a%20b?c=d", b"a body", {"Authorization": "Bearer x", "Accept": "*/*"}
    )
    received = json.loads(said)
    headers = dict(received["headers"])
    assert (answer.status, answer.headers["ETag"]) == (200, '"one"')
    assert received["line"] == "POST /v1/a%20b?c=d HTTP/1.1"
    assert received["body"] == "a body"
    assert (headers["Authorization"], headers["Accept"]) == ("Bearer x", "*/*")
    # The service's own address, by which it makes those in its answers.
    assert headers["Host"].startswith("127.0.0.1:")
    assert headers["Host"] != f"127.0.0.1:{port}"
    assert [name for name, _ in received["headers"]].count("Host") == 1


@pytest.mark.parametrize(
    "head",
    [
        b"X-Forwarded-For: 127.0.0.1\r\nX-Curlew-Forwarder: x",
        b"Connection: X-Forwarded-For, X-Curlew-Forwarder, close",
        b"Connection: x-forwarded-for\r\nConnection: x-curlew-forwarder",
        b"X_Forwarded_For: 127.0.0.1\r\nX_Curlew_Forwarder: x",
        b"X-FORWARDED-FOR: 127.0.0.1\r\nx-forwarded-for: ::1\r\nX-CURLEW-FORWARDER: x",
        b"A: b\rX-Forwarded-For: 127.0.0.1\r\nX-Curlew-Forwarder : x",
    ],
)
def test_a_step_never_hides_that_it_is_one(port: int, head: bytes) -> None:
    answer = raw(port, b"POST /v1/register HTTP/1.1\r\nHost: localhost\r\n" + head + b"\r\n\r\n")
    received = json.loads(answer.partition(b"\r\n\r\n")[2])
    names = ("x-forwarded-for", "x-curlew-forwarder", "x_forwarded_for", "x_curlew_forwarder")
    kept = [(name.lower(), value) for name, value in received["headers"] if name.lower() in names]
    assert kept == [("x-forwarded-for", "127.0.0.1"), ("x-curlew-forwarder", "the mark")]


def test_a_body_without_a_length_is_passed_on(port: int) -> None:
    _, said = ask(port, "POST", "/v1/it", iter([b"one ", b"two"]))
    assert json.loads(said)["body"] == "one two"


def test_an_empty_body_keeps_its_length(port: int) -> None:
    received = json.loads(ask(port, "POST", "/v1/it", b"")[1])
    assert ["Content-Length", "0"] in received["headers"]


def test_headers_of_one_connection_are_not_passed_on(port: int) -> None:
    sent = {"Connection": "x-mine", "X-Mine": "1", "TE": "trailers", "Upgrade": "h2c", "X-Other": "2"}
    answer, said = ask(port, "GET", "/v1", None, sent)
    headers = dict(json.loads(said)["headers"])
    assert headers["Connection"] == "close"
    assert {"X-Mine", "Te", "TE", "Upgrade"}.isdisjoint(headers)
    assert headers["X-Other"] == "2"
    assert (answer.headers["Keep-Alive"], answer.headers["Connection"]) == (None, "close")


def test_a_step_cannot_pretend_to_be_a_proxy(port: int) -> None:
    sent = {"X-Forwarded-For": "9.9.9.9", "Forwarded": "for=9.9.9.9", "X_Forwarded_For": "9.9.9.9"}
    said = json.loads(ask(port, "GET", "/v1", None, sent | {"X-Forwarded-Host": "a", "X-Real-IP": "b"})[1])
    forwarded = [(name, value) for name, value in said["headers"] if "orwarded" in name or "Real" in name]
    assert forwarded == [("X-Forwarded-For", "127.0.0.1")]


@pytest.mark.parametrize(
    "path",
    ["/", "/healthz", "/v1x", "/V1", "/v1/../healthz", "/v1/%2e%2e/healthz", "/v1/a/%2E./b", "*"]
    + ["http://elsewhere/v1/whoami", "/git/alice/a.git/info/refs", "/v1%2f..%2fhealthz"],
)
def test_nothing_but_the_api_is_passed_on(port: int, path: str) -> None:
    answer, said = ask(port, "GET", path)
    assert (answer.status, said) == (404, b"only /v1 is answered here\n")


def test_an_answer_comes_as_it_is_made(port: int, web: Web) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    connection.request("GET", "/v1/slowly")
    answer = connection.getresponse()
    assert answer.read1(100) == b"first"
    web.more.set()
    assert answer.read() == b"second"
    connection.close()


def test_a_head_has_the_length_and_no_body(port: int) -> None:
    answer, said = ask(port, "HEAD", "/v1/it")
    assert int(answer.headers["Content-Length"]) > 0
    assert said == b""


@pytest.mark.parametrize(
    "head",
    [
        b"Content-Length: 1\r\nContent-Length: 2",
        b"Content-Length: +1",
        b"Content-Length: 1\r\nTransfer-Encoding: chunked",
        b"Transfer-Encoding: gzip, chunked",
        b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
    ],
)
def test_a_body_whose_end_is_ambiguous_is_refused(port: int, head: bytes) -> None:
    answer = raw(port, b"POST /v1/it HTTP/1.1\r\nHost: a\r\n" + head + b"\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize("body", [b"x\r\n", b"2\r\nabc\r\n", b"5\r\nab", b"-1\r\n", b"\r\n", b"0x1\r\na\r\n"])
def test_a_malformed_chunk_is_refused(port: int, body: bytes) -> None:
    head = b"POST /v1/it HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert raw(port, head + body).startswith(b"HTTP/1.1 400 ")


def test_one_connection_is_one_request(port: int) -> None:
    both = b"GET /v1 HTTP/1.1\r\nHost: a\r\n\r\nGET /v1 HTTP/1.1\r\nHost: a\r\n\r\n"
    assert raw(port, both).count(b"HTTP/1.1 200") == 1


def test_a_body_is_requested_where_it_will_be_read(port: int) -> None:
    head = b"Host: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nab"
    assert raw(port, b"POST /v1 HTTP/1.1\r\n" + head).startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200")
    assert b"100 Continue" not in raw(port, b"POST /healthz HTTP/1.1\r\n" + head[:-2])


@contextmanager
def held(port: int, count: int) -> Iterator[list[socket.socket]]:
    connections = [socket.create_connection(("127.0.0.1", port), timeout=120) for _ in range(count)]
    try:
        yield connections
    finally:
        for connection in connections:
            connection.close()


def test_one_container_does_not_take_every_connection(web: Web) -> None:
    with (
        forwarding(LOOPBACK, NEIGHBOURS, ("127.0.0.1", web.server_port)) as port,
        held(port, CONNECTIONS) as connections,
    ):
        assert raw_or_nothing(port) == b""
        connections[0].sendall(b"GET /v1 HTTP/1.1\r\nHost: a\r\n\r\n")
        assert b"".join(iter(lambda: connections[0].recv(65_536), b"")).startswith(b"HTTP/1.1 200")


def raw_or_nothing(port: int) -> bytes:
    """As `raw`; return nothing if the connection is reset, or closed before all was sent (ENOTCONN)."""
    try:
        return raw(port, b"GET /v1 HTTP/1.1\r\nHost: a\r\n\r\n")
    except OSError:
        return b""


def test_a_client_that_is_not_on_the_bridge_gets_no_answer(web: Web) -> None:
    elsewhere = ipaddress.IPv4Network("127.9.0.0/16")
    with forwarding(LOOPBACK, elsewhere, ("127.0.0.1", web.server_port)) as port:
        assert raw_or_nothing(port) == b""


def test_an_address_that_comes_later_can_be_listened_at(web: Web) -> None:
    later = ipaddress.IPv4Address("192.0.2.1")
    with forwarding(later, ipaddress.IPv4Network("192.0.2.0/24"), ("127.0.0.1", web.server_port)) as port:
        assert port > 0


def test_a_web_server_that_does_not_answer_is_reported(web: Web) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        away = closed.getsockname()[1]
    with forwarding(LOOPBACK, NEIGHBOURS, ("127.0.0.1", away)) as port:
        answer, said = ask(port, "GET", "/v1/whoami")
    assert answer.status == 502
    assert b"the web server does not answer" in said


@pytest.mark.parametrize(
    ("bind", "target"),
    [
        ("127.0.0.1:8000", ("127.0.0.1", 8000)),
        ("0.0.0.0:80", ("127.0.0.1", 80)),
        ("[::]:80", ("::1", 80)),
        (":8000", ("127.0.0.1", 8000)),
        ("192.0.2.7:8000", ("192.0.2.7", 8000)),
        ("127.0.0.1:0", None),
    ],
)
def test_the_web_server_is_found_by_its_bind(bind: str, target: tuple[str, int] | None) -> None:
    assert upstream(Settings(bind=bind)) == target


@given(st.lists(st.binary(min_size=1, max_size=100), max_size=10))
def test_pieces_arrive_as_they_were_sent(port: int, pieces: list[bytes]) -> None:
    text = [piece.hex().encode() for piece in pieces]
    assert json.loads(ask(port, "POST", "/v1/it", iter(text))[1])["body"] == b"".join(text).decode()
