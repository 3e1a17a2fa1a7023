"""The application as the server knows it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, Protocol

Environ = dict[str, Any]


class Claimant(NamedTuple):
    """The assumed sender of a request: the address it is counted for, and its unverified credential."""

    address: str
    credential: str = ""


class Occupancy(NamedTuple):
    """The present load of a worker.

    It is open connections, requests that a thread answers, those that wait for a thread, and bytes of
    unfinished requests and unsent responses.
    """

    connections: int
    at_work: int
    waiting: int
    buffered: int


class SwitchedWire(Protocol):
    """Server side of a connection that has changed its protocol; safe for all threads."""

    @property
    def unsent(self) -> int:
        """The bytes in our buffer that are not sent yet."""

    def put(self, data: bytes) -> None:
        """Send bytes; they are lost if the connection is closed."""

    def close(self) -> None:
        """Send the buffered bytes, then close the connection."""


class SwitchedProtocol(Protocol):
    """Handler of a connection after its protocol was changed; called on the loop, must not block.

    A request for a change has `curlew.switch` in its environment: the application calls it with such a
    handler, and responds with status 101.
    """

    def begin(self, wire: SwitchedWire) -> None:
        """Take over a connection, before anything is read."""

    def receive(self, data: bytes) -> None:
        """Process received bytes."""

    def tick(self, now: float) -> None:
        """Do what is due at `now` (monotonic); called about once a second."""

    def end(self) -> None:
        """Note that the connection is closed, or was never switched; called at least once."""


class ServedApplication(Protocol):
    """An application (PEP 3333), which is called in request threads only.

    `claimant` and `refuse` are pure functions that the loop calls, so they must not block. `constants`:
    headers and bodies that the loop itself sends for plain GETs of some targets.
    """

    @property
    def constants(self) -> Mapping[str, bytes]: ...

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer a request."""

    def claimant(self, environ: Environ) -> Claimant:
        """Return the address and the credential for which a request is counted."""

    def refuse(self, word: str, detail: str) -> bytes:
        """Return the whole response to an invalid request; `word` names the error (`refusals`)."""

    def stop(self) -> None:
        """End long responses, because the process is stopping."""
