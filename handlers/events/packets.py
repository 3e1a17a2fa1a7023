"""Packets of Engine.IO 4 and Socket.IO 5, as their own libraries read and write them."""

from __future__ import annotations

from typing import Any, NamedTuple

import engineio.packet as engine
import socketio.packet as socket

PING_SECONDS = 25.0
PONG_SECONDS = 20.0
LARGEST = 16 << 10
"""Bytes of a message from a client."""
HERE = (None, "/")


class Unreadable(Exception):
    """What was sent is no packet, or none that a client of events sends."""


class Said(NamedTuple):
    """What a client says: `connect`, `disconnect`, `pong`, `nothing`, or an event's name with its data.

    `ack`: the number under which it wants to be answered. `elsewhere`: it means another namespace.
    """

    name: str
    data: Any = None
    ack: int | None = None
    is_event: bool = False
    elsewhere: str | None = None


NOTHING = Said("nothing")


def read(text: str) -> Said:
    """What a client says with a packet. Raises Unreadable."""
    try:
        packet = engine.Packet(encoded_packet=text)
        if packet.packet_type != engine.MESSAGE:
            return Said("pong") if packet.packet_type == engine.PONG else _other(packet.packet_type)
        # The library of Engine.IO may have read the data as JSON; that of Socket.IO reads it itself.
        return _said(socket.Packet(encoded_packet=text[1:]))
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        raise Unreadable("this is no packet of Socket.IO") from None


def opening(sid: str) -> str:
    """The packet by which a connection begins."""
    told = {
        "sid": sid,
        "upgrades": [],
        "pingInterval": int(PING_SECONDS * 1000),
        "pingTimeout": int(PONG_SECONDS * 1000),
        "maxPayload": LARGEST,
    }
    return str(engine.Packet(engine.OPEN, told).encode())


def ping() -> str:
    """The packet that a client answers at once."""
    return str(engine.Packet(engine.PING).encode())


def connected(sid: str) -> str:
    """The answer to a client that has joined."""
    return _message(socket.Packet(socket.CONNECT, {"sid": sid}))


def not_there(namespace: str) -> str:
    """The answer to a client that wants to join another namespace."""
    return _message(
        socket.Packet(socket.CONNECT_ERROR, {"message": "events have no namespace"}, namespace=namespace)
    )


def event(name: str, data: Any) -> str:
    """An event."""
    return _message(socket.Packet(socket.EVENT, [name, data], binary=False))


def acknowledged(number: int, data: Any) -> str:
    """The answer to a client that asked for one."""
    return _message(socket.Packet(socket.ACK, [data], id=number, binary=False))


def _message(packet: Any) -> str:
    return str(engine.Packet(engine.MESSAGE, packet.encode()).encode())


def _other(packet_type: int) -> Said:
    """What a client says with a packet that is no message."""
    if packet_type == engine.CLOSE:
        return Said("disconnect")
    if packet_type == engine.NOOP:
        return NOTHING
    raise Unreadable("a client of events sends no such packet")


def _said(packet: Any) -> Said:
    if packet.packet_type == socket.CONNECT:
        return Said("connect", elsewhere=None if packet.namespace in HERE else packet.namespace)
    if packet.packet_type == socket.DISCONNECT:
        return Said("disconnect")
    if packet.packet_type == socket.EVENT and packet.namespace in HERE and isinstance(packet.data, list):
        name, *data = packet.data
        return Said(str(name), data[0] if data else None, packet.id, is_event=True)
    raise Unreadable("a client of events sends no such packet")
