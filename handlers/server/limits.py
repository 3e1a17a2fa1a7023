"""ClientLimits: how much clients may take of a worker."""

from __future__ import annotations

import resource
from dataclasses import dataclass, replace

KIB = 1 << 10
MIB = 1 << 20

LONGEST_LINE = 8190
LONGEST_HEADER = 16_384
MOST_HEADERS = 100
# Files that a worker has open beside its connections: databases, blobs that are written, pipes of git.
OTHER_FILES = 512


@dataclass(frozen=True, slots=True)
class ClientLimits:
    """The limits of one worker; sizes in bytes, times in seconds.

    `connections` in all and `connections_address` of one address that is none of the `fronts`, nor a local
    socket's. `head` for a whole head, `body` for a small one, `silence` for a client that neither sends nor
    takes anything, `stalled` for one that may be closed for another, `idle` between two requests, `linger`
    for idle connections of a worker that stops. `small_body` is read whole on the loop, a longer one has to
    come at `slowest_body` bytes a second; `longest_head` is refused beyond. `buffers` bounds what is kept of
    unfinished requests and unsent answers of all connections, `send_buffer` what a thread may leave unsent on
    one. `unread` of a refused body is taken off the line within `unread_seconds`. `requests` may be at work
    or wait for a thread, of which `requests_account` show one credential and `uploads` read a long body;
    `readers` threads wait for clients to take what is made while it is sent. `patience` is for a call on the
    loop, `rest` for how long none is made there after one that took longer, `look` for what requests wait at
    a time while connections are looked at, `brief` for a sync that is waited for there, `sync_patience` for
    one until what waits for it is answered in threads.
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
    longest_head: int = 128 * KIB
    small_body: int = 256 * KIB
    slowest_body: int = 4 * KIB
    buffers: int = 128 * MIB
    send_buffer: int = 256 * KIB
    unread: int = 64 * MIB
    unread_seconds: float = 5.0
    requests: int = 1024
    requests_account: int = 256
    uploads: int = 64
    readers: int = 64
    patience: float = 0.25
    rest: float = 1.0
    look: float = 0.00005
    brief: float = 0.002
    sync_patience: float = 1.0


def within_files(limits: ClientLimits) -> ClientLimits:
    """The limits, with no more connections than this process may have files, once it may have all it can.

    A connection is one, and another while a file is sent on it.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * limits.connections + OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(hard, wanted)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return limits
    return replace(limits, connections=max(1, (soft - OTHER_FILES) // 2))
