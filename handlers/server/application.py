"""The application as the server knows it: what it is asked about requests, and by what it shares a commit."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple, Protocol

Environ = dict[str, Any]
OnWait = Callable[[bool], object]
IsOpen = Callable[[], bool]
ON_LOOP = "curlew.loop"
"""In the environment of a request: it is answered on the loop, where nothing may wait."""


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


class Pace(Enum):
    """The time that the answer to a request takes, as far as its method and path tell."""

    INSTANT = "waits for nothing at all"
    QUICK = "waits for nothing but a short look into the database, as a rule"
    GROUPABLE = "a short write, which may share a transaction with others"
    SLOW = "may wait for anything"


class WouldWait(BaseException):
    """Raised by an application on the loop whose answer has to wait after all; a thread makes it anew."""


class SharedTransaction(Protocol):
    """Opens a transaction for the writes of requests, one where there are `several`."""

    def __call__(self, on_wait: OnWait, *, several: bool) -> AbstractContextManager[IsOpen]:
        """A look at whether it is still open; `on_wait` is called before a sync (True) or a lock (False)."""
        ...


@dataclass(frozen=True, slots=True)
class Grouping:
    """The application's means of answering requests in one transaction.

    `afterwards`: makes a call once the open transaction is durable, or at once if none is open.
    """

    together: SharedTransaction
    afterwards: Callable[[Callable[[], None]], None]


class LogLines(Protocol):
    """Lines of a log that are gathered, to be written in batches."""

    def gather(self, gathers: bool) -> None:
        """Begin or cease to gather lines."""
        ...

    def flush(self) -> None:
        """Write what was gathered."""
        ...


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
    """An application (PEP 3333) that tells the server what it needs to know of requests.

    `lines` are those of its access log (None: it has none to gather), `grouping` is None where no requests
    share a transaction.
    """

    @property
    def lines(self) -> LogLines | None: ...

    @property
    def grouping(self) -> Grouping | None: ...

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer a request. Raises WouldWait on the loop (ON_LOOP), before anything was changed or begun."""
        ...

    def pace(self, environ: Environ) -> Pace:
        """Tell how long the answer to a request takes; asked once, before it is answered."""
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
