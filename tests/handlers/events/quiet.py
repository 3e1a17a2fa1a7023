"""Listeners and wires of tests: what is sent is kept to be looked at."""

from __future__ import annotations

from dataclasses import dataclass, field

from wsproto import ConnectionType
from wsproto.connection import Connection
from wsproto.events import CloseConnection, Event, TextMessage

from handlers.events.hub import PatternIndex
from handlers.events.listener import Listener


@dataclass
class KeptWire:
    """A wire whose client takes nothing, unless `takes`."""

    takes: bool = True
    sent: list[bytes] = field(default_factory=list)
    is_closed: bool = False

    @property
    def unsent(self) -> int:
        return 0 if self.takes else sum(map(len, self.sent))

    def put(self, data: bytes) -> None:
        self.sent.append(data)

    def close(self) -> None:
        self.is_closed = True


class Peer:
    """The client of a listener, by wsproto's own client side."""

    def __init__(self, wire: KeptWire) -> None:
        self.wire = wire
        self._frames = Connection(ConnectionType.CLIENT)

    def frame(self, event: Event | str) -> bytes:
        """The bytes of a text or of an event of the protocol."""
        return self._frames.send(TextMessage(event) if isinstance(event, str) else event)

    def read(self) -> list[str | CloseConnection]:
        """The texts and the close that have come since."""
        for data in self.wire.sent:
            self._frames.receive_data(data)
        self.wire.sent.clear()
        return [
            one.data if isinstance(one, TextMessage) else one
            for one in self._frames.events()
            if isinstance(one, TextMessage | CloseConnection)
        ]


def listener(index: PatternIndex | None = None) -> Listener:
    """A listener of alice's."""
    return Listener("alice", index or PatternIndex(), lambda one: None)
