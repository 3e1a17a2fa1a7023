"""The connections of a worker: the stage of each one, and their number for each address."""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Iterable, Iterator
from enum import Enum
from operator import attrgetter
from typing import Any

from handlers.server.application import Environ, SwitchedProtocol
from handlers.server.framing.assembly import RequestAssembly
from handlers.server.limits import ClientLimits
from handlers.server.send_buffer import SendBuffer


class Stage(Enum):
    """The stages of a connection."""

    READING = "reading"
    SERVING = "serving"
    SENDING = "sending"
    DRAINING = "draining"
    SWITCHED = "switched"


class ClientConnection:
    """One connection; only the loop changes it, except for the send buffer.

    `deadline` is for reading and draining; a body has its own one once `awaits_body` is set. `mask` is the
    events that the loop watches, `kept` the bytes counted in the budget. `switched` handles the connection
    after a change of protocol.
    """

    __slots__ = (
        "address",
        "assembly",
        "awaits_body",
        "deadline",
        "environ",
        "file",
        "goes_on",
        "is_long",
        "kept",
        "mask",
        "send_buffer",
        "stage",
        "switched",
        "thrown",
        "wire",
    )

    def __init__(
        self,
        wire: socket.socket,
        address: str,
        assembly: RequestAssembly,
        send_buffer: SendBuffer,
        environ: Environ,
    ) -> None:
        self.wire = wire
        self.file = wire.fileno()
        self.address = address
        self.assembly = assembly
        self.send_buffer = send_buffer
        self.environ = environ
        self.stage = Stage.READING
        self.switched: SwitchedProtocol | None = None
        self.deadline = 0.0
        self.mask = 0
        self.kept = 0
        self.thrown = 0
        self.goes_on = False
        self.is_long = False
        self.awaits_body = False

    @property
    def is_idle(self) -> bool:
        """Whether no part of a request has arrived."""
        return self.stage is Stage.READING and self.assembly.is_empty

    @property
    def bytes_kept(self) -> int:
        """The bytes in memory of its request and response; 0 while a thread is at work."""
        return 0 if self.stage is Stage.SERVING else self.kept + self.send_buffer.size

    def close(self) -> None:
        """Close the connection and its send buffer."""
        self.send_buffer.close()
        self.end_switched()
        with contextlib.suppress(OSError):
            self.wire.close()

    def end_switched(self) -> None:
        """Notify the handler of the changed protocol that the connection is closed."""
        if self.switched is not None:
            self.switched.end()


class ConnectionTable:
    """All connections of a worker, and those of each address in the order of their arrival."""

    def __init__(self, limits: ClientLimits) -> None:
        self._limits = limits
        self._by_address: dict[str, dict[ClientConnection, None]] = {}
        self._number = 0

    def __len__(self) -> int:
        return self._number

    def __iter__(self) -> Iterator[ClientConnection]:
        return iter([one for group in self._by_address.values() for one in group])

    def add(self, connection: ClientConnection) -> None:
        """Add a connection."""
        self._by_address.setdefault(connection.address, {})[connection] = None
        self._number += 1

    def remove(self, connection: ClientConnection) -> bool:
        """Remove a connection; return whether it was there."""
        group = self._by_address.get(connection.address, {})
        if connection not in group:
            return False
        del group[connection]
        if not group:
            del self._by_address[connection.address]
        self._number -= 1
        return True

    def is_full_for(self, address: str) -> bool:
        """Return whether a further connection of an address would exceed a limit."""
        return self._number >= self._limits.connections or self._has_its_share(address)

    def find_victim(self, address: str) -> ClientConnection | None:
        """Return the connection to close for a new one.

        It is the oldest connection without a complete request: of the same address if that has reached its
        limit, else of the address with the most connections. If all have complete requests, it is the one
        whose client has received nothing for the longest time.
        """
        group: Any = self._by_address.get(address, {})
        if not self._has_its_share(address):
            group = max(self._by_address.values(), key=len, default={})
        waiting = (one for one in group if one.stage in (Stage.READING, Stage.DRAINING))
        return next(waiting, None) or self._find_slowest_reader(group)

    def find_hoarder(self) -> ClientConnection | None:
        """Return the connection that uses most memory for requests and responses; None if all use none."""
        most = max(self, key=attrgetter("bytes_kept"), default=None)
        return most if most is not None and most.bytes_kept else None

    def _has_its_share(self, address: str) -> bool:
        of_address = len(self._by_address.get(address, ()))
        is_front = not address or address in self._limits.fronts
        return of_address >= self._limits.connections_address and not is_front

    def _find_slowest_reader(self, group: Iterable[ClientConnection]) -> ClientConnection | None:
        """Return the connection whose client has received nothing for longest, if over `stalled` seconds."""
        readers = [one for one in group if one.stage is Stage.SENDING and not one.send_buffer.is_empty]
        slowest = min(readers, key=attrgetter("send_buffer.moved"), default=None)
        is_slow = slowest is not None and time.monotonic() - slowest.send_buffer.moved > self._limits.stalled
        return slowest if is_slow else None
