"""The parts that hosts share, each at a separate address, so that one host can lose one of them."""

from __future__ import annotations

import re
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from tests.kit.hosts.cables import NET

DATABASE, BUCKET, REGISTRY = (f"{NET}.{number}" for number in (254, 253, 252))
PARTS = {"BLOBS_URL": BUCKET, "REGISTRY_URL": REGISTRY}
LOOPBACK = re.compile(r"127\.0\.0\.1:(\d+)")
Connect = Callable[[], socket.socket]


@contextmanager
def at_store(
    shared: Mapping[str, str], database: str = DATABASE, parts: Mapping[str, str] = PARTS, late: float = 0
) -> Iterator[dict[str, str]]:
    """The settings that hosts share, by these addresses, which are relayed; what is there answers `late`."""
    with ExitStack() as stack:

        def relayed(connect: Connect, address: str) -> str:
            return f"{address}:{stack.enter_context(relay(connect, address, late))}"

        there = urlsplit(shared["DATABASE_URL"])
        server = Path(parse_qs(there.query)["host"][0]) / ".s.PGSQL.5432"
        where = relayed(partial(_unix, server), database)
        found = {**shared, "DATABASE_URL": f"postgresql://test@{where}{there.path}"}
        for name, address in parts.items():
            if (said := shared.get(name)) is not None:
                found[name] = LOOPBACK.sub(
                    lambda match, address=address: relayed(partial(_tcp, int(match[1])), address),  # type: ignore[misc]
                    said,
                )
        yield found


def _unix(path: Path) -> socket.socket:
    wire = socket.socket(socket.AF_UNIX)
    try:
        wire.connect(str(path))
    except OSError:
        wire.close()
        raise
    return wire


def _tcp(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port))


@contextmanager
def relay(connect: Connect, address: str, late: float = 0) -> Iterator[int]:
    """A port of an address whose connections are passed on; who is cut off is not missed there.

    Each piece of an answer is passed on with this delay in seconds.
    """
    server = socket.create_server((address, 0), backlog=128)

    def serve() -> None:
        with suppress(OSError):
            while True:
                near, _ = server.accept()
                try:
                    far = connect()
                except OSError:
                    near.close()
                else:
                    for pair in ((near, far, 0), (far, near, late)):
                        threading.Thread(target=_pass_on, args=pair, daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield server.getsockname()[1]
    finally:
        # A thread that waits in accept wakes by this alone.
        server.shutdown(socket.SHUT_RDWR)
        server.close()


def _pass_on(source: socket.socket, target: socket.socket, late: float) -> None:
    with suppress(OSError):
        while piece := source.recv(1 << 16):
            if late:
                time.sleep(late)
            target.sendall(piece)
    for one in (source, target):
        with suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
        one.close()
