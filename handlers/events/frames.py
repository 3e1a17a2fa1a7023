"""Frames of WebSocket (RFC 6455), read and written by wsproto, with limits on the input."""

from __future__ import annotations

import base64
import time
from collections.abc import Iterator, Mapping
from typing import Any

from wsproto.connection import Connection, ConnectionState, ConnectionType
from wsproto.events import AcceptConnection, CloseConnection, Message, Ping, TextMessage
from wsproto.handshake import H11Handshake
from wsproto.utilities import LocalProtocolError, RemoteProtocolError, generate_accept_token

from vfs.errors import Invalid

HANDSHAKE = {
    "HTTP_HOST": b"host",
    "HTTP_UPGRADE": b"upgrade",
    "HTTP_CONNECTION": b"connection",
    "HTTP_SEC_WEBSOCKET_KEY": b"sec-websocket-key",
    "HTTP_SEC_WEBSOCKET_VERSION": b"sec-websocket-version",
}
NORMAL, AWAY, PROTOCOL, NO_TEXT, REFUSED, TOO_LARGE = 1000, 1001, 1002, 1003, 1008, 1009
KEY_BYTES = 16
BURST = 48 << 10
"""Bytes that a client may send at once. A client of events sends few."""
BYTES_A_SECOND = 1 << 10


class Ended(Exception):
    """The connection ends: `frame` is what is sent last."""

    def __init__(self, frame: bytes) -> None:
        super().__init__("the connection ends")
        self.frame = frame


def accept(environ: Mapping[str, Any]) -> str:
    """Return the token that accepts the handshake of a request (RFC 6455 section 4.2). Raise Invalid."""
    key = str(environ.get("HTTP_SEC_WEBSOCKET_KEY", ""))
    headers = [
        (name, str(environ[sent]).encode("latin-1")) for sent, name in HANDSHAKE.items() if sent in environ
    ]
    try:
        handshake = H11Handshake(ConnectionType.SERVER)
        handshake.initiate_upgrade_connection(headers, "/ws/")
        handshake.send(AcceptConnection())
        if len(base64.b64decode(key, validate=True)) != KEY_BYTES:
            raise ValueError
    except (RemoteProtocolError, LocalProtocolError, ValueError):
        raise Invalid(
            "events are sent over WebSocket only: ask for them with a client of Socket.IO, "
            "and have proxies pass the headers Upgrade and Connection on"
        ) from None
    return generate_accept_token(key.encode()).decode()


class Frames:
    """The frames of one connection, without extensions such as compression.

    A received message may have at most `largest` bytes.
    """

    __slots__ = ("_connection", "_largest", "_left", "_parts", "_seen", "_size")

    def __init__(self, largest: int) -> None:
        self._connection = Connection(ConnectionType.SERVER)
        self._largest = largest
        self._parts: list[str] = []
        self._size = 0
        self._left, self._seen = float(BURST), time.monotonic()

    def text(self, text: str) -> bytes:
        """Return the frame of a text; empty once the connection is closing."""
        return self._send(TextMessage(text))

    def close(self, code: int, reason: str) -> bytes:
        """Return the frame that ends the connection; empty if it has ended."""
        return self._send(CloseConnection(code, reason[:120]))

    def take(self, data: bytes) -> Iterator[str | bytes]:
        """Read data: yield whole texts, and frames (bytes) to send in reply. Raise Ended."""
        self._count(len(data))
        self._connection.receive_data(data)
        for event in self._connection.events():
            if isinstance(event, TextMessage):
                yield from self._text(event)
            elif isinstance(event, Ping):
                yield self._send(event.response())
            elif isinstance(event, CloseConnection):
                raise Ended(self._answer_close(event))
            elif isinstance(event, Message):
                raise Ended(self.close(NO_TEXT, "send texts"))

    def _text(self, event: TextMessage) -> Iterator[str]:
        self._size += len(event.data.encode())
        if self._size > self._largest:
            raise Ended(self.close(TOO_LARGE, f"a message has at most {self._largest} bytes"))
        if event.data:
            self._parts.append(event.data)
        if event.message_finished:
            text, self._parts, self._size = "".join(self._parts), [], 0
            yield text

    def _answer_close(self, event: CloseConnection) -> bytes:
        """Return the reply to a close, with the client's code or the code of a protocol error."""
        if self._connection.state is ConnectionState.REMOTE_CLOSING:
            return self._send(event.response())
        return self.close(event.code or PROTOCOL, event.reason or "")

    def _count(self, size: int) -> None:
        now = time.monotonic()
        self._left = min(BURST, self._left + (now - self._seen) * BYTES_A_SECOND) - size
        self._seen = now
        if self._left < 0:
            raise Ended(self.close(REFUSED, "too much data from the client: this connection sends events"))

    def _send(self, event: Any) -> bytes:
        try:
            return self._connection.send(event)
        except LocalProtocolError:
            return b""
