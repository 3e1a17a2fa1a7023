"""The rendering service on a socket of the data folder, and the renderer that uses it."""

from __future__ import annotations

import errno
import json
import socket
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from chains.files.folder_lock import make_folder
from handlers.rendering.connection import (
    LARGEST_HEAD,
    BrokenMessage,
    TimedConnection,
    read_message,
    read_parts,
    read_sizes,
    short_address,
    write_message,
    write_parts,
)
from handlers.rendering.port import (
    Renderer,
    RendererBusy,
    RenderFailed,
    Rendering,
    RenderOrder,
    fault_fields,
    rendering_of,
)
from handlers.rendering.render_process import PATIENCE, STARTS_WITHIN
from vfs.cause import caused_by

SOCKET = "render/socket"
"""The socket is in a separate folder, so that the service needs no access to other files."""
ANSWERS_WITHIN = 5.0
"""Maximum seconds in which a working service reports its state."""
STATE = {"ask": "state"}
PASSING = {errno.ECONNABORTED, errno.EINTR, errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}
"""Errors of accept(2) after which the next connection may be accepted."""


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """Maximum connections and bytes of orders at a time; seconds to receive an order and to send a render."""

    connections: int = 512
    size: int = 512 << 20
    order_seconds: float = 15.0
    answer_seconds: float = 30.0


class Allowance:
    """A limited amount that is shared in the order of requests, without waiting."""

    def __init__(self, amount: int) -> None:
        self._amount = amount
        self._lock = threading.Lock()
        self.taken = 0

    def take(self, share: int) -> bool:
        """Take a share; return whether enough was left."""
        with self._lock:
            enough = self.taken + share <= self._amount
            self.taken += share if enough else 0
        return enough

    def restore(self, share: int) -> None:
        """Return a share."""
        with self._lock:
            self.taken -= share


class RenderServer:
    """Answers one order for each connection; only the service's account may connect.

    While it `is_starting` it does not report its state; orders are accepted, and wait.
    """

    def __init__(self, path: Path, renderer: Renderer, limits: ServerLimits = ServerLimits()) -> None:
        self._path, self._renderer, self._limits = path, renderer, limits
        self._connections, self._sizes = Allowance(limits.connections), Allowance(limits.size)
        self._orders = Allowance(limits.connections)
        self.is_starting = False
        make_folder(path.parent)
        path.unlink(missing_ok=True)
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        with short_address(path) as address:
            self._listener.bind(address)
        path.chmod(0o600)
        self._listener.listen(limits.connections)

    def __enter__(self) -> RenderServer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.shutdown()
        self._path.unlink(missing_ok=True)
        self._listener.close()

    def serve_forever(self) -> None:
        """Answer until `shutdown`; connections above the maximum are closed at once."""
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError as error:
                if error.errno not in PASSING:
                    return
                continue
            if not self._connections.take(1):
                connection.close()
                continue
            thread = threading.Thread(target=self._serve, args=(connection,), name="order", daemon=True)
            try:
                thread.start()
            except RuntimeError:
                self._connections.restore(1)
                connection.close()

    def shutdown(self) -> None:
        """Stop accepting connections."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)

    def _serve(self, connection: socket.socket) -> None:
        """Answer one connection; ignore a client that left or sends no complete order in time."""
        pipe = TimedConnection(connection, self._limits.order_seconds)
        try:
            with connection, suppress(BrokenMessage, OSError):
                head, body = self._answer(pipe)
                pipe.allow(self._limits.answer_seconds)
                write_message(pipe, head, body)
        finally:
            self._connections.restore(1)

    def _answer(self, pipe: TimedConnection) -> tuple[dict[str, Any], bytes]:
        """Return the message that answers an order. Raises BrokenMessage, OSError."""
        size = sum(sizes := read_sizes(pipe))
        if not self._sizes.take(size):
            return {"busy": "the orders in progress have reached their total size limit"}, b""
        try:
            head, _ = read_parts(pipe, *sizes)
            return self._state() if head == STATE else self._render(RenderOrder(**head))
        except TypeError as error:
            raise BrokenMessage(str(error)) from None
        finally:
            self._sizes.restore(size)

    def _state(self) -> tuple[dict[str, Any], bytes]:
        if self.is_starting:
            return {"busy": "the rendering service is starting"}, b""
        # Orders, not connections: a connection is released only after its response was read.
        return {"orders": self._orders.taken}, b""

    def _render(self, order: RenderOrder) -> tuple[dict[str, Any], bytes]:
        self._orders.take(1)
        try:
            with caused_by(order.cause):
                made = self._renderer.render(order)
        except RenderFailed as failure:
            return dict(fault_fields(failure)), b""
        except RendererBusy as refusal:
            return {"busy": str(refusal)}, b""
        finally:
            self._orders.restore(1)
        return made.head, made.body


def longest_wait(seconds: float) -> float:
    """Return the seconds that a client waits at most, for the queue and a render of `seconds`."""
    return STARTS_WITHIN + PATIENCE + seconds


class RemoteRenderer:
    """Renderer over the socket of the rendering service; waits at most `seconds` for an answer."""

    def __init__(self, path: Path, seconds: float = 120.0) -> None:
        self._path = path
        self._seconds = seconds

    def render(self, order: RenderOrder) -> Rendering:
        """Render an order. Raises RenderFailed, and RendererBusy also if no service answers."""
        text = order.message.encode()
        if len(text) > LARGEST_HEAD:
            raise RenderFailed(f"its order has {len(text):,} bytes, and the limit is {LARGEST_HEAD:,}")
        return rendering_of(*self._ask(text, self._seconds))

    def count_orders(self) -> int:
        """Return the number of the service's active orders. Raises RendererBusy if it does not answer."""
        head, _ = self._ask(json.dumps(STATE).encode(), ANSWERS_WITHIN)
        return int(head["orders"])

    def _ask(self, message: bytes, seconds: float) -> tuple[dict[str, Any], bytes]:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(seconds)
            try:
                with short_address(self._path) as address:
                    connection.connect(address)
                pipe = TimedConnection(connection, seconds)
                write_parts(pipe, message)
                head, body = read_message(pipe)
            except TimeoutError:
                raise RendererBusy(f"no answer came within {seconds:g} seconds") from None
            except (BrokenMessage, OSError) as error:
                raise RendererBusy("the rendering service does not answer") from error
        if "busy" in head:
            raise RendererBusy(str(head["busy"]))
        return head, body
