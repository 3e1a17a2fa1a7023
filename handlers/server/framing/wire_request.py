"""WireRequest: a received head, and what it says about its body and its connection."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from gunicorn.http.errors import NoMoreData, ParseException
from gunicorn.http.message import Request
from gunicorn.http.unreader import Unreader

from handlers.rules.hosts import parse_host
from handlers.server.framing.bodies import ChunkedFraming, Framing, SizedFraming, is_partial_write

# A body has no meaning for other methods (RFC 9110 section 9.3); they may be refused because of one.
WITH_BODY = frozenset({"POST", "PUT", "PATCH", "PROPFIND", "PROPPATCH", "MKCOL", "LOCK"})
METHODS = WITH_BODY | {"GET", "HEAD", "DELETE", "OPTIONS", "COPY", "MOVE", "UNLOCK"}
VERSIONS = frozenset({(1, 0), (1, 1)})
_SIZE = re.compile(r"[0-9]{1,18}")
_ABSOLUTE = re.compile(r"https?://([^/?#]*)([/?].*|)", re.IGNORECASE)
END = b"\r\n\r\n"
Headers = list[tuple[str, str]]


class UnsoundRequest(ParseException):  # type: ignore[misc]
    """A request that is ambiguous or against HTTP; `str()` says why."""


@dataclass(frozen=True, slots=True)
class WireRequest:
    """The head of a request; header names are in upper case.

    `target` is its path and query (`*` for the server itself). `awaits_go_on`: the client waits for 100
    Continue. `closes`: the connection ends after the response. `is_unread`: the request is refused without
    reading its body.
    """

    method: str
    target: str
    path: str
    query: str
    version: tuple[int, int]
    scheme: str
    headers: Headers
    framing: Framing
    awaits_go_on: bool
    closes: bool
    is_unread: bool


class _HeadBytes(Unreader):  # type: ignore[misc]
    """The bytes of one head for gunicorn's parser, with nothing after them."""

    def __init__(self, head: bytes) -> None:
        super().__init__()
        self.buf.write(head)

    def chunk(self, size_hint: int | None = None) -> bytes:
        """Return b"": a head has no chunks."""
        return b""


class ParserSettings:
    """gunicorn's settings as plain attributes, because it reads each of them for every head."""

    def __init__(self, cfg: Any) -> None:
        self._cfg, self.is_ssl = cfg, cfg.is_ssl
        self.__dict__.update({name: setting.get() for name, setting in cfg.settings.items()})

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cfg, name)


def read_request(cfg: Any, head: bytes, peer: Any, number: int) -> WireRequest:
    """Parse a complete head with its empty line. Raises gunicorn's ParseException.

    gunicorn parses it and refuses ambiguous heads. What gunicorn accepts and other servers do not is refused
    here, so that no proxy in front sees other requests in the same bytes (RFC 9112 section 11.2).
    """
    if head.startswith(b"\r\n"):
        raise UnsoundRequest("the head begins with an empty line")
    try:
        found = Request(cfg, _HeadBytes(head), peer, number)
    except (NoMoreData, StopIteration):
        raise UnsoundRequest("the head ends too soon") from None
    if found.version not in VERSIONS:
        raise UnsoundRequest("the version of HTTP is neither 1.0 nor 1.1")
    framing = _framing(found)
    headers, target = _resolve_target(found)
    path, _, query = target.partition("?")
    options = _connection_options(headers)
    names = {name for name, _ in headers}
    is_unread = is_partial_write(found.method, path, has_range="CONTENT-RANGE" in names)
    expects = "EXPECT" in names and found.version == (1, 1) and not is_unread
    return WireRequest(
        found.method,
        target,
        path,
        query,
        found.version,
        found.scheme,
        headers,
        framing,
        expects and not framing.is_complete,
        found.version == (1, 0) or "close" in options or found.method not in METHODS,
        is_unread,
    )


def _framing(found: Any) -> Framing:
    """Return the framing of the body (RFC 9112 section 6); only its unambiguous spellings are accepted."""
    sizes = [value for name, value in found.headers if name == "CONTENT-LENGTH"]
    codings = [value for name, value in found.headers if name == "TRANSFER-ENCODING"]
    if codings and [one.lower() for one in codings] != ["chunked"]:
        raise UnsoundRequest("the Transfer-Encoding is not just chunked")
    if sizes and (codings or len(sizes) > 1 or not _SIZE.fullmatch(sizes[0])):
        raise UnsoundRequest("the Content-Length is not one number of bytes")
    framing: Framing = ChunkedFraming() if codings else SizedFraming(int(sizes[0]) if sizes else 0)
    if found.method not in WITH_BODY and not framing.is_complete:
        raise UnsoundRequest(f"a {found.method} takes no body: leave out the body, its length and its coding")
    return framing


def _resolve_target(found: Any) -> tuple[Headers, str]:
    """Return the headers with the one valid Host, and the target in origin form (RFC 9112 section 3.2)."""
    hosts = [value for name, value in found.headers if name == "HOST"]
    if len(hosts) != 1 and (hosts or found.version == (1, 1)):
        raise UnsoundRequest("a request has one Host header")
    if hosts and parse_host(hosts[0]) is None:
        raise UnsoundRequest("the Host header is malformed")
    target: str = found.uri
    if "#" in target:
        raise UnsoundRequest("the target has a fragment, which is not sent to servers")
    if target.startswith("/") or found.method == "CONNECT" or target == "*":
        return found.headers, target
    absolute = _ABSOLUTE.fullmatch(target)
    host = parse_host(absolute[1]) if absolute else None
    if absolute is None or host is None:
        raise UnsoundRequest("the target is neither a path nor a web address with a valid host")
    rest = absolute[2]
    # The authority of the target takes precedence over the header.
    headers = [(name, value) for name, value in found.headers if name != "HOST"]
    return [("HOST", host.authority), *headers], rest if rest.startswith("/") else f"/{rest}"


def _connection_options(headers: Headers) -> set[str]:
    """Return the options of the Connection header, which is a list (RFC 9110 section 7.6.1)."""
    values = [value.lower() for name, value in headers if name == "CONNECTION"]
    return {option.strip(" \t") for value in values for option in value.split(",")}
