"""Listener: one connection to which events are sent, and its client's messages."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from handlers.events import packets
from handlers.events.frames import AWAY, NORMAL, REFUSED, Ended, Frames
from handlers.events.packets import PING_SECONDS, PONG_SECONDS, Said, Unreadable
from handlers.rules.event_patterns import EventPattern, parse
from handlers.server.application import SwitchedWire
from vfs.errors import Invalid, VfsError

MOST_PATTERNS = 64
MOST_UNSENT = 64 << 10
"""Bytes of unsent events above which a slow client misses further ones."""
JOIN_SECONDS = 20.0
SUBSCRIBE, UNSUBSCRIBE = "subscribe_events", "unsubscribe_events"


class Subscriptions(Protocol):
    """The subscriptions of all connections of a process."""

    def add(self, pattern: EventPattern, listener: Listener) -> None:
        """Subscribe a listener to a pattern."""

    def remove(self, pattern: EventPattern, listener: Listener) -> None:
        """Remove a listener's subscription to a pattern."""


class Listener:
    """A connection that events are sent to (handlers.server.application.SwitchedProtocol).

    The loop calls it, and the thread of events calls `send` and `miss`. `user` is its account. `over` is
    called once it has ended. Each event has the next number in `seq`: a gap means that some were lost.
    """

    def __init__(self, user: str, subscriptions: Subscriptions, over: Callable[[Listener], object]) -> None:
        self.user = user
        self._subscriptions, self._over = subscriptions, over
        self._frames = Frames(packets.LARGEST)
        self._patterns: dict[EventPattern, str] = {}
        self._wire: SwitchedWire | None = None
        # Guards all fields below, and the frames: two threads send.
        self._lock = threading.RLock()
        self._sequence = 0
        self._is_joined = self._is_over = False
        self._due, self._awaits_pong = 0.0, False

    def begin(self, wire: SwitchedWire) -> None:
        """Open the connection."""
        self._wire = wire
        self._due = time.monotonic() + JOIN_SECONDS
        self._send(packets.opening(secrets.token_urlsafe(15)))
        with self._lock:
            ended = self._is_over
        if ended:
            wire.close()

    def receive(self, data: bytes) -> None:
        """Process data from the client."""
        try:
            for one in self._frames.take(data):
                if isinstance(one, bytes):
                    self._put(one)
                elif not self._is_over:
                    self._receive(packets.read(one))
        except Ended as ended:
            self._put(ended.frame)
            self._part()
        except Unreadable as refusal:
            self.close(REFUSED, str(refusal))

    def tick(self, now: float) -> None:
        """Ping the client, or close the connection if it does not answer."""
        if now < self._due or self._is_over:
            return
        if not self._is_joined:
            self.close(REFUSED, "the client did not join in time")
        elif self._awaits_pong:
            self.close(AWAY, "a ping was not answered in time")
        else:
            self._awaits_pong, self._due = True, now + PONG_SECONDS
            self._send(packets.ping())

    def end(self) -> None:
        """Mark the connection as ended."""
        with self._lock:
            if self._is_over:
                return
            self._is_over = True
            patterns, self._patterns = self._patterns, {}
        for pattern in patterns:
            self._subscriptions.remove(pattern, self)
        self._over(self)

    def close(self, code: int, reason: str) -> None:
        """End the connection with a reason."""
        with self._lock:
            self._put(self._frames.close(code, reason))
        self._part()

    def send(self, pattern: EventPattern, event: Mapping[str, Any]) -> None:
        """Send an event that matches a pattern, unless the client is too slow to receive it."""
        with self._lock:
            self._sequence += 1
            if self._wire is None or self._is_over or self._wire.unsent > MOST_UNSENT:
                return
            facts = {"subscription": self._patterns.get(pattern, ""), **event, "seq": self._sequence}
            self._send(packets.event("event", facts))

    def miss(self) -> None:
        """Leave a gap in the numbers, for events that may have been lost."""
        with self._lock:
            self._sequence += 1

    def _receive(self, said: Said) -> None:
        if said.name == "connect" and not said.is_event:
            self._join(said)
        elif said.name == "disconnect" and not said.is_event:
            self.close(NORMAL, "")
        elif said.name == "pong" and not said.is_event:
            self._awaits_pong, self._due = False, time.monotonic() + PING_SECONDS
        elif said.is_event and not self._is_joined:
            raise Unreadable("join before you subscribe")
        elif said.is_event and said.name in (SUBSCRIBE, UNSUBSCRIBE):
            self._change(said)

    def _join(self, said: Said) -> None:
        """Join the client, once."""
        if said.elsewhere is not None:
            self._send(packets.not_there(said.elsewhere))
        elif not self._is_joined:
            self._is_joined, self._due = True, time.monotonic() + PING_SECONDS
            self._send(packets.connection(secrets.token_urlsafe(15)))
            self._send(packets.event("connected", {"user": self.user, "seq": self._sequence}))

    def _change(self, said: Said) -> None:
        """Add or remove a subscription. The client gets any error in it."""
        sent = said.data.get("subscription") if isinstance(said.data, dict) else said.data
        try:
            pattern = parse(sent)
            (self._subscribe if said.name == SUBSCRIBE else self._unsubscribe)(pattern, str(sent))
        except VfsError as refusal:
            facts = {"subscription": sent if isinstance(sent, str) else "", "reason": refusal.detail}
            self._send(packets.event("subscribe_error", facts))
        else:
            facts = {"subscription": str(sent)}
        if said.ack is not None:
            self._send(packets.acknowledgement(said.ack, facts))

    def _subscribe(self, pattern: EventPattern, text: str) -> None:
        with self._lock:
            if len(self._patterns) >= MOST_PATTERNS and pattern not in self._patterns:
                raise Invalid(f"a connection has at most {MOST_PATTERNS} subscriptions: use * for any name")
            if self._is_over:
                return
            self._patterns.setdefault(pattern, text)
            self._subscriptions.add(pattern, self)

    def _unsubscribe(self, pattern: EventPattern, text: str) -> None:
        with self._lock:
            if self._patterns.pop(pattern, None) is not None:
                self._subscriptions.remove(pattern, self)

    def _send(self, packet: str) -> None:
        with self._lock:
            self._put(self._frames.text(packet))

    def _put(self, frame: bytes) -> None:
        if self._wire is not None and frame:
            self._wire.put(frame)

    def _part(self) -> None:
        self.end()
        if self._wire is not None:
            self._wire.close()
