"""The endpoint of events: the WebSocket handshake, with the credential for the events."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs

from handlers.events.frames import accept
from handlers.events.hub import EventHub
from handlers.http.problems import refusal as problem
from handlers.http.request_head import RequestHead, caller_of
from handlers.http.response import Answer
from handlers.identity.identify import Identifies
from handlers.security.log_lines import RequestNotes
from handlers.server.application import SwitchedProtocol
from handlers.services.world import World
from vfs.access import Caller, Verb
from vfs.errors import Advice, Invalid, Unauthenticated, Unsupported
from vfs.path import Path

EVENTS = Path(("ws",))
TRANSPORT = "websocket"
PROTOCOL = "4"
SWITCH = "curlew.switch"
SAID = (
    "HTTP_AUTHORIZATION", "HTTP_COOKIE", "HTTP_ORIGIN", "HTTP_SEC_FETCH_SITE", "HTTP_HOST", "REQUEST_METHOD",
)  # fmt: skip
"""The parts of a request that identify its caller."""


class EventsEndpoint:
    """Accepts clients of Socket.IO, signed in as for any request; `advice` says how."""

    def __init__(self, hub: EventHub, world: World, identify: Identifies, advice: Advice) -> None:
        self._hub = hub
        self._world = world
        self._identify = identify
        self._advice = advice

    def __call__(self, head: RequestHead, path: Path) -> Answer | None:
        """Return the response to a handshake, or None for any other path. Raise VfsError."""
        if path != EVENTS:
            return None
        if head.method == "OPTIONS":
            return Answer(HTTPStatus.NO_CONTENT, [("Allow", "GET, OPTIONS")])
        if head.method != "GET":
            refused = Unsupported(f"{EVENTS} accepts WebSocket handshakes by GET only", allow=(Verb.READ,))
            return problem(refused, head)
        _hold_transport(head.environ)
        token = accept(head.environ)
        switch: Callable[[SwitchedProtocol], object] | None = head.environ.get(SWITCH)
        if switch is None:
            raise Invalid("events need HTTP/1.1 and a separate connection")
        said = {name: head.environ[name] for name in SAID if name in head.environ}
        with self._world.session():
            caller = self._identify_first(head)
        head.user = caller.name
        key = hashlib.blake2b(repr((sorted(said.items()), head.origin)).encode()).digest()
        switch(self._hub.enter(key, caller, lambda: self._look_again(said, head.origin or "")))
        return Answer(
            HTTPStatus.SWITCHING_PROTOCOLS, [("Upgrade", TRANSPORT), ("Sec-WebSocket-Accept", token)]
        )

    def _identify_first(self, head: RequestHead) -> Caller:
        """Return the caller, checked as for a write, so that another site's page cannot use a cookie."""
        caller = caller_of(self._identify, head, Verb.WRITE, EVENTS)
        if caller.name is None:
            raise Unauthenticated(self._advice.sign_in)
        return caller

    def _look_again(self, said: Mapping[str, Any], origin: str) -> Caller:
        notes = RequestNotes()
        with self._world.session():
            return self._identify.caller(
                said, Verb.WRITE, EVENTS, address="", source="", origin=origin, again=True, notes=notes
            )


def _hold_transport(environ: Mapping[str, Any]) -> None:
    """Refuse anything but Engine.IO 4 over WebSocket, such as polling. Raise Invalid."""
    asked = parse_qs(str(environ.get("QUERY_STRING", ""))[:1024])
    if asked.get("transport", [TRANSPORT])[-1] != TRANSPORT:
        raise Invalid('events are sent over WebSocket only: connect with transports=["websocket"]')
    if asked.get("EIO", [PROTOCOL])[-1] != PROTOCOL:
        raise Invalid("events are sent by Engine.IO 4, which clients of Socket.IO 3 and later use")
