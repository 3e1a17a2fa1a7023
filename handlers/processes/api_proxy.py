"""Reverse proxy from steps to the API, on the host's end of a bridge (decision 24b)."""

from __future__ import annotations

import ipaddress
import logging
import re
import socket
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BufferedIOBase
from typing import Any
from urllib.parse import unquote, urlsplit

from handlers.http.request_head import MARK_HEADER
from handlers.settings.settings import Settings

IP_FREEBIND = 15
"""Linux's option (ip(7)) to listen at an address before it exists: a bridge exists only with a step."""

CONNECTIONS = 32
"""Maximum open connections of one container."""

SILENCE_SECONDS = 60.0
ANSWER_SECONDS = 600.0
PIECE = 1 << 16
LONGEST_CHUNK_LINE = 1024
BODILESS = (204, 304)
ROOT = "/v1"

MARKED = "forwarder"
"""The text of this installation's mark, by which the web server recognizes and trusts its own proxy."""

HOP_BY_HOP = frozenset({
    *("connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection"),
    *("te", "trailer", "transfer-encoding", "upgrade", "expect"),
})  # fmt: skip
"""Hop-by-hop headers (RFC 9110 section 7.6.1)."""

OURS = ("content-length", "forwarded", "x-forwarded-", "x-real-ip", "x-curlew-")
"""Prefixes of header names that are set here or with which a client could pretend to be a proxy."""

NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^`|~-]+")
"""The name of a header field (RFC 9110 section 5.1), without the underscore, as some read it as a hyphen."""

Target = tuple[str, int] | str
"""A web server: host and port on this machine, or its public origin."""

log = logging.getLogger("curlew")


class Malformed(Exception):
    """A request whose end cannot be determined; `str()` is the reason."""


def upstream(settings: Settings) -> tuple[str, int] | None:
    """Return the address of this machine's web server; None if its port is not configured (0)."""
    host, port = settings.address
    everywhere = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}
    return (everywhere.get(host, host), port) if port else None


@contextmanager
def forwarding(
    gateway: ipaddress.IPv4Address, subnet: ipaddress.IPv4Network, target: Target, mark: str = ""
) -> Iterator[int]:
    """Pass requests from `subnet` to the API of `target` during the block; yield the port at `gateway`.

    The `mark` is sent along, so that the web server recognizes its proxy. Raises OSError if the address
    cannot be listened at.
    """
    with Forwarder(str(gateway), subnet, target, mark) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.1,), name="forwarder", daemon=True)
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


def _connection(target: Target) -> HTTPConnection:
    if not isinstance(target, str):
        return HTTPConnection(*target, timeout=ANSWER_SECONDS)
    origin = urlsplit(target)
    kind = HTTPSConnection if origin.scheme == "https" else HTTPConnection
    return kind(origin.hostname or "", origin.port, timeout=ANSWER_SECONDS)


def _authority(target: Target) -> str:
    """Return host and port of a web server, as in a Host header."""
    if isinstance(target, str):
        return urlsplit(target).netloc
    host, port = target
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


class Forwarder(ThreadingHTTPServer):
    """Accepts connections from one subnet, one thread each, with a maximum for each address."""

    def __init__(self, address: str, subnet: ipaddress.IPv4Network, target: Target, mark: str = "") -> None:
        self.target = target
        self.mark = mark
        self._subnet = subnet
        self._lock = threading.Lock()
        self._open: Counter[str] = Counter()
        super().__init__((address, 0), ProxiedRequest)

    def server_bind(self) -> None:
        """Listen even if the bridge does not exist yet; do not resolve names."""
        self.socket.setsockopt(socket.IPPROTO_IP, IP_FREEBIND, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = str(self.server_address[0]), self.server_address[1]

    def verify_request(self, request: Any, client_address: Any) -> bool:
        """Return whether a connection is from a container that is below its maximum."""
        peer = client_address[0]
        with self._lock:
            welcome = ipaddress.ip_address(peer) in self._subnet and self._open[peer] < CONNECTIONS
            self._open[peer] += welcome
        return welcome

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve one connection, then uncount it."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            with self._lock:
                self._open -= Counter([client_address[0]])

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log an error at debug level: a broken connection concerns only the step."""
        log.debug("a step's request was not passed on", exc_info=True)


class ProxiedRequest(BaseHTTPRequestHandler):
    """One request from a step, passed to the API and answered; then the connection is closed."""

    server: Forwarder
    protocol_version = "HTTP/1.1"
    timeout = SILENCE_SECONDS

    def pass_on(self) -> None:
        """Pass the request to the web server and the response back, both as streams."""
        self.close_connection = True
        if not _within(self.path):
            self._refuse(404, f"only {ROOT} is answered here")
            return
        connection = _connection(self.server.target)
        try:
            self._ask(connection)
            answer = connection.getresponse()
        except (Malformed, ValueError) as error:
            self._refuse(400, str(error))
        except (OSError, HTTPException) as error:
            self._refuse(502, f"the web server does not answer: {error}")
        else:
            self._answer(answer)
        finally:
            connection.close()

    def __getattr__(self, name: str) -> Callable[[], None]:
        """Pass on every method: the web server knows the valid ones."""
        if name.startswith("do_"):
            return self.pass_on
        raise AttributeError(name)

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing: the web server logs requests."""

    def version_string(self) -> str:
        """Return a name without the version of this machine's Python."""
        return "curlew"

    def handle_expect_100(self) -> bool:
        """Ask for the body, unless it will not be read."""
        return super().handle_expect_100() if _within(self.path) else True

    def _ask(self, connection: HTTPConnection) -> None:
        body, length = self._body()
        connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        named = {name.strip().lower() for name in self.headers.get("Connection", "").split(",")}
        # Addresses in responses have the service's public origin, not the bridge's address.
        connection.putheader("Host", _authority(self.server.target))
        for name, value in self.headers.items():
            if name.lower() not in HOP_BY_HOP | named | {"host"} and is_passed_on(name):
                connection.putheader(name, value)
        connection.putheader("X-Forwarded-For", self.client_address[0])
        connection.putheader(MARK_HEADER, self.server.mark)
        connection.putheader("Connection", "close")
        if length is not None:
            connection.putheader("Content-Length", str(length))
        elif body is not None:
            connection.putheader("Transfer-Encoding", "chunked")
        # A server that refuses a body may answer before it has received all of it.
        with suppress(BrokenPipeError, ConnectionResetError):
            connection.endheaders(body, encode_chunked=length is None)

    def _body(self) -> tuple[Iterator[bytes] | None, int | None]:
        """Return the pieces of the body, and its length if it is declared (RFC 9112 section 6.3)."""
        lengths = self.headers.get_all("Content-Length") or []
        codings = self.headers.get_all("Transfer-Encoding") or []
        if codings:
            if lengths or [coding.strip().lower() for coding in codings] != ["chunked"]:
                raise Malformed("the body's length is given in two ways, or in an unknown one")
            return decode_chunks(self.rfile), None
        if not lengths:
            return None, None
        if len(lengths) > 1 or not (lengths[0].isascii() and lengths[0].isdigit()):
            raise Malformed("Content-Length is not one number")
        return pieces(self.rfile, int(lengths[0])), int(lengths[0])

    def _answer(self, answer: HTTPResponse) -> None:
        self.send_response_only(answer.status, answer.reason)
        for name, value in answer.getheaders():
            if name.lower() not in HOP_BY_HOP:
                self.send_header(name, value)
        bodiless = self.command == "HEAD" or answer.status in BODILESS
        chunked = not bodiless and answer.length is None and self.request_version >= "HTTP/1.1"
        if chunked:
            self.send_header("Transfer-Encoding", "chunked")
        self.send_header("Connection", "close")
        self.end_headers()
        if bodiless:
            return
        while piece := answer.read1(PIECE):
            self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece) if chunked else piece)
        if chunked:
            self.wfile.write(b"0\r\n\r\n")

    def _refuse(self, status: int, why: str) -> None:
        text = f"{why}\n".encode()
        self.send_response_only(status)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(text)))
        self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(text)


def is_passed_on(name: str) -> bool:
    """Return whether a header of the step is passed on."""
    return bool(NAME.fullmatch(name)) and not name.lower().startswith(OURS)


def pieces(source: BufferedIOBase, length: int) -> Iterator[bytes]:
    """Yield the next `length` bytes in pieces. Raises Malformed if there are fewer."""
    while length:
        piece = source.read(min(length, PIECE))
        if not piece:
            raise Malformed("the body ended before its length")
        length -= len(piece)
        yield piece


def decode_chunks(source: BufferedIOBase) -> Iterator[bytes]:
    """Yield the bytes of a chunked body (RFC 9112 section 7.1) and read its trailer. Raises Malformed."""
    while size := _size(source.readline(LONGEST_CHUNK_LINE)):
        yield from pieces(source, size)
        if source.readline(LONGEST_CHUNK_LINE) not in (b"\r\n", b"\n"):
            raise Malformed("a chunk is longer than it says")
    while source.readline(LONGEST_CHUNK_LINE).strip():
        pass


def _size(line: bytes) -> int:
    digits = line.partition(b";")[0].strip()
    if not line.endswith(b"\n") or not digits or digits.strip(b"0123456789abcdefABCDEF"):
        raise Malformed("a chunk does not begin with its length")
    return int(digits, 16)


def _within(target: str) -> bool:
    """Return whether a request's target is within the API, in any spelling."""
    path = unquote(urlsplit(target).path) if target.startswith("/") else ""
    return (path == ROOT or path.startswith(f"{ROOT}/")) and not {".", ".."} & set(path.split("/"))
