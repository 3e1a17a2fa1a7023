"""A relay on the loopback of one build to the hosts of apt's packages, and to no others.

It uses the operator's proxy if there is one; the proxy's credentials stay outside the build.
"""

from __future__ import annotations

import http.client
import re
import selectors
import socket
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, field
from typing import cast

from chains.package_proxy.client_config import FILE, PORT, apt_configuration
from chains.package_proxy.loopback import BuildProxy, LoopbackHandler, serving_beside
from chains.package_proxy.outbound import Proxy
from chains.public_hosts import SECONDS, connect_public, is_public

IDLE = 60.0
LONGEST = 900.0
MOST = 16 << 30
PIECE = 1 << 16
TARGET = re.compile(r"http://([A-Za-z0-9.-]{1,253})(?::(\d{1,5}))?(/[!-~]*)?")
TUNNEL = re.compile(r"([A-Za-z0-9.-]{1,253}):(\d{1,5})")
ASKED = (
    *("Accept", "Cache-Control", "If-Modified-Since", "If-None-Match"),
    *("If-Range", "Pragma", "Range", "User-Agent"),
)
"""The request headers that a build may send to a host."""

ANSWERED = (
    *("Accept-Ranges", "Content-Encoding", "Content-Range", "Content-Type", "Date", "ETag"),
    *("Last-Modified", "Location", "Retry-After"),
)
TROUBLE = (OSError, ValueError, http.client.HTTPException)


class AllowanceSpent(OSError):
    """A build has fetched for too long, or more bytes than allowed."""


@dataclass(frozen=True, slots=True)
class PackageHosts:
    """Hosts that a build may reach at the `ports` of http and https, for `most` bytes.

    Connections use the operator's proxy if `variables` name one; otherwise they go directly to the addresses
    that `permits` accepts.
    """

    names: frozenset[str]
    variables: Mapping[str, str]
    permits: Callable[[str], bool] = is_public
    ports: Mapping[str, int] = field(default_factory=lambda: {"http": 80, "https": 443})
    most: int = MOST

    def reach(self, host: str, port: int, scheme: str) -> bool:
        """Return whether a build may reach this host at this port."""
        return host.lower() in self.names and port == self.ports[scheme]

    def connect(self, host: str, scheme: str) -> tuple[socket.socket, Proxy | None]:
        """Return a connection to a host or to its proxy, and the proxy if it is one. Raise OSError."""
        if proxy := Proxy.of(scheme, host, self.variables):
            return socket.create_connection((proxy.host, proxy.port), SECONDS), proxy
        return connect_public(host, self.ports[scheme], SECONDS, self.permits), None


def relay(hosts: PackageHosts) -> BuildProxy:
    """Return a relay to these hosts for each build, with the configuration for the build's apt."""
    return BuildProxy(lambda pid: serving(hosts, pid), {FILE: apt_configuration(hosts.names)})


def serving(hosts: PackageHosts, pid: int, port: int = PORT) -> AbstractContextManager[None]:
    """Forward requests from the loopback of the process `pid` to `hosts` meanwhile. Raise EngineError."""
    return serving_beside(pid, port, RelayHandler, _Allowance(hosts), "relay to package hosts")


class _Allowance:
    """The hosts of one build, and the number of bytes that it may still transfer."""

    def __init__(self, hosts: PackageHosts) -> None:
        self.hosts = hosts
        self._left = hosts.most
        self._lock = threading.Lock()

    def spend(self, size: int, until: float) -> None:
        """Subtract bytes. Raise AllowanceSpent if there are not enough left, or `until` has passed."""
        with self._lock:
            self._left -= size
            if self._left < 0 or time.monotonic() > until:
                raise AllowanceSpent("a build has reached its limit of bytes or time")


