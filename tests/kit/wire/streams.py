"""Streams of requests as clients and attackers send them: sound ones, odd ones, and cuts anywhere."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from hypothesis import strategies as st

PATIENCE = 30.0
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
BODIED = frozenset({"POST", "PUT", "PATCH"})


TARGETS = st.from_regex(r"/[a-z0-9]{1,6}(\?[a-z]=1)?", fullmatch=True)


class Sent(NamedTuple):
    """A request, its bytes, and whether HTTP leaves but one reading of it."""

    method: str
    target: str
    body: bytes
    wire: bytes
    is_sound: bool


ODD_LINES = (
    "Content-Length: 5",
    "Content-Length: 0",
    "Content-Length: +5",
    "Content-Length: 5, 5",
    "Content-Length: 0x5",
    "Content-Length : 5",
    "Content_Length: 5",
    "Content-Length: 99999999999999999999",
    "Transfer-Encoding: chunked",
    "Transfer-Encoding: Chunked",
    "Transfer-Encoding: identity",
    "Transfer-Encoding: gzip, chunked",
    "Transfer-Encoding: chunked, identity",
    "Transfer-Encoding: xchunked",
    "Transfer-Encoding: \x0bchunked",
    "Transfer_Encoding: chunked",
    "transfer-encoding:chunked",
    "Host: other",
    "Host: a b",
    "Host:",
    "Connection: close",
    "Connection: keep-alive, close",
    "Connection: Transfer-Encoding",
    "Expect: 100-continue",
    "X-Long: " + "x" * 3000,
    "X-Latin: caf\xe9",
    " folded",
    "X: a\rb",
    "X: a\0b",
    ": nameless",
    "no colon",
    "X-Empty:",
    "X!#$%&'*+.^`|~: 1",
)
ODD_TARGETS = (
    *("*", "http://other/x", "http://[:::]/x", "https://a@b/x", "ftp://a/x", "//x/y", "/a b", "/a#b", "x"),
    *("/%", "/\xe9", "/?", "/a\tb", "curlew:80", "http://a"),
)
ODD_METHODS = ("BREW", "get", "CONNECT", "TRACE", "POST ", "G@T", "")
ODD_VERSIONS = ("HTTP/1.0", "HTTP/1.2", "HTTP/2.0", "http/1.1", "HTTP/1.1 ", "HTTP/1.10", "")
ODD_ENDS = (b"\n", b"\r", b"\r\r\n", b"\n\r\n")
ODD_SIZES = (
    *(b"%x ", b" %x", b"0x%x", b"%x;a", b"%x;a=b", b'%x;a="b"', b"%x; a", b"%x\t", b"-%x", b"+%x"),
    *(b"000%x", b"%x;", b"%x;a=", b"%x ;a"),
)


def in_chunks(draw: Any, body: bytes, *, odd: bool) -> bytes:
    """A body in chunks of any sizes."""
    coded, rest = b"", body
    while rest:
        size = draw(st.integers(1, len(rest)))
        spelled = draw(st.sampled_from(ODD_SIZES)) if odd and draw(st.integers(0, 4)) == 0 else b"%x"
        coded += spelled % size + b"\r\n" + rest[:size] + b"\r\n"
        rest = rest[size:]
    trailers = (b"", b"X-After: 1\r\n", *((b"Content-Length: 3\r\n", b"x\r\n") if odd else ()))
    trailer: bytes = draw(st.sampled_from(trailers))
    return coded + b"0\r\n" + trailer + b"\r\n"


@st.composite
def requests(draw: Any, *, odd: bool, targets: Any = TARGETS) -> Sent:
    """A request, valid unless `odd` changes a part of it."""
    is_odd = odd and draw(st.booleans())
    method = draw(st.sampled_from(METHODS))
    target = draw(targets)
    body = draw(st.binary(max_size=40)) if method in BODIED else b""
    lines, coded, version, end = ["Host: curlew"], body, "HTTP/1.1", b"\r\n"
    lines += draw(st.lists(st.sampled_from(("Accept: */*", "X-A: b", "X-A: c", "Cookie: a=b")), max_size=3))
    if body and draw(st.booleans()):
        lines.append("Transfer-Encoding: chunked")
        coded = in_chunks(draw, body, odd=is_odd)
    elif body or draw(st.booleans()):
        lines.append(f"Content-Length: {len(body)}")
    if is_odd:
        what = draw(st.integers(0, 7))
        if what <= 2:
            lines.insert(draw(st.integers(0, len(lines))), draw(st.sampled_from(ODD_LINES)))
        elif what == 3:
            target = draw(st.sampled_from(ODD_TARGETS))
        elif what == 4:
            method = draw(st.sampled_from(ODD_METHODS))
        elif what == 5:
            version = draw(st.sampled_from(ODD_VERSIONS))
        elif what == 6:
            end = draw(st.sampled_from(ODD_ENDS))
        else:
            coded += draw(st.binary(min_size=1, max_size=12))
    head = f"{method} {target} {version}\r\n".encode("latin-1")
    wire = head + end.join(line.encode("latin-1") for line in lines) + b"\r\n\r\n" + coded
    return Sent(method, target, body, wire, not is_odd)


class PairedConnection:
    """A connection whose requests each have an id; answers are read one by one, whatever is under way."""

    def __init__(self, wire: socket.socket) -> None:
        self._wire, self._came = wire, b""

    def ask(self, pieces: Sequence[bytes], requests: Sequence[Sent]) -> list[tuple[int, str]]:
        """Send pieces, and read an answer to each request until the connection ends: statuses and ids."""
        with suppress(BrokenPipeError, ConnectionResetError):
            for piece in pieces:
                self._wire.sendall(piece)
        found = []
        for one in requests:
            answer = self._read_answer(one.method)
            if answer is None:
                break
            found.append(answer)
        return found

    def has_more(self) -> bool:
        """Whether something came that nobody asked for."""
        self._wire.settimeout(0.02)
        with suppress(TimeoutError, ConnectionResetError):
            self._came += self._wire.recv(1 << 16)
        self._wire.settimeout(PATIENCE)
        return bool(self._came)

    def _read_answer(self, method: str) -> tuple[int, str] | None:
        while b"\r\n\r\n" not in self._came:
            if not self._receive():
                return None
        head, _, self._came = self._came.partition(b"\r\n\r\n")
        line, *lines = head.decode("latin-1").split("\r\n")
        fields = {name.lower(): value for name, _, value in (one.partition(": ") for one in lines)}
        status = int(line.split()[1])
        if method != "HEAD" and status not in (204, 304):
            self._skip(int(fields["content-length"]))
        return status, fields.get("x-request-id", "")

    def _skip(self, size: int) -> None:
        while len(self._came) < size and self._receive():
            pass
        self._came = self._came[size:]

    def _receive(self) -> bool:
        try:
            received = self._wire.recv(1 << 16)
        except ConnectionResetError:
            return False
        self._came += received
        return bool(received)


def named(sent: Sequence[Sent], first: int = 0) -> list[Sent]:
    """The requests, each with a different id."""
    return [
        one._replace(wire=one.wire.replace(b"\r\n", b"\r\nX-Request-ID: r%d\r\n" % number, 1))
        for number, one in enumerate(sent, first)
    ]


def bodied(method: str, target: str, body: bytes, host: str = "curlew") -> Sent:
    """A request with a body, whatever its method."""
    head = f"{method} {target} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {len(body)}\r\n\r\n"
    return Sent(method, target, body, head.encode() + body, method in BODIED)


@st.composite
def pieces(draw: Any, sent: bytes) -> list[bytes]:
    """The bytes, cut anywhere."""
    places = sorted(draw(st.lists(st.integers(0, len(sent)), max_size=6)))
    return [sent[first:last] for first, last in zip([0, *places], [*places, len(sent)], strict=True)]
