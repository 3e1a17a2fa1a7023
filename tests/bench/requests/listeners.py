"""Rows y10 to y12: what a thousand listeners to events take of one web process."""

from __future__ import annotations

import base64
import contextlib
import os
import resource
import selectors
import socket
import time
from collections.abc import Iterator
from pathlib import Path

from wsproto import ConnectionType
from wsproto.connection import Connection
from wsproto.events import TextMessage

from tests.bench.figures import Figure
from tests.bench.requests.live_world import DOC, FILE
from tests.kit.command import Service, serving
from tests.kit.gunicorn import prepare

ROWS = ("y10", "y11", "y12")
LISTENERS, EVENTS, FILES = 1000, 20, 8192
PATIENCE, SETTLED = 120.0, 2.0
TICKS = os.sysconf("SC_CLK_TCK")
MOST_KIB, MOST_THREADS, MOST_MS = 48, 4, 1.0


def measure(rows: set[str], scratch: Path) -> Iterator[Figure]:
    """The rows that are asked for."""
    if not rows & set(ROWS):
        return
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(FILES, before[1]), before[1]))
    more = {"WORKERS": "1", "CONNECTIONS_ADDRESS": "4096", "LISTENERS_ACCOUNT": str(LISTENERS)}
    folder = scratch / "listeners"
    try:
        with serving("web", folder, **more) as service:
            (token,) = prepare(folder, "", ["alice"]).values()
            service.want("PUT", DOC, token)
            yield from (one for one in _listen(service, token) if one.row in rows)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def _listen(service: Service, token: str) -> Iterator[Figure]:
    with contextlib.ExitStack() as stack:
        # The first brings the two threads of events.
        stack.enter_context(contextlib.closing(_join(service, token)))
        service.want("POST", FILE, token, b"first")
        time.sleep(SETTLED)
        memory, threads = _status(service, "VmRSS"), _status(service, "Threads")
        wires = [stack.enter_context(contextlib.closing(_join(service, token))) for _ in range(LISTENERS - 1)]
        time.sleep(SETTLED)
        taken = (_status(service, "VmRSS") - memory) / len(wires)
        yield Figure("y10", f"memory of each of {LISTENERS} listeners", taken, unit="KiB", bound=MOST_KIB)
        more = _status(service, "Threads") - threads
        yield Figure("y11", f"threads more for {LISTENERS} listeners", more, unit="", bound=MOST_THREADS)
        began = _processor(service)
        for number in range(EVENTS):
            service.want("POST", FILE, token, f"text {number}".encode())
        got = _count(wires, EVENTS * len(wires))
        each = (_processor(service) - began) * 1000 / got
        yield Figure("y12", "processor time of an event for each listener", each, bound=MOST_MS)


def _join(service: Service, token: str) -> socket.socket:
    """A connection that has subscribed to everything."""
    wire = socket.create_connection(("127.0.0.1", service.port), PATIENCE)
    key = base64.b64encode(os.urandom(16)).decode()
    wire.sendall(
        f"GET /ws/?EIO=4&transport=websocket HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n"
        f"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
        "Sec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    frames, said = Connection(ConnectionType.CLIENT), b""
    for text in ("40", '420["subscribe_events",{"subscription":"/*"}]'):
        wire.sendall(frames.send(TextMessage(text)))
    while b"430[" not in said:
        said += wire.recv(4096)
        assert said.startswith(b"HTTP/1.1 101"), said
    wire.setblocking(False)
    return wire


def _count(wires: list[socket.socket], wanted: int) -> int:
    """The events that have come to all connections, once they are as many as are wanted."""
    with selectors.DefaultSelector() as selector:
        for wire in wires:
            selector.register(wire, selectors.EVENT_READ)
        got, until = 0, time.monotonic() + PATIENCE
        while got < wanted and time.monotonic() < until:
            for key, _ in selector.select(1):
                got += key.fileobj.recv(1 << 16).count(b'42["event"')  # type: ignore[union-attr]
    return got


def _workers(service: Service) -> list[str]:
    return Path(f"/proc/{service.pid}/task/{service.pid}/children").read_text().split()


def _status(service: Service, name: str) -> int:
    """A number that the kernel tells of the web process."""
    (worker,) = _workers(service)
    lines = Path(f"/proc/{worker}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))


def _processor(service: Service) -> float:
    """Seconds of processor time of the web process."""
    (worker,) = _workers(service)
    cells = Path(f"/proc/{worker}/stat").read_text().rpartition(")")[2].split()
    return (int(cells[11]) + int(cells[12])) / TICKS