class RelayHandler(LoopbackHandler[_Allowance]):
    """A handler that forwards apt's requests to the hosts of an allowance."""

    # A tunnel begins right after the request's head, so nothing may be read ahead.
    rbufsize = 0
    methods = ("GET", "HEAD", "CONNECT")

    def answer(self) -> None:
        """Forward a request, or refuse it."""
        tunnel = self.command == "CONNECT"
        scheme = "https" if tunnel else "http"
        found = (TUNNEL if tunnel else TARGET).fullmatch(self.path)
        hosts = self.server.served.hosts
        if not found or not hosts.reach(found[1], int(found[2] or hosts.ports[scheme]), scheme):
            self.send_error(403, "Not among the hosts that builds may fetch from (build_hosts)")
            return
        try:
            connection, proxy = hosts.connect(found[1], scheme)
        except TROUBLE:
            self.send_error(502, "The host cannot be reached")
            return
        with closing(connection), self.server.holding(connection):
            connection.settimeout(IDLE)
            if tunnel:
                self._tunnel(connection, found[1], proxy)
            else:
                self._fetch(connection, found[1], found[3] or "/", proxy)

    def _fetch(self, connection: socket.socket, host: str, path: str, proxy: Proxy | None) -> None:
        port = self.server.served.hosts.ports["http"]
        way = http.client.HTTPConnection(host, port)
        way.sock = connection
        with closing(way):
            try:
                answer = self._ask(way, f"http://{host}{path}" if proxy else path, host, proxy)
            except TROUBLE:
                self.send_error(502, "The host does not answer")
                return
            with answer:
                if answer.status == 407 or answer.status < 200:
                    self.send_error(502, "The operator's proxy refuses")
                elif proxy and answer.status >= 400:
                    # An error page of a proxy contains facts about its network.
                    self.send_error(answer.status)
                else:
                    self._pass_back(answer)

    def _ask(
        self, way: http.client.HTTPConnection, target: str, host: str, proxy: Proxy | None
    ) -> http.client.HTTPResponse:
        way.putrequest(self.command, target, skip_host=True, skip_accept_encoding=True)
        given = {name: word for name in ASKED if (word := self.headers.get(name))}
        own = {"Host": host, "Connection": "close", **(proxy.headers if proxy else {})}
        for name, word in (given | own).items():
            way.putheader(name, _line(word))
        way.endheaders()
        return way.getresponse()

    def _pass_back(self, answer: http.client.HTTPResponse) -> None:
        until = time.monotonic() + LONGEST
        self.send_response_only(answer.status)
        for name in ANSWERED:
            if word := answer.getheader(name):
                self.send_header(name, _line(word))
        size = answer.getheader("Content-Length", "") if self.command == "HEAD" else answer.length
        if str(size).isdecimal():
            self.send_header("Content-Length", str(size))
        self.send_header("Connection", "close")
        self.end_headers()
        try:
            while piece := answer.read(PIECE):
                self.server.served.spend(len(piece), until)
                self.wfile.write(piece)
        except http.client.HTTPException as error:
            raise AllowanceSpent("the host broke off") from error

    def _tunnel(self, connection: socket.socket, host: str, proxy: Proxy | None) -> None:
        try:
            if proxy:
                way = http.client.HTTPConnection(proxy.host, proxy.port)
                way.set_tunnel(host, self.server.served.hosts.ports["https"], proxy.headers)
                _open(way, connection)
        except TROUBLE:
            self.send_error(502, "The operator's proxy refuses")
            return
        self.send_response_only(200, "Connection established")
        self.end_headers()
        self._join(connection)

    def _join(self, connection: socket.socket) -> None:
        """Copy bytes in both directions until one end is closed or both are silent."""
        until = time.monotonic() + LONGEST
        other = {self.connection: connection, connection: self.connection}
        with selectors.DefaultSelector() as ends:
            for end in other:
                ends.register(end, selectors.EVENT_READ)
            while ready := ends.select(IDLE):
                for key, _ in ready:
                    source = cast(socket.socket, key.fileobj)
                    piece = source.recv(PIECE)
                    if not piece:
                        return
                    self.server.served.spend(len(piece), until)
                    other[source].sendall(piece)


def _open(way: http.client.HTTPConnection, connection: socket.socket) -> None:
    """Make the proxy at the end of a connection open the tunnel of `way`. Raise OSError."""
    made: object = way
    made._create_connection = lambda *given: connection  # type: ignore[attr-defined]
    way.connect()


def _line(word: str) -> str:
    """Return a header's value on one line."""
    return " ".join(word.split())
