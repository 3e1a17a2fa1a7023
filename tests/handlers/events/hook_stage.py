"""A receiver of hooks on loopback, and a world with hooks that send to it."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from handlers.events.hook_dispatch import HookDispatch
from handlers.processes.web import tree_and_pages
from handlers.trees import ROOT
from tests.handlers.service_world import ServiceWorld
from vfs.access import Caller, Verb, Via
from vfs.body import TextBody
from vfs.call import Call, Data
from vfs.path import Path
from vfs.serve import admit, serve

TREE = tree_and_pages(ROOT)[0]
PLOT = "/v1/vis/plots/sales"


class Received(NamedTuple):
    """A message as it arrived."""

    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def told(self) -> Any:
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


class HookStage:
    """A service world whose operator lets hooks reach 127.0.0.1."""

    def __init__(self, service: ServiceWorld) -> None:
        settings = replace(
            service.world.service.settings, hooks_out_hosts="127.0.0.1", base_url="https://curlew.example"
        )
        service.world = replace(service.world, service=replace(service.world.service, settings=settings))
        self.service = service
        self.hooks = service.world.social.hooks

    def act(self, user: str, verb: Verb, path: str, text: str = "") -> Any:
        """Act as the web does, with events."""
        caller = Caller(user, Via.TOKEN)
        value = serve(TREE, Call(verb, Path.parse(path), caller, self.service.world, TextBody(text))).value
        return value.value if isinstance(value, Data) else value

    def hook(self, user: str, url: str, events: str, name: str = "chat", form: str = "standard") -> str:
        """Make a hook; its secret."""
        at = f"/v1/admin/hooks/{name}"
        secret = str(self.act(user, Verb.CREATE, at)["secret"])
        for rel, text in (("events", events), ("format", form), ("url", url)):
            self.act(user, Verb.WRITE, f"{at}/{rel}", text)
        return secret

    def log(self, user: str, name: str = "chat") -> list[tuple[str, str, int]]:
        """Event, outcome and tries of a hook's messages."""
        rows = self.act(user, Verb.READ, f"/v1/admin/hooks/{name}/log")
        return [(row["event"], row["outcome"], row["tries"]) for row in rows]

    def dispatch(self, **more: Any) -> HookDispatch:
        """A dispatcher of a fresh process, which sends one message after the other."""
        more = {"start": lambda act: act(), **more}
        return HookDispatch(self.service.world, partial(admit, TREE), **more)
