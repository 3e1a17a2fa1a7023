"""The application as the server knows it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, Protocol

Environ = dict[str, Any]


class Claimant(NamedTuple):
    """The seeming sender of a request: the address it is counted for, and the credential it shows."""

    address: str
    credential: str = ""


class Occupancy(NamedTuple):
    """The work that a worker has in hand at a moment.

    It is open connections, requests that a thread answers, those that wait for a thread, and bytes of
    unfinished requests and unsent answers.
    """

    connections: int
    at_work: int
    waiting: int
    buffered: int


class SwitchedWire(Protocol):
    """Our side of a connection that has changed its protocol; any thread may use it."""

    @property
    def unsent(self) -> int:
        """The bytes that its client has not taken yet, as far as they are kept here."""
        ...

    def put(self, data: bytes) -> None:
        """Send bytes; they are lost where the connection is over."""
        ...

    def close(self) -> None:
        """Send what was put, and end the connection."""
        ...


class SwitchedProtocol(Protocol):
    """Dealings with a connection once its protocol was changed; called on the loop, waits for nothing.

    A request that asks for it has `curlew.switch` in its environment: the application calls that with such
    a protocol, and answers with status 101.
    """

    def begin(self, wire: SwitchedWire) -> None:
        """Go on with a connection, before anything is read."""
        ...

    def receive(self, data: bytes) -> None:
        """Take in what came."""
        ...

    def tick(self, now: float) -> None:
        """Do what is due at a moment (monotonic); called about once a second."""
        ...

    def end(self) -> None:
        """Note that the connection is over, or never began; called once at least."""
        ...


class ServedApplication(Protocol):
    """An application (PEP 3333), called in threads of requests alone.

    `claimant` and `refuse` are functions of what they are given: the loop calls them, so they wait for
    nothing. `constants`: the headers and bodies of plain GETs of some targets, sent by the loop itself.
    """

    @property
    def constants(self) -> Mapping[str, bytes]: ...

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer a request."""
        ...

    def claimant(self, environ: Environ) -> Claimant:
        """The address and the credential that a request is counted for."""
        ...

    def refuse(self, word: str, detail: str) -> bytes:
        """The whole answer to what never became a request; `word` says what is wrong with it (`refusals`)."""
        ...

    def stop(self) -> None:
        """End answers that go on for long, as the process is to end."""
        ...
