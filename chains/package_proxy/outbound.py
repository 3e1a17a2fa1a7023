"""Connections from a build to the outside: to checked public addresses, or through the operator's proxy."""

from __future__ import annotations

import base64
import functools
import http.client
import socket
import ssl
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from chains.public_hosts import SECONDS, connect_public

WEB = {"http": 80, "https": 443}
Connect = Callable[[tuple[str, int], float | None, Any], socket.socket]


def without_credentials(address: str) -> tuple[str, str | None]:
    """Return an address without user and password, and the header with these (None without them)."""
    parts = urllib.parse.urlsplit(address)
    if parts.username is None:
        return address, None
    words = (urllib.parse.unquote(word or "") for word in (parts.username, parts.password))
    secret = "Basic " + base64.b64encode(":".join(words).encode()).decode()
    return urllib.parse.urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2])), secret


@dataclass(frozen=True, slots=True)
class Proxy:
    """The operator's proxy: its host and port, and the header value that authorises there."""

    host: str
    port: int
    secret: str | None

    @property
    def headers(self) -> dict[str, str]:
        """Headers for the proxy, in addition to those of the request."""
        return {"Proxy-Authorization": self.secret} if self.secret else {}

    @classmethod
    def of(cls, scheme: str, host: str, variables: Mapping[str, str]) -> Proxy | None:
        """Return the proxy that `variables` set for a host, or None if it has none. Raise OSError."""
        said = {
            name.lower().removesuffix("_proxy"): word
            for name, word in sorted(variables.items())
            if name.lower().endswith("_proxy") and word
        }
        address = said.get(scheme)
        spared: Any = urllib.request
        if not address or spared.proxy_bypass_environment(host, {"no": said.get("no", "")}):
            return None
        bare, secret = without_credentials(address if "://" in address else f"http://{address}")
        try:
            parts = urllib.parse.urlsplit(bare)
            name, port = parts.hostname, parts.port or WEB["http"]
        except ValueError as error:
            raise OSError("the operator's proxy has no port") from error
        if parts.scheme != "http" or not name:
            raise OSError("the operator's proxy is not an HTTP proxy")
        return cls(name, port, secret)


def opener(
    proxies: Mapping[str, str],
    context: ssl.SSLContext,
    near: Collection[tuple[str, int]],
    public: Callable[[str], bool],
) -> urllib.request.OpenerDirector:
    """Return an opener of pages through `proxies`, at the hosts and ports `near` and at public addresses.

    `public` returns whether a redirect may lead to a host.
    """
    known = set(near)
    for address in proxies.values():
        parts = urllib.parse.urlsplit(without_credentials(address)[0])
        known.add((parts.hostname or "", parts.port or WEB.get(parts.scheme, 0)))

    def connect(address: tuple[str, int], timeout: float | None, source: Any) -> socket.socket:
        host, port = address
        if (host.lower(), port) in known:
            return socket.create_connection(address, timeout)
        return connect_public(host, port, timeout or SECONDS)

    return urllib.request.build_opener(
        urllib.request.ProxyHandler(dict(proxies)),
        _Plain(connect),
        _Secure(connect, context),
        _Redirects(public),
    )


class _Plain(urllib.request.HTTPHandler):
    """A handler that opens http addresses with connections from `connect`."""

    def __init__(self, connect: Connect) -> None:
        super().__init__()
        self._made = functools.partial(_connection, http.client.HTTPConnection, connect)

    def http_open(self, req: urllib.request.Request) -> Any:
        return self.do_open(self._made, req)


class _Secure(urllib.request.HTTPSHandler):
    """A handler that opens https addresses with connections from `connect`."""

    def __init__(self, connect: Connect, context: ssl.SSLContext) -> None:
        super().__init__(context=context)
        self._made = functools.partial(_connection, http.client.HTTPSConnection, connect, context=context)

    def https_open(self, req: urllib.request.Request) -> Any:
        return self.do_open(self._made, req)


def _connection(kind: type[http.client.HTTPConnection], connect: Connect, host: str, **more: Any) -> Any:
    connection: Any = kind(host, **more)
    # http.client's own hook. A connect() here would have to repeat its code for tunnels.
    connection._create_connection = connect
    return connection


class _Redirects(urllib.request.HTTPRedirectHandler):
    """A handler that follows redirects to public addresses and to the same host."""

    def __init__(self, public: Callable[[str], bool]) -> None:
        self._public = public

    def redirect_request(
        self, req: urllib.request.Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        before, after = urllib.parse.urlsplit(req.full_url), urllib.parse.urlsplit(newurl)
        known = after.netloc == before.netloc or self._public(after.hostname or "")
        if after.scheme not in WEB or not known:
            raise urllib.error.URLError("a redirect leads to a private address")
        return super().redirect_request(req, fp, code, msg, headers, newurl)
