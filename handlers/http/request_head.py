"""RequestHead: method, path, origin, client address and id of one request."""

from __future__ import annotations

import ipaddress
import os
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from handlers.http.negotiation import EITHER, AcceptedFace, accept_face
from handlers.rules.hosts import loopback, parse_host
from handlers.security.notes import RequestNotes
from vfs.access import Verb
from vfs.call import Form

VERBS: Mapping[str, Verb | None] = {
    "GET": Verb.READ,
    "HEAD": Verb.READ,
    "POST": Verb.WRITE,
    "PUT": Verb.CREATE,
    "PATCH": Verb.RENAME,
    "DELETE": Verb.REMOVE,
    "OPTIONS": None,
}
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,128}")
_LONGEST_SHOWN = 500
_SAFE = frozenset({"GET", "HEAD"})
MARK_HEADER = "X-Curlew-Forwarder"
_MARK = f"HTTP_{MARK_HEADER.upper().replace('-', '_')}"
# Headers by which proxies, load balancers and content networks say that they pass a request on.
_FORWARDED = (
    *(
        "HTTP_FORWARDED",
        "HTTP_X_FORWARDED",
        "HTTP_X_ORIGINAL_",
        "HTTP_X_ENVOY_",
        "HTTP_X_AMZN_",
        "HTTP_X_AMZ_CF_",
    ),
    *("HTTP_CF_", "HTTP_FASTLY_", "HTTP_X_AZURE_", "HTTP_X_ARR_", "HTTP_FLY_"),
)
_ALSO_FORWARDED = frozenset({
    *("HTTP_VIA", "HTTP_X_REAL_IP", "HTTP_X_CLIENT_IP", "HTTP_CLIENT_IP", "HTTP_TRUE_CLIENT_IP"),
    *("HTTP_X_CLUSTER_CLIENT_IP", "HTTP_X_PROXYUSER_IP", "HTTP_X_REMOTE_IP", "HTTP_X_REMOTE_ADDR"),
    *("HTTP_CDN_LOOP", "HTTP_X_CLOUD_TRACE_CONTEXT", "HTTP_X_APPENGINE_USER_IP", "HTTP_X_HTTPS"),
})  # fmt: skip
# How many names of headers and hosts are remembered with what they mean.
_MOST_NAMES = 256


@dataclass(frozen=True, slots=True)
class Front:
    """The public address of the service when it is fixed, the trusted proxies, and the allowed web origins.

    `*` among `origins` is all of them. `forwarder` knows the mark of the proxy of steps, trusted too.
    Requests for other hosts than this very one are not answered where it is `for_loopback`: any site can have
    its own name lead here, and its pages would read all answers (DNS rebinding).
    """

    base_url: str | None = None
    proxies: frozenset[str] = frozenset()
    origins: frozenset[str] = frozenset()
    forwarder: Callable[[str], bool] = lambda mark: False
    for_loopback: bool = False

    def is_for(self, environ: Mapping[str, Any]) -> bool:
        """Return whether requests to their Host are answered here."""
        return not self.for_loopback or _names_loopback(environ) or self.is_forwarded_by_us(environ)

    def is_forwarded_by_us(self, environ: Mapping[str, Any]) -> bool:
        """Return whether the proxy of steps passed a request on."""
        return _MARK in environ and self.forwarder(environ[_MARK])


@dataclass(slots=True)
class RequestHead:
    """The head of one request, read without ever failing.

    `raw`: the path as it was sent, without the query. `origin`: None if the Host header is malformed. `user`:
    set once it is known. `by_password`: the file asked for takes only a password. `address`, `source` and
    `local`: those of the hints.
    """

    environ: Mapping[str, Any]
    method: str
    raw: str
    id: str
    origin: str | None
    address: str
    client: str
    source: str = ""
    local: bool = False
    began: float = field(default_factory=time.perf_counter)
    user: str | None = None
    by_password: bool = False
    face: AcceptedFace = EITHER
    notes: RequestNotes = field(default_factory=RequestNotes)

    @property
    def instance(self) -> str:
        """The path for an error body or a log line, of bounded length."""
        return self.raw[:_LONGEST_SHOWN]

    @property
    def secure(self) -> bool:
        """Whether the service is reached through TLS, as far as it can be sure."""
        return (self.origin or "").startswith("https:")

    @property
    def personal(self) -> bool:
        """Whether the answer may be for one caller's eyes: a credential was sent, or something is done."""
        return self.has_credential or self.method not in _SAFE

    @property
    def has_credential(self) -> bool:
        """Whether something was sent that may be a credential."""
        return "HTTP_AUTHORIZATION" in self.environ or "HTTP_COOKIE" in self.environ

    @property
    def plain(self) -> bool:
        """Whether an error is wanted as text: only when text is asked for by name."""
        return self.face.named and self.face.form is Form.TEXT


