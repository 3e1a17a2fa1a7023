"""Packets of Engine.IO 4 and Socket.IO 5, read and written by their own libraries."""

from __future__ import annotations

from typing import Any, NamedTuple

import engineio.packet as engine
import socketio.packet as socket

PING_SECONDS = 25.0
PONG_SECONDS = 20.0
LARGEST = 16 << 10
"""Maximum bytes of a message from a client."""
HERE = (None, "/")


class Unreadable(Exception):
    """Data that is not a packet, or not one of a client of events."""


class Said(NamedTuple):
    """A client's message: `connect`, `disconnect`, `pong`, `nothing`, or an event's name with its data.

    `ack`: the number for the acknowledgement. `elsewhere`: another namespace that it is for.
    """

    name: str
    data: Any = None
    ack: int | None = None
    is_event: bool = False
    elsewhere: str | None = None


NOTHING = Said("nothing")


def read(text: str) -> Said:
    """Return the client's message in a packet. Raise Unreadable."""
    try:
        packet = engine.Packet(encoded_packet=text)
        if packet.packet_type != engine.MESSAGE:
            return Said("pong") if packet.packet_type == engine.PONG else _other(packet.packet_type)
        # Engine.IO's library may have parsed the data as JSON, but Socket.IO's parses it itself.
        return _message_of(socket.Packet(encoded_packet=text[1:]))
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        raise Unreadable("this is not a packet of Socket.IO") from None


def opening(sid: str) -> str:
    """Return the first packet of a connection."""
    facts = {
        "sid": sid,
        "upgrades": [],
        "pingInterval": int(PING_SECONDS * 1000),
        "pingTimeout": int(PONG_SECONDS * 1000),
        "maxPayload": LARGEST,
    }
    return str(engine.Packet(engine.OPEN, facts).encode())


def ping() -> str:
    """Return the packet that a client must answer at once."""
    return str(engine.Packet(engine.PING).encode())


def connection(sid: str) -> str:
    """Return the reply to a client that has joined."""
    return _message(socket.Packet(socket.CONNECT, {"sid": sid}))


def not_there(namespace: str) -> str:
    """Return the reply to a client that wants to join another namespace."""
    return _message(
        socket.Packet(socket.CONNECT_ERROR, {"message": "events have no namespace"}, namespace=namespace)
    )


def event(name: str, data: Any) -> str:
    """Return the packet of an event."""
    return _message(socket.Packet(socket.EVENT, [name, data], binary=False))


def acknowledgement(number: int, data: Any) -> str:
    """Return the acknowledgement that a client asked for."""
    return _message(socket.Packet(socket.ACK, [data], id=number, binary=False))


def _message(packet: Any) -> str:
    return str(engine.Packet(engine.MESSAGE, packet.encode()).encode())


def _other(packet_type: int) -> Said:
    """Return the meaning of a packet that is not a message."""
    if packet_type == engine.CLOSE:
        return Said("disconnect")
    if packet_type == engine.NOOP:
        return NOTHING
    raise Unreadable("a client of events sends no such packet")


def _message_of(packet: Any) -> Said:
    if packet.packet_type == socket.CONNECT:
        return Said("connect", elsewhere=None if packet.namespace in HERE else packet.namespace)
    if packet.packet_type == socket.DISCONNECT:
        return Said("disconnect")
    if packet.packet_type == socket.EVENT and packet.namespace in HERE and isinstance(packet.data, list):
        name, *data = packet.data
        return Said(str(name), data[0] if data else None, packet.id, is_event=True)
    raise Unreadable("a client of events sends no such packet")
