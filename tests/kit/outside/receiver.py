"""A receiver of hooks on loopback, which checks signatures."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple


class Received(NamedTuple):
    """A message as it arrived."""

    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def payload(self) -> Any:
        return json.loads(self.body)

    def is_signed(self, secret: str) -> bool:
        """Whether a signature is that of a secret, reckoned as Standard Webhooks writes it."""
        signed = f"{self.headers['webhook-id']}.{self.headers['webhook-timestamp']}.".encode() + self.body
        key = base64.b64decode(secret.removeprefix("whsec_"))
        mark = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
        return f"v1,{mark}" in self.headers["webhook-signature"].split(" ")


class Receiver(ThreadingHTTPServer):
    """Takes messages on a free port; a path such as /503 is answered with that status."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), ReceiverHandler)
        self.taken: list[Received] = []
        self.answer: Callable[[Received], int] = lambda one: int(one.path[1:] or 200)
        self.url = f"http://127.0.0.1:{self.server_port}"


class ReceiverHandler(BaseHTTPRequestHandler):
    """One connection of a receiver."""

    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        one = Received(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
        self.server.taken.append(one)
        status = self.server.answer(one)
        self.send_response(status)
        if 300 <= status < 400:
            self.send_header("Location", f"{self.server.url}/200")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Write nothing."""


@contextmanager
def receiving() -> Iterator[Receiver]:
    """Run a receiver during the block."""
    with Receiver() as receiver:
        thread = threading.Thread(target=receiver.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        yield receiver
        receiver.shutdown()
        thread.join()
