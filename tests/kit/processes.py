"""Processes that are measured: started, awaited, their processor time read from the kernel, ended."""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

PROC = Path("/proc")
STARTS_WITHIN = 120.0
USUAL = {"CURLEW_DISK_RESERVE": "1M", "CURLEW_BASE_IMAGE": "localhost/busybox:latest"}
"""Settings of every service: few tests need Python in an image, and making one takes seconds."""

PORTS = range(12_000, 32_000)


def free_port() -> int:
    """A port of the loopback interface that nobody uses, below those that the kernel gives to connections."""
    while True:
        with socket.socket() as one, suppress(OSError):
            port = secrets.choice(PORTS)
            one.bind(("127.0.0.1", port))
            return port


@contextmanager
def running(*arguments: str, port: int, log: Path, **environ: str) -> Iterator[int]:
    """`python -m arguments` until it listens, then its process id; ended in order at the end."""
    kept = {name: word for name, word in os.environ.items() if not name.startswith("CURLEW_")}
    with log.open("ab") as lines:
        process = subprocess.Popen(
            [sys.executable, "-m", *arguments],
            env={**kept, **USUAL, **environ},
            stdin=subprocess.DEVNULL,
            stdout=lines,
            stderr=lines,
        )
    try:
        _await(process, port, log)
        yield process.pid
    finally:
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _await(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    until = time.monotonic() + STARTS_WITHIN
    while time.monotonic() < until and process.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.02)
    raise SystemExit(f"a server did not start; it said:\n{log.read_text()[-2000:]}")


def tree(pid: int) -> list[int]:
    """A process and all that descend from it."""
    children: dict[int, list[int]] = {}
    for stat in PROC.glob("[0-9]*/stat"):
        with suppress(OSError):
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(stat.parent.name))
    found = [pid]
    for one in found:
        found.extend(children.get(one, ()))
    return found


def processor_seconds(pid: int) -> float:
    """Processor time that the threads of a process tree have used (schedstat: nanoseconds first)."""
    used = 0
    for one in tree(pid):
        for schedstat in PROC.glob(f"{one}/task/*/schedstat"):
            with suppress(OSError):
                used += int(schedstat.read_text().split()[0])
    return used / 1e9


def own(environ: Mapping[str, str]) -> dict[str, str]:
    """The settings of a measured service as variables."""
    return {f"CURLEW_{name}": word for name, word in environ.items()}


def fork(act: Callable[[], bool]) -> int:
    """The exit code of a forked child that does something: 0 when it was true."""
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if act() else 1)
        finally:
            os._exit(2)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
