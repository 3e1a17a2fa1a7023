"""Acceptor: connections come in, in place of the slowest ones where there are too many."""

from __future__ import annotations

import contextlib
import errno
import socket
from collections.abc import Callable
from typing import Any

from handlers.server.connections import ClientConnection, ConnectionTable
from handlers.server.refusals import CONNECTIONS, Refusals

AT_ONCE = 32
NO_FILES = frozenset({errno.EMFILE, errno.ENFILE})
FULL = "the service has as many connections as it may have: try again soon"


class Acceptor:
    """Accepts connections, which `begin` is given with the addresses of both ends; `drop` closes one."""

    def __init__(
        self,
        table: ConnectionTable,
        begin: Callable[[socket.socket, Any, Any], object],
        drop: Callable[[ClientConnection], object],
        refusals: Refusals,
    ) -> None:
        self._table = table
        self._begin = begin
        self._drop = drop
        self._refusals = refusals

    def accept(self, listener: socket.socket, events: int) -> None:
        """Accept the connections that wait."""
        for _ in range(AT_ONCE):
            try:
                wire, peer = listener.accept()
            except BlockingIOError:
                return
            except OSError as error:
                if error.errno in NO_FILES:
                    self._make_room("")
                return
            wire.setblocking(False)
            if wire.family != socket.AF_UNIX:
                wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._admit(wire, peer, listener.getsockname())

    def _admit(self, wire: socket.socket, peer: Any, here: Any) -> None:
        """Let a connection in, if there is room for it or another one makes room."""
        address = peer[0] if isinstance(peer, tuple) else ""
        if self._table.is_full_for(address) and not self._make_room(address):
            with contextlib.suppress(OSError), wire:
                wire.send(self._refusals.answer(CONNECTIONS, FULL))
            return
        self._begin(wire, peer, here)

    def _make_room(self, address: str) -> bool:
        """Close a connection for one of an address; whether there was one to be closed."""
        victim = self._table.find_victim(address)
        if victim is not None:
            self._refusals.note_closed(CONNECTIONS)
            self._drop(victim)
        return victim is not None
