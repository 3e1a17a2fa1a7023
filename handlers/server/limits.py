"""ClientLimits: what clients may use of a worker, and budgets for slow clients."""

from __future__ import annotations

import resource
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from vfs.errors import Unavailable


class BufferBudget:
    """Counts bytes up to `most`; it is checked before more is read, and never blocks."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._taken = 0
        self._lock = threading.Lock()

    @property
    def taken(self) -> int:
        """The bytes in use."""
        return self._taken

    @property
    def is_spent(self) -> bool:
        """Whether no more may be read."""
        return self._taken >= self._most

    def take(self, size: int) -> None:
        """Count bytes that were read."""
        if size:
            with self._lock:
                self._taken += size

    def give_back(self, size: int) -> None:
        """Release bytes."""
        if size:
            with self._lock:
                self._taken -= size


class ReaderWaits:
    """At most `most` threads wait for clients; for a further one, the longest wait is cancelled.

    Responses from a file or from memory need no thread; streams do.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._waiting: dict[Callable[[], object], None] = {}

    @contextmanager
    def wait(self, give_up: Callable[[], object]) -> Iterator[None]:
        """Wait within the limit; `give_up` cancels the wait of another thread, outside of locks."""
        with self._lock:
            self._waiting[give_up] = None
            first = next(iter(self._waiting)) if len(self._waiting) > self._most else None
            if first is not None:
                del self._waiting[first]
        if first is not None:
            first()
        try:
            yield
        finally:
            with self._lock:
                self._waiting.pop(give_up, None)


KIB = 1 << 10
MIB = 1 << 20

LONGEST_LINE = 8190
LONGEST_HEADER = 16_384
MOST_HEADERS = 100
# Further open files of a worker: databases, blobs being written, pipes of git.
OTHER_FILES = 512
FEWEST = 64
"""A worker with fewer connections would turn most clients away."""


@dataclass(frozen=True, slots=True)
class ClientLimits:
    """The limits of one worker; sizes in bytes, times in seconds.

    Connections:
    * `connections`: most in all. `connections_address`: most of one address; `fronts` and local sockets are
      not counted.
    * `head`: time for a whole head. `body`: time for a small body. `silence`: time in which a client has to
      send or receive something. `stalled`: time after which a client may be closed to make room for another.
    * `idle`: time between two requests. While a worker stops, `linger`: time for another request, and
      `linger_first`: time for the first one, because a client does not expect a new connection to be closed.

    Requests:
    * `small_body`: a body up to this size is read on the loop; a longer one has to arrive with
      `slowest_body` bytes a second. `longest_head`: a longer head is refused.
    * `buffers`: most bytes of unfinished requests and unsent responses of all connections. `send_buffer`:
      most bytes that a thread may leave unsent on one connection.
    * `unread`: bytes of a refused body that are read and dropped within `unread_seconds`.
    * `requests`: most at work or waiting for a thread. Of these, `uploads` may read a long body.
      `requests_account`: most of one credential that wait for a thread. `readers`: most threads that wait
      for clients to receive a stream.
    * `look`: time for checks of connections before the loop handles new events.
    """

    connections: int = 4096
    connections_address: int = 1024
    fronts: frozenset[str] = frozenset()
    head: float = 20.0
    body: float = 60.0
    silence: float = 60.0
    stalled: float = 5.0
    idle: float = 15.0
    linger: float = 0.5
    linger_first: float = 5.0
    longest_head: int = 128 * KIB
    small_body: int = 256 * KIB
    slowest_body: int = 4 * KIB
    buffers: int = 128 * MIB
    send_buffer: int = 256 * KIB
    unread: int = 64 * MIB
    unread_seconds: float = 5.0
    requests: int = 2048
    requests_account: int = 1024
    uploads: int = 64
    readers: int = 64
    look: float = 0.00005


def connections_within_files(wanted: int) -> int:
    """Return the number of wanted connections, or fewer if the limit of open files is lower.

    A connection is one file, and another one while a file is sent on it. The limit of files is raised as far
    as possible first.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    files = 2 * wanted + OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < files:
        soft = files if hard == resource.RLIM_INFINITY else min(hard, files)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft == resource.RLIM_INFINITY or soft >= files:
        return wanted
    return (soft - OTHER_FILES) // 2


def within_files(limits: ClientLimits) -> ClientLimits:
    """Return the limits with no more connections than the limit of open files allows.

    Raises Unavailable if it allows too few for a service.
    """
    allowed = connections_within_files(limits.connections)
    if allowed < min(FEWEST, limits.connections):
        raise Unavailable(
            f"a web process may open {resource.getrlimit(resource.RLIMIT_NOFILE)[0]} files, and needs "
            f"{2 * FEWEST + OTHER_FILES} at least: raise LimitNOFILE= of the unit, or ulimit -n"
        )
    return replace(limits, connections=allowed)
