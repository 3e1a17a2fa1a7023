"""A loader: one request over and over on several kept-alive connections, the answers counted by status."""

from __future__ import annotations

import json
import re
import selectors
import socket
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass

LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Load:
    """What a loader saw: answers, seconds, and the one status of them all."""

    answers: int
    seconds: float
    status: int

    @property
    def rate(self) -> float:
        """Answers in a second."""
        return self.answers / self.seconds


def load(port: int, request: bytes, answers: int, connections: int = 8) -> Load:
    """Send requests in a separate process. Raises SystemExit when the answers differ in status."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench.load", str(port), str(answers), str(connections)],
        input=request,
        capture_output=True,
        check=True,
    )
    seconds, statuses = json.loads(done.stdout)
    if len(statuses) != 1:
        raise SystemExit(f"the answers to {request.splitlines()[0]!r} differ: {statuses}")
    return Load(answers, seconds, int(next(iter(statuses))))


def _missing(answer: bytes) -> int | None:
    """How many bytes of an answer are still to come; None while its head is not whole."""
    end = answer.find(b"\r\n\r\n")
    if end < 0:
        return None
    length = LENGTH.search(answer, 0, end + 2)
    return end + 4 + (int(length[1]) if length else 0) - len(answer)


def main(port: int, answers: int, connections: int, request: bytes) -> tuple[float, Counter[str]]:
    """Ask `answers` times in all; seconds, and answers by status."""
    statuses: Counter[str] = Counter()
    parts: dict[socket.socket, bytes] = {}
    left = answers - connections
    with selectors.DefaultSelector() as selector:
        for _ in range(connections):
            one = socket.create_connection(("127.0.0.1", port))
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            selector.register(one, selectors.EVENT_READ)
            parts[one] = b""
        began = time.perf_counter()
        for one in parts:
            one.sendall(request)
        while statuses.total() < answers:
            for key, _ in selector.select(10):
                assert isinstance(key.fileobj, socket.socket)
                one = key.fileobj
                got = one.recv(1 << 20)
                if not got:
                    raise SystemExit("the server closed a connection")
                parts[one] += got
                if _missing(parts[one]) == 0:
                    statuses[parts[one][9:12].decode()] += 1
                    parts[one] = b""
                    if left > 0:
                        left -= 1
                        one.sendall(request)
        seconds = time.perf_counter() - began
    for one in parts:
        one.close()
    return seconds, statuses


if __name__ == "__main__":
    target, wanted, opened = map(int, sys.argv[1:])
    print(json.dumps(main(target, wanted, opened, sys.stdin.buffer.read())))
