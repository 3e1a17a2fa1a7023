"""RequestHead: method, path, origin, client address and id of one request, and its caller."""

from __future__ import annotations

import ipaddress
import os
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from urllib.parse import quote, unquote

from handlers.http.negotiation import EITHER, AcceptedFace, accept_face
from handlers.identity.identify import Identifies
from handlers.rules.addresses import HOOK, LINK
from handlers.rules.hosts import loopback, parse_host
from handlers.security.log_lines import RequestNotes
from handlers.services.viewer import Hints
from vfs.access import Caller, Verb
from vfs.call import Form
from vfs.path import Path

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
# The first names of paths with a key, which opens something to everybody who has it.
_KEYED = frozenset({HOOK, LINK, "unsubscribe"})
_SAFE = frozenset({"GET", "HEAD"})
MARK_HEADER = "X-Curlew-Forwarder"
_MARK = f"HTTP_{MARK_HEADER.upper().replace('-', '_')}"
# Headers with which proxies, load balancers and CDNs mark the requests that they forward.
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
# How many header names and hosts are cached.
_MOST_NAMES = 256


@dataclass(frozen=True, slots=True)
class Front:
    """The fixed public address of the service, if any, the trusted proxies, and the allowed web origins.

    `*` in `origins` allows all. `forwarder` knows the secret of the proxy of steps, which is trusted too.
    With `for_loopback`, only requests for this host are answered: any site can let its name resolve to this
    host, and its pages could then read all responses (DNS rebinding).
    """

    base_url: str | None = None
    proxies: frozenset[str] = frozenset()
    origins: frozenset[str] = frozenset()
    forwarder: Callable[[str], bool] = lambda mark: False
    for_loopback: bool = False

    def is_for(self, environ: Mapping[str, Any]) -> bool:
        """Return whether requests with this Host are answered here."""
        return not self.for_loopback or _names_loopback(environ) or self.is_forwarded_by_us(environ)

    def is_forwarded_by_us(self, environ: Mapping[str, Any]) -> bool:
        """Return whether the proxy of steps forwarded a request."""
        return _MARK in environ and self.forwarder(environ[_MARK])


@dataclass(slots=True)
class RequestHead:
    """The head of one request; reading it never fails.

    `raw`: the path as sent, without the query. `origin`: None if the Host header is malformed. `user`: set
    once it is known. `by_password`: the requested file takes only a password. `address`, `source` and
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
        """The path for an error body or a log line, shortened if it is long, without the key in it."""
        return f"/{self.first}/..." if self.first in _KEYED else self.raw[:_LONGEST_SHOWN]

    @property
    def first(self) -> str:
        """The first name of the path, however it is spelled."""
        return unquote(self.raw[:_LONGEST_SHOWN].lstrip("/").partition("/")[0])

    @property
    def secure(self) -> bool:
        """Whether the client uses TLS, as far as that is certain."""
        return (self.origin or "").startswith("https:")

    @property
    def personal(self) -> bool:
        """Whether the response may be for this caller only.

        It is if a credential was sent, if it is a write, or if the query has the key of a link.
        """
        has_key = "key" in self.environ.get("QUERY_STRING", "")
        return self.has_credential or self.method not in _SAFE or has_key

    @property
    def has_credential(self) -> bool:
        """Whether something that may be a credential was sent."""
        return "HTTP_AUTHORIZATION" in self.environ or "HTTP_COOKIE" in self.environ

    @property
    def plain(self) -> bool:
        """Whether an error is sent as text: only when text is requested by name."""
        return self.face.named and self.face.form is Form.TEXT


def read_head(environ: Mapping[str, Any], front: Front) -> RequestHead:
    """Parse the head of the request in a WSGI environment."""
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
    """Return the parameters of the query; of a repeated name the last value."""
    return {name: value[-1] if isinstance(value, list) else value for name, value in params.items()}


def raw_path(environ: Mapping[str, Any]) -> str:
    """Return the path as sent; made from the decoded one if the server does not provide it."""
    raw: str | None = environ.get("RAW_URI")
    if raw is None:
        return quote(environ.get("PATH_INFO", "").encode("latin-1"), safe="/@~+=:,.;!$&'()*")
    return raw.partition("?")[0]


def _origin(environ: Mapping[str, Any], front: Front) -> str | None:
    named = environ.get("HTTP_HOST") or f"{environ.get('SERVER_NAME', '')}:{environ.get('SERVER_PORT', '')}"
    host = parse_host(named)
    return f"{_scheme(environ, front)}://{host.authority}" if host is not None else None


def _scheme(environ: Mapping[str, Any], front: Front) -> str:
    """Return the scheme of the client's request: from a trusted proxy, else from the server."""
    forwarded = str(environ.get("HTTP_X_FORWARDED_PROTO", "")).rpartition(",")[2].strip().lower()
    if forwarded in ("http", "https") and environ.get("REMOTE_ADDR", "") in front.proxies:
        return forwarded
    return str(environ["wsgi.url_scheme"])


