"""nginx with the site that is handed out, in front of a service of two web processes."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.kit.command import Service, serving
from tests.kit.processes import free_port
from tests.kit.sources import ROOT
from tests.kit.wire.certificate import make_certificate

HOST = "curlew.example"
PASSWORD = "eleven birds on the mud"
SECONDS = 30.0


class Site:
    """The front on separate ports, and the service behind it."""

    def __init__(self, service: Service, plain: int, secure: int) -> None:
        self.service = service
        self.plain = plain
        self.secure = secure

    def ask(
        self, method: str, path: str, body: object = None, *headers: str, host: str = HOST, name: str = HOST
    ) -> tuple[int, str]:
        """Status and body of an answer, by curl over TLS; `name` is the one of the handshake."""
        sent = ["-X", method, "-H", f"Host: {host}", *(word for one in headers for word in ("-H", one))]
        if body is not None:
            sent += ["-H", "Content-Type: application/json", "--data-binary", json.dumps(body)]
        return curl(*sent, f"https://{name}:{self.secure}{path}", *self.route(name))

    def route(self, name: str = HOST, address: str = "127.0.0.1") -> Sequence[str]:
        """What has curl go to this front and take its certificate."""
        return ("-k", "--connect-to", f"{name}:{self.secure}:{address}:{self.secure}")

    def opened(self) -> ssl.SSLSocket:
        """A connection to the front."""
        # Without the authorities of this host, which take longer to load than a request to be answered.
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        wire = socket.create_connection(("127.0.0.1", self.secure), timeout=SECONDS)
        return context.wrap_socket(wire, server_hostname=HOST)

    def guess(self, name: str, password: str) -> int:
        """The status of a sign-in."""
        return self.ask("POST", "/v1/token", {"username": name, "password": password})[0]


def curl(*words: str) -> tuple[int, str]:
    """Status and body; 0 where there was no answer."""
    done = subprocess.run(
        ["curl", "-sS", "-m", str(SECONDS), "-w", "\n%{http_code}", *words],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    said, _, status = done.stdout.rpartition("\n")
    return int(status or 0), said


def configure(
    folder: Path, behind: int, plain: int, secure: int, change: Callable[[str], str] = lambda site: site
) -> Path:
    """The site with its ports and its certificate changed, inside a whole configuration."""
    site = change((ROOT / "deploy" / "nginx.conf").read_text())
    site = site.replace("127.0.0.1:8000", f"127.0.0.1:{behind}").replace("/etc/ssl/curlew", str(folder))
    site = re.sub(r"(listen (?:\[::\]:)?)80\b", rf"\g<1>{plain}", site)
    site = re.sub(r"(listen (?:\[::\]:)?)443\b", rf"\g<1>{secure}", site)
    (folder / "site.conf").write_text(site)
    temporary = "".join(
        f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    whole = folder / "nginx.conf"
    # Folders of tests are for their user alone.
    owner = "user root; " if os.geteuid() == 0 else ""
    whole.write_text(
        f"{owner}pid {folder}/pid; error_log {folder}/error.log; daemon off; worker_processes 1;\n"
        "events { worker_connections 512; }\n"
        f"http {{ access_log off; {temporary} include {folder}/site.conf; }}\n"
    )
    return whole


@contextmanager
def fronted(
    folder: Path, change: Callable[[str], str] = lambda site: site, **settings: str
) -> Iterator[Site]:
    """A service of two web processes behind nginx, whose site is given with a `change`."""
    if shutil.which("nginx") is None:
        pytest.fail("nginx is not installed: apt-get install nginx-light", pytrace=False)
    with ExitStack() as stack:
        chosen = {"WORKERS": "2", "PASSWORD_MEMORY": "64", "PASSWORD_TIME": "1", **settings}
        service = stack.enter_context(serving("web", folder / "data", **chosen))
        plain, secure = free_port(), free_port()
        make_certificate(folder / "fullchain.pem", folder / "privkey.pem", HOST)
        whole = configure(folder, service.port, plain, secure, change)
        subprocess.run(["nginx", "-t", "-q", "-c", whole], check=True)
        front = stack.enter_context(subprocess.Popen(["nginx", "-c", whole]))
        stack.callback(front.terminate)
        until = time.monotonic() + SECONDS
        while True:
            try:
                socket.create_connection(("127.0.0.1", secure)).close()
                break
            except OSError:
                assert time.monotonic() < until, (folder / "error.log").read_text()
                time.sleep(0.05)
        yield Site(service, plain, secure)


def account(site: Site, name: str) -> str:
    """The token of a new user of that password, made by the operator."""
    command = ["user", "add", name, "--password-stdin", "--token", "cli", "--email", f"{name}@birds.example"]
    done = subprocess.run(
        [sys.executable, "-m", "handlers", *command],
        input=PASSWORD, env={**os.environ, "CURLEW_DATA": str(site.service.folder)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout.strip()
