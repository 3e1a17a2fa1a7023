"""Two web servers of one installation, each on a separate data folder, and nginx that asks them in turn."""

from __future__ import annotations

import http.client
import os
import shutil
import signal
import socket
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.kit.client import Answer
from tests.kit.hosts.forked import forked
from tests.kit.processes import free_port, own, tree
from tests.kit.service import fake_renders

SECONDS = 120.0
HOSTS = ("one", "other")
WEB = {"WORKERS": "1", "THREADS": "24", "PROXIES": "127.0.0.1", "REGISTRATION": "open"}
WEB |= {f"SIGNIN_ATTEMPTS{of}": "100000" for of in ("", "_ADDRESS", "_ACCOUNT")}

SITE = """
{owner}pid {folder}/pid; error_log {folder}/error.log; daemon off; worker_processes 1;
events {{ worker_connections 512; }}
http {{
    log_format answers "$upstream_addr $status";
    access_log {folder}/answers.log answers;
    {temporary}
    merge_slashes off;
    client_max_body_size 100m;
    map $http_upgrade $said_connection {{ default upgrade; "" ""; }}
    upstream curlew {{ {servers} keepalive 32; }}
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://curlew;
            proxy_http_version 1.1;
            proxy_next_upstream off;
            proxy_request_buffering off;
            proxy_buffering off;
            proxy_read_timeout 1d;
            proxy_set_header Connection $said_connection;
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Host $http_host;
            proxy_set_header X-Forwarded-For $remote_addr;
        }}
    }}
}}
"""
"""Round robin, unlike deploy/hosts/upstream.conf: the next request of a client is the other server's."""


class Webs:
    """The two servers; `port` is the front's, `ports` are theirs."""

    def __init__(self, folder: Path, shared: Mapping[str, str]) -> None:
        self.folder = folder
        self.folders = tuple(folder / name for name in HOSTS)
        self.port = free_port()
        self.ports = tuple(free_port() for _ in HOSTS)
        self.pids: list[int] = []
        self.shared = {"BASE_URL": f"http://127.0.0.1:{self.port}", **WEB, **shared}

    def settings(self, number: int) -> dict[str, str]:
        """The settings of a server, as variables."""
        place = {"DATA": str(self.folders[number]), "BIND": f"127.0.0.1:{self.ports[number]}"}
        return own({**self.shared, **place})

    def log(self, number: int) -> Path:
        """What a server writes."""
        return self.folders[number].with_suffix(".log")

    def kill(self, number: int) -> None:
        """kill -9 of a server and its workers."""
        for pid in reversed(tree(self.pids[number])):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def answers(self) -> Counter[str]:
        """How many requests of the front each server answered, by its port."""
        lines = (self.folder / "answers.log").read_text().splitlines()
        return Counter(line.partition(" ")[0].rpartition(":")[2] for line in lines)

    def require_turns(self) -> None:
        """See that both answered, about as often."""
        answers = self.answers()
        one, other = (answers[str(port)] for port in self.ports)
        assert min(one, other) > 0.4 * (one + other), answers


@contextmanager
def two_webs(
    folder: Path,
    shared: Mapping[str, str],
    renders: Callable[[Path], AbstractContextManager[object]] = fake_renders,
    of_first: Mapping[str, str] | None = None,
) -> Iterator[Webs]:
    """Two web servers of gunicorn with these settings behind nginx; each draws by `renders` of its folder.

    `of_first` are settings that only the first has.
    """
    if shutil.which("nginx") is None:
        pytest.fail("nginx is not installed: apt-get install nginx-light", pytrace=False)
    webs = Webs(folder, shared)
    with ExitStack() as stack:
        for number, place in enumerate(webs.folders):
            place.mkdir()
            said = webs.settings(number) | own(of_first if of_first and number == 0 else {})
            server = stack.enter_context(forked("web", webs.log(number), said))
            assert server.pid
            webs.pids.append(server.pid)
            stack.enter_context(renders(place))
        for number, port in enumerate(webs.ports):
            _await(port, webs.log(number))
        stack.enter_context(_front(webs))
        yield webs


@contextmanager
def _front(webs: Webs) -> Iterator[None]:
    folder = webs.folder
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    whole = folder / "nginx.conf"
    whole.write_text(
        SITE.format(
            folder=folder,
            port=webs.port,
            # Folders of tests are for their user alone.
            owner="user root; " if os.geteuid() == 0 else "",
            temporary="".join(f"{kind}_temp_path {folder}/{kind}; " for kind in kinds),
            servers="".join(f"server 127.0.0.1:{port}; " for port in webs.ports),
        )
    )
    with subprocess.Popen(["nginx", "-c", whole]) as front:
        try:
            _await(webs.port, folder / "error.log")
            yield
        finally:
            front.terminate()


def _await(port: int, log: Path) -> None:
    until = time.monotonic() + SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            assert time.monotonic() < until, log.read_text()[-2000:]
            time.sleep(0.02)


class PortClient:
    """Requests to a port, one after another over one connection, sent as they are written.

    `host` is what the server is called there, where the headers of a request do not say so.
    """

    def __init__(self, port: int, host: str = "") -> None:
        self._host = host or f"127.0.0.1:{port}"
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)

    def call(
        self, method: str, path: str, headers: Sequence[tuple[str, str]] = (), body: bytes = b""
    ) -> Answer:
        """The answer to one request."""
        wire, where = self._connection, quote(path, safe="/@~+?&=%:;,.!$'()*[]|")
        try:
            wire.putrequest(method, where, skip_host=True, skip_accept_encoding=True)
            if not any(name.lower() == "host" for name, _ in headers):
                wire.putheader("Host", self._host)
            for name, value in headers:
                wire.putheader(name, value.encode())
            if body or method in {"POST", "PUT", "PATCH"}:
                wire.putheader("Content-Length", str(len(body)))
            wire.endheaders(body or None)
            found = wire.getresponse()
            said = {name.lower(): value for name, value in found.getheaders()}
            return Answer(found.status, said, found.read())
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let go of the connection."""
        self._connection.close()
