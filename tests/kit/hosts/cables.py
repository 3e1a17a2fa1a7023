"""Hosts at the ends of cables that can be cut: network namespaces of this machine, and what they share beside
it.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from handlers.commands.child_processes import READY
from tests.kit.processes import own

STORE = "10.203.78.254"
SECONDS = 120.0
PORT = 8000
STOPS_WITHIN = 30.0
SPACE = "curlew-t78"
LOOPBACK = re.compile(r"127\.0\.0\.1:(\d+)")


def ip(*words: str, check: bool = True) -> None:
    """Run iproute2."""
    subprocess.run(["ip", *words], check=check, capture_output=True)


class Cable:
    """A host by its number, at the end of a cable to the store."""

    def __init__(self, number: int) -> None:
        self.space, self._near, self._far = f"{SPACE}{number}", f"curlew78n{number}", f"curlew78f{number}"
        self._here, self.address = (f"10.203.78.{4 * number + place}" for place in (1, 2))
        self.inside = ("nsenter", f"--net=/run/netns/{self.space}")

    def lay(self) -> None:
        """Make the namespace and the cable; what an earlier test left goes."""
        self.remove()
        ip("netns", "add", self.space)
        ip("link", "add", self._near, "type", "veth", "peer", "name", self._far, "netns", self.space)
        ip("addr", "add", f"{self._here}/30", "dev", self._near)
        ip("link", "set", self._near, "up")
        for words in (
            ("addr", "add", f"{self.address}/30", "dev", self._far),
            ("link", "set", self._far, "up"),
            ("link", "set", "lo", "up"),
            ("route", "add", f"{STORE}/32", "via", self._here),
        ):
            ip("-n", self.space, *words)

    def remove(self) -> None:
        """Take both away."""
        ip("link", "del", self._near, check=False)
        ip("netns", "del", self.space, check=False)

    def cut(self) -> None:
        """Let nothing pass: what is sent is lost, and nobody hears of it."""
        ip("link", "set", self._near, "down")

    def mend(self) -> None:
        """Let everything pass again."""
        ip("link", "set", self._near, "up")

    @contextmanager
    def program(self, command: str, log: Path, settings: Mapping[str, str]) -> Iterator[None]:
        """`curlew COMMAND` on this host, once it is ready; as by systemd it is killed if it does not end."""
        kept = {name: word for name, word in os.environ.items() if not name.startswith("CURLEW_")}
        heard, say = os.pipe()
        with log.open("ab") as lines:
            process = subprocess.Popen(
                [*self.inside, sys.executable, "-m", "handlers", command],
                env={**kept, **own(settings), READY: str(say)},
                pass_fds=(say,),
                stdout=lines,
                stderr=lines,
            )
        os.close(say)
        try:
            with os.fdopen(heard) as pipe:
                assert pipe.readline(), f"{command} ended before it was ready: {log.read_text()[-2000:]}"
            yield
        finally:
            process.terminate()
            try:
                process.wait(STOPS_WITHIN)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def ask(
        self, method: str, path: str, token: str, body: str = "", media: str = "text/plain", *heads: str
    ) -> tuple[int, str]:
        """Status and body of an answer of this host's web server to somebody on the same host."""
        lines = [f"Authorization: Bearer {token}", f"Host: {self.address}:{PORT}", *heads]
        said = ["-X", method, *(word for line in lines for word in ("-H", line))]
        if body:
            said += ["-H", f"Content-Type: {media}", "--data-binary", body]
        done = subprocess.run(
            [*self.inside, "curl", "-sS", "-m", str(SECONDS), "-w", "\n%{http_code}", *said]
            + [f"http://127.0.0.1:{PORT}{path}"],
            capture_output=True,
            text=True,
            check=False,
        )
        text, _, status = done.stdout.rpartition("\n")
        return int(status or 0), text


@contextmanager
def cables(number: int) -> Iterator[list[Cable]]:
    """So many hosts, and the address of the store on this one."""
    found = [Cable(one) for one in range(number)]
    ip("addr", "add", f"{STORE}/32", "dev", "lo", check=False)
    try:
        for cable in found:
            cable.lay()
        yield found
    finally:
        for cable in found:
            cable.remove()
        ip("addr", "del", f"{STORE}/32", "dev", "lo", check=False)


@contextmanager
def at_store(shared: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """The settings that hosts share, by addresses of the store; what is behind them is relayed."""
    with ExitStack() as stack:

        def relayed(connect: Callable[[], socket.socket]) -> str:
            return f"{STORE}:{stack.enter_context(relay(connect))}"

        database = urlsplit(shared["DATABASE_URL"])
        server = Path(parse_qs(database.query)["host"][0]) / ".s.PGSQL.5432"
        found = dict(shared)
        found["DATABASE_URL"] = f"postgresql://test@{relayed(lambda: _unix(server))}{database.path}"
        for name in ("BLOBS_URL", "REGISTRY_URL"):
            if (said := shared.get(name)) is not None:
                found[name] = LOOPBACK.sub(lambda match: relayed(partial(_tcp, int(match[1]))), said)
        yield found


def _unix(path: Path) -> socket.socket:
    wire = socket.socket(socket.AF_UNIX)
    wire.connect(str(path))
    return wire


def _tcp(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port))


@contextmanager
def relay(connect: Callable[[], socket.socket]) -> Iterator[int]:
    """A port of the store's address whose connections are passed on; who is cut off is not missed there."""
    server = socket.create_server((STORE, 0), backlog=128)

    def serve() -> None:
        with suppress(OSError):
            while True:
                near, _ = server.accept()
                with suppress(OSError):
                    far = connect()
                    for pair in ((near, far), (far, near)):
                        threading.Thread(target=_pass_on, args=pair, daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield server.getsockname()[1]
    finally:
        # A thread that waits in accept wakes by this alone.
        server.shutdown(socket.SHUT_RDWR)
        server.close()


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while piece := source.recv(1 << 16):
            target.sendall(piece)
    for one in (source, target):
        with suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
        one.close()
