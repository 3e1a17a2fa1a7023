"""What the head of a request says beside its path and verb:
who asks from where, under which number, through which address.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from handlers.negotiation import wanted
from vfs.place import Form

_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,128}")
_HOST = re.compile(r"(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?")
_LONGEST_SHOWN = 500
_SAFE = frozenset({"GET", "HEAD"})
LOOPBACK = frozenset({"127.0.0.1", "::1"})
FORWARDED = ("HTTP_X_FORWARDED_FOR", "HTTP_X_REAL_IP", "HTTP_FORWARDED", "HTTP_VIA")


@dataclass(frozen=True, slots=True)
class Front:
    """How the service is reached: its public address when it is fixed, the proxies whose word is taken, and
    the web origins whose pages may call it (`*`: all of them).
    """

    base_url: str | None = None
    proxies: frozenset[str] = frozenset()
    origins: frozenset[str] = frozenset()


@dataclass(slots=True)
class Asked:
    """The head of one request, read without ever failing. `raw` is the path as it was sent, without the
    query; `origin` is None when the Host header is malformed; `user` is filled in once it is known.
    """

    environ: Mapping[str, Any]
    method: str
    raw: str
    id: str
    origin: str | None
    address: str
    client: str
    began: float = field(default_factory=time.perf_counter)
    user: str | None = None

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
        environ = self.environ
        return "HTTP_AUTHORIZATION" in environ or "HTTP_COOKIE" in environ or self.method not in _SAFE

    @property
    def local(self) -> bool:
        """Whether the request comes from this very host, and through no proxy."""
        peer = self.environ.get("REMOTE_ADDR", "")
        return peer in LOOPBACK and not any(header in self.environ for header in FORWARDED)

    @property
    def plain(self) -> bool:
        """Whether an error is wanted as text: only when text is asked for by name."""
        want = wanted(self.environ.get("HTTP_ACCEPT"))
        return want.named and want.form is Form.TEXT


def asked(environ: Mapping[str, Any], front: Front) -> Asked:
    """The head of the request that a WSGI environment holds."""
    given = environ.get("HTTP_X_REQUEST_ID", "")
    return Asked(
        environ,
        environ["REQUEST_METHOD"],
        raw_path(environ),
        given if _REQUEST_ID.fullmatch(given) else os.urandom(16).hex(),
        front.base_url or _origin(environ, front),
        _address(environ, front),
        environ.get("HTTP_USER_AGENT", ""),
    )


def query(params: Mapping[str, str | list[str]]) -> dict[str, str]:
    """The query, of a repeated name the last value."""
    return {name: value[-1] if isinstance(value, list) else value for name, value in params.items()}


def raw_path(environ: Mapping[str, Any]) -> str:
    """The path as it stood in the request line; from the decoded one where the server keeps no other."""
    raw: str | None = environ.get("RAW_URI")
    if raw is None:
        return quote(environ.get("PATH_INFO", "").encode("latin-1"), safe="/@~+=:,.;!$&'()*")
    path = raw.partition("?")[0]
    if not path.startswith("/") and "://" in path:
        # The absolute form of a request line, as sent to proxies (RFC 9112 section 3.2.2).
        path = "/" + path.partition("://")[2].partition("/")[2]
    return path


def _origin(environ: Mapping[str, Any], front: Front) -> str | None:
    host = environ.get("HTTP_HOST") or f"{environ.get('SERVER_NAME', '')}:{environ.get('SERVER_PORT', '')}"
    return f"{_scheme(environ, front)}://{host}" if _HOST.fullmatch(host) else None


def _scheme(environ: Mapping[str, Any], front: Front) -> str:
    """How the client came: what a trusted proxy says, else what the server knows."""
    told = str(environ.get("HTTP_X_FORWARDED_PROTO", "")).rpartition(",")[2].strip().lower()
    if told in ("http", "https") and environ.get("REMOTE_ADDR", "") in front.proxies:
        return told
    return str(environ["wsgi.url_scheme"])


def _address(environ: Mapping[str, Any], front: Front) -> str:
    """Where the request comes from: the peer, or the last one that a trusted proxy names."""
    peer: str = environ.get("REMOTE_ADDR", "")
    if peer in front.proxies:
        return str(environ.get("HTTP_X_FORWARDED_FOR", peer)).rpartition(",")[2].strip()[:64] or peer
    return peer