def client_address(environ: Mapping[str, Any], front: Front) -> str:
    """Return the address of the client, as far as it is known."""
    return _address(environ, front, is_forwarded(environ))[0]


def _address(environ: Mapping[str, Any], front: Front, forwarded: bool) -> tuple[str, bool]:
    """Return the client's address, and whether it is certain.

    It is the peer's, or the last one that a trusted proxy names. The peer is not certain behind an unknown
    proxy, which headers or a fixed base_url indicate.
    """
    peer: str = environ.get("REMOTE_ADDR", "")
    if peer in front.proxies or front.is_forwarded_by_us(environ):
        last = str(environ.get("HTTP_X_FORWARDED_FOR", "")).rpartition(",")[2].strip()[:64]
        return (last, True) if last else (peer, False)
    hidden = forwarded or (front.base_url is not None and not front.proxies)
    return peer, not (hidden and (loopback(peer) or (not front.proxies and _near(peer))))


def is_forwarded(environ: Mapping[str, Any]) -> bool:
    """Return whether a header, or HTTP/1.0, indicates a proxy."""
    return environ.get("SERVER_PROTOCOL") == "HTTP/1.0" or any(map(_names_a_proxy, environ))


@lru_cache(_MOST_NAMES)
def _names_a_proxy(name: str) -> bool:
    """Return whether proxies send the header with this CGI name."""
    return name.startswith(_FORWARDED) or name in _ALSO_FORWARDED


def _near(peer: str) -> bool:
    """Return whether a peer's address is private, so that it may be an unknown proxy.

    A public address counts as a client; otherwise clients could choose to be unknown.
    """
    try:
        return not ipaddress.ip_address(peer.partition("%")[0]).is_global
    except ValueError:
        return True


def _local(environ: Mapping[str, Any], front: Front) -> bool:
    """Return whether the caller is on this host, without a proxy between (decisions 14).

    The Host header counts too: a page of a site whose name resolves to this host is not a local caller.
    """
    through = front.base_url is not None or bool(front.proxies)
    return not through and loopback(environ.get("REMOTE_ADDR", "")) and _names_loopback(environ)


def _names_loopback(environ: Mapping[str, Any]) -> bool:
    """Return whether the Host header names this host."""
    host = parse_host(str(environ.get("HTTP_HOST", "")))
    return host is not None and loopback(host.name)


def caller_of(
    identify: Identifies, head: RequestHead, verb: Verb | None, path: Path, *, again: bool = False
) -> Caller:
    """Return the caller of a request. Raises as `Identify.caller` does."""
    sender: dict[str, Any] = {"address": head.address, "source": head.source, "notes": head.notes}
    return identify.caller(head.environ, verb, path, origin=head.origin or "", again=again, **sender)


def hints_about(head: RequestHead, **more: Any) -> Hints:
    """Return the hints about the client of a request, with `more` of them."""
    facts: dict[str, Any] = {"client": head.client, "address": head.address, "source": head.source}
    facts |= {"local": head.local, "origin": head.origin or "", "notes": head.notes}
    return Hints(**facts | more)
