"""A web server with few files: connections that are closed give their places back at once."""

from __future__ import annotations

import socket
from contextlib import ExitStack, closing
from pathlib import Path
from urllib.request import urlopen

from tests.kit.processes import free_port
from tests.kit.server import program

FILES, BATCH, CLIENTS = 640, 60, 300
LIMITED = f"""
import os, resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, ({FILES}, {FILES}))
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""


def test_the_next_request_after_many_short_connections_is_answered(tmp_path: Path) -> None:
    port = free_port()
    words = ["-P", "-m", "handlers", "web", "--data", str(tmp_path / "data"), "--bind", f"127.0.0.1:{port}"]
    with program(["-c", LIMITED, *words]):
        for half in (b"", b"GET /v1/whoami HT"):
            for _ in range(CLIENTS // BATCH):
                with ExitStack() as wires:
                    for _ in range(BATCH):
                        wire = socket.create_connection(("127.0.0.1", port), 30)
                        wires.enter_context(closing(wire)).sendall(half)
                with urlopen(f"http://127.0.0.1:{port}/openapi.json") as answer:
                    assert answer.status == 200
