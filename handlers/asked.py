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
        front.base_url or _origin(environ),
        _address(environ, front),
        environ.get("HTTP_USER_AGENT", ""),
    )


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


def _origin(environ: Mapping[str, Any]) -> str | None:
    host = environ.get("HTTP_HOST") or f"{environ.get('SERVER_NAME', '')}:{environ.get('SERVER_PORT', '')}"
    return f"{environ['wsgi.url_scheme']}://{host}" if _HOST.fullmatch(host) else None


def _address(environ: Mapping[str, Any], front: Front) -> str:
    """Where the request comes from: the peer, or the last one that a trusted proxy names."""
    peer: str = environ.get("REMOTE_ADDR", "")
    if peer in front.proxies:
        return str(environ.get("HTTP_X_FORWARDED_FOR", peer)).rpartition(",")[2].strip()[:64] or peer
    return peer
