"""The listener of `/metrics`: one request at a time, so that scrapes never cost more than one."""

from __future__ import annotations

import socket
import socketserver
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from prometheus_client import CollectorRegistry, make_wsgi_app

PATH = "/metrics"
SILENCE = 5.0
ELSEWHERE = b"the figures are at /metrics\n"


class ScrapeHandler(WSGIRequestHandler):
    """Answers a scrape; a client that sends nothing for some seconds is disconnected."""

    timeout = SILENCE

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: Prometheus itself reports failed scrapes."""


class ScrapeServer(WSGIServer):
    """The server at one address, IPv4 or IPv6; it resolves no names."""

    def __init__(self, address: tuple[str, int], registry: CollectorRegistry) -> None:
        found = socket.getaddrinfo(address[0] or None, address[1], type=socket.SOCK_STREAM)
        self.address_family = found[0][0]
        super().__init__(address, ScrapeHandler)
        self.set_app(scrape_app(registry))

    def server_bind(self) -> None:
        """Bind, and use the address as the server's name."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])
        self.setup_environ()


def scrape_app(registry: CollectorRegistry) -> Callable[..., Iterable[bytes]]:
    """Return the WSGI application that serves the metrics, in the requested form."""
    shown: Callable[..., Iterable[bytes]] = make_wsgi_app(registry)

    def answer(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ["PATH_INFO"] == PATH and environ["REQUEST_METHOD"] in ("GET", "HEAD"):
            return shown(environ, start_response)
        status = HTTPStatus.NOT_FOUND
        start_response(f"{status.value} {status.phrase}", [("Content-Type", "text/plain")])
        return [ELSEWHERE]

    return answer
