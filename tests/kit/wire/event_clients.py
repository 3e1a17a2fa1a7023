"""Listeners of events for tests: python-socketio's own client, and a bare WebSocket."""

from __future__ import annotations

import queue
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import socketio
import websocket

PATIENCE = 20.0
QUIET = 0.7


class EventClient:
    """A client that has subscribed, and what came to it."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self._came: queue.Queue[Mapping[str, Any]] = queue.Queue()
        self.ended: queue.Queue[str] = queue.Queue()
        client.on("event", self._came.put)
        client.on("disconnect", self.ended.put)

    def event(self) -> Mapping[str, Any]:
        """The next event."""
        return self._came.get(timeout=PATIENCE)

    def until(self, *types: str) -> list[Mapping[str, Any]]:
        """The events up to the first one of each of these types."""
        left, found = set(types), list[Mapping[str, Any]]()
        while left:
            found.append(self.event())
            left.discard(found[-1]["event_type"])
        return found

    def rest(self) -> list[Mapping[str, Any]]:
        """What comes for a moment more."""
        time.sleep(QUIET)
        return [self._came.get_nowait() for _ in range(self._came.qsize())]


@contextmanager
def listening(origin: str, *patterns: str, headers: Mapping[str, str]) -> Iterator[EventClient]:
    """A client that has subscribed to patterns."""
    client = socketio.Client(reconnection=False)
    event_client, joined = EventClient(client), queue.Queue[object]()
    client.on("connected", joined.put)
    client.connect(
        origin, socketio_path="/ws", headers=dict(headers), transports=["websocket"], wait_timeout=PATIENCE
    )
    # The library leaves it open where the service ends the connection.
    connection = client.eio.ws.sock
    try:
        joined.get(timeout=PATIENCE)
        for pattern in patterns:
            client.call("subscribe_events", {"subscription": pattern}, timeout=PATIENCE)
        yield event_client
    finally:
        client.disconnect()
        connection.close()


@contextmanager
def bare(origin: str, *headers: str, query: str = "EIO=4&transport=websocket") -> Iterator[Any]:
    """A WebSocket, past its handshake. Raises WebSocketBadStatusException."""
    host, _, port = origin.removeprefix("http://").partition(":")
    # The library leaves a connection open whose handshake was refused.
    with socket.create_connection((host, int(port)), PATIENCE) as connection:
        wire = websocket.create_connection(
            f"ws://{host}:{port}/ws/?{query}", header=list(headers), timeout=PATIENCE, suppress_origin=True,
            socket=connection,
        )  # fmt: skip
        try:
            yield wire
        finally:
            wire.close()


def refusal(origin: str, *headers: str, query: str = "EIO=4&transport=websocket") -> int:
    """The status of a handshake that is refused; 101 where it is not."""
    try:
        with bare(origin, *headers, query=query):
            return 101
    except websocket.WebSocketBadStatusException as refused:
        return int(refused.status_code)


def heard_at_last(look: Callable[[], bool]) -> bool:
    """Whether something is so within a while."""
    until = time.monotonic() + PATIENCE
    while not look():
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True