def read_head(environ: Mapping[str, Any], front: Front) -> RequestHead:
    """Read the head of the request in a WSGI environment."""
    given = environ.get("HTTP_X_REQUEST_ID", "")
    forwarded = is_forwarded(environ)
    address, certain = _address(environ, front, forwarded)
    id = given if _REQUEST_ID.fullmatch(given) else os.urandom(16).hex()
    client = environ.get("HTTP_USER_AGENT", "")
    return RequestHead(
        environ,
        environ["REQUEST_METHOD"],
        raw_path(environ),
        id,
        front.base_url or _origin(environ, front),
        address,
        client,
        address if certain else "",
        not forwarded and _local(environ, front),
        face=accept_face(environ.get("HTTP_ACCEPT")),
        notes=RequestNotes(id, address, client),
    )


def query(params: Mapping[str, str | list[str]]) -> dict[str, str]:
    """Return the query, of a repeated name the last value."""
    return {name: value[-1] if isinstance(value, list) else value for name, value in params.items()}


def raw_path(environ: Mapping[str, Any]) -> str:
    """The path as it stood in the request line; from the decoded one where the server keeps no other."""
    raw: str | None = environ.get("RAW_URI")
    if raw is None:
        return quote(environ.get("PATH_INFO", "").encode("latin-1"), safe="/@~+=:,.;!$&'()*")
    return raw.partition("?")[0]


def _origin(environ: Mapping[str, Any], front: Front) -> str | None:
    named = environ.get("HTTP_HOST") or f"{environ.get('SERVER_NAME', '')}:{environ.get('SERVER_PORT', '')}"
    host = parse_host(named)
    return f"{_scheme(environ, front)}://{host.authority}" if host is not None else None


def _scheme(environ: Mapping[str, Any], front: Front) -> str:
    """Return the scheme of the client's request: a trusted proxy's word, else the server's."""
    told = str(environ.get("HTTP_X_FORWARDED_PROTO", "")).rpartition(",")[2].strip().lower()
    if told in ("http", "https") and environ.get("REMOTE_ADDR", "") in front.proxies:
        return told
    return str(environ["wsgi.url_scheme"])


def client_address(environ: Mapping[str, Any], front: Front) -> str:
    """Return the address that a request comes from, as far as it can be known."""
    return _address(environ, front, is_forwarded(environ))[0]


def _address(environ: Mapping[str, Any], front: Front, forwarded: bool) -> tuple[str, bool]:
    """The client's address, and whether it is certain: the peer, or the last one that a trusted proxy names.

    The peer is not certain when an unnamed proxy passes requests on: headers say so, or a fixed base_url.
    """
    peer: str = environ.get("REMOTE_ADDR", "")
    if peer in front.proxies or front.is_forwarded_by_us(environ):
        last = str(environ.get("HTTP_X_FORWARDED_FOR", "")).rpartition(",")[2].strip()[:64]
        return (last, True) if last else (peer, False)
    hidden = forwarded or (front.base_url is not None and not front.proxies)
    return peer, not (hidden and (loopback(peer) or (not front.proxies and _near(peer))))


def is_forwarded(environ: Mapping[str, Any]) -> bool:
    """Whether a header says that a proxy passed the request on, or HTTP/1.0, which silent proxies speak."""
    return environ.get("SERVER_PROTOCOL") == "HTTP/1.0" or any(map(_names_a_proxy, environ))


@lru_cache(_MOST_NAMES)
def _names_a_proxy(name: str) -> bool:
    """Return whether proxies send the header of this CGI name."""
    return name.startswith(_FORWARDED) or name in _ALSO_FORWARDED


def _near(peer: str) -> bool:
    """Return whether a peer's address is private, so that it can be an unnamed proxy.

    A public one is taken for a client, or anybody could choose to be unknown.
    """
    try:
        return not ipaddress.ip_address(peer.partition("%")[0]).is_global
    except ValueError:
        return True


def _local(environ: Mapping[str, Any], front: Front) -> bool:
    """Return whether the caller is on this very host, with nothing between (decisions 14).

    The Host header counts too: a page of a site that was led here by its name is no caller on this host.
    """
    through = front.base_url is not None or bool(front.proxies)
    return not through and loopback(environ.get("REMOTE_ADDR", "")) and _names_loopback(environ)


def _names_loopback(environ: Mapping[str, Any]) -> bool:
    """Return whether the Host header names this very host."""
    host = parse_host(str(environ.get("HTTP_HOST", "")))
    return host is not None and loopback(host.name)
