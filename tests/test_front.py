"""nginx with the site that is handed out, in front of a service of two web processes."""

from __future__ import annotations

import datetime
import http.client
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
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
import websocket
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.kit.command import Service, serving
from tests.kit.processes import free_port
from tests.kit.sources import ROOT

HOST = "curlew.example"
PASSWORD = "eleven birds on the mud"
SECONDS = 30.0


class Site:
    """The front on ports of its own, and the service behind it."""

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
        context = ssl.create_default_context()
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


def certify(folder: Path) -> None:
    """A certificate that its own key signed."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, HOST)])
    now = datetime.datetime.now(datetime.UTC)
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    made = made.serial_number(1).not_valid_before(now).not_valid_after(now + datetime.timedelta(days=1))
    (folder / "fullchain.pem").write_bytes(
        made.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    )
    private = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / "privkey.pem").write_bytes(key.private_bytes(*private))


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
        certify(folder)
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


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A front as the comments of the site want it."""
    said = {"PROXIES": "127.0.0.1", "BASE_URL": f"https://{HOST}"}
    with fronted(tmp_path_factory.mktemp("front"), **said) as site:
        yield site


@pytest.fixture(scope="module")
def unnamed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A front whose address the settings do not know."""
    with fronted(tmp_path_factory.mktemp("unnamed"), BASE_URL=f"https://{HOST}") as site:
        yield site


def account(site: Site, name: str) -> str:
    """The token of a new user of that password, made by the operator."""
    command = ["user", "add", name, "--password-stdin", "--token", "cli", "--email", f"{name}@birds.example"]
    done = subprocess.run(
        [sys.executable, "-m", "handlers", *command],
        input=PASSWORD, env={**os.environ, "CURLEW_DATA": str(site.service.folder)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout.strip()


def test_the_service_is_reached_by_its_name(site: Site) -> None:
    assert site.ask("GET", "/healthz") == (200, "pass\n")
    assert curl(*site.route(address="[::1]"), f"https://{HOST}:{site.secure}/healthz") == (200, "pass\n")
    moved = ("-o", os.devnull, "-w", "%{redirect_url}\n%{http_code}", "-H", f"Host: {HOST}")
    assert curl(*moved, f"http://127.0.0.1:{site.plain}/v1?a=b")[1].endswith(f"https://{HOST}/v1?a=b")


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "localhost", "", f"{HOST}.evil.example"])
def test_a_foreign_host_is_refused(site: Site, host: str) -> None:
    plain = curl("-H", f"Host: {host}" if host else "Host;", f"http://127.0.0.1:{site.plain}/healthz")
    assert plain in ((0, ""), (400, plain[1])) and "pass" not in plain[1]
    assert site.ask("GET", "/healthz", host=host or "x")[0] == 421
    if host:
        assert site.ask("GET", "/healthz", host=host, name=host)[0] == 0


def test_registration_is_closed_through_it(site: Site, unnamed: Site) -> None:
    wish = {"username": "stranger", "password": PASSWORD, "email": "net@birds.example"}
    for one in (site, unnamed):
        status, said = one.ask("POST", "/v1/register", wish)
        assert (status, "curlew user add" in said) == (403, True)
        assert one.ask("OPTIONS", "/v1/register")[0] == 403


def test_the_address_of_a_client_is_passed_on_and_cannot_be_made_up(site: Site) -> None:
    token = account(site, "ann")
    made_up = ("X-Forwarded-For: 203.0.113.9", "Forwarded: for=203.0.113.9", "X-Curlew-Forwarder: x")
    local = (*site.route(address="127.0.0.1"), "--interface", "127.0.0.5")
    heads = [word for one in (*made_up, f"Authorization: Bearer {token}") for word in ("-H", one)]
    assert curl(*heads, *local, f"https://{HOST}:{site.secure}/v1/whoami") == (200, "ann")
    until = time.monotonic() + SECONDS
    while "whoami" not in (told := site.ask("GET", "/v1/admin/tokens/cli/log", None, heads[-1])[1]):
        assert time.monotonic() < until
        time.sleep(0.5)
    assert "from 127.0.0.5" in told and "203.0.113.9" not in told


def test_tries_are_counted_for_each_address_by_all_workers(site: Site) -> None:
    account(site, "bob")
    with ThreadPoolExecutor(4) as pool:
        statuses = list(pool.map(lambda number: site.guess("bob", f"guess {number}"), range(14)))
    assert (statuses.count(401), statuses.count(429)) == (10, 4)
    assert site.guess("bob", PASSWORD) == 429
    document = json.dumps({"username": "bob", "password": PASSWORD})
    sent = ("-H", "Content-Type: application/json", "-d", document, "--interface", "127.0.0.6")
    assert curl(*sent, *site.route(), f"https://{HOST}:{site.secure}/v1/token")[0] == 201


def test_nobody_is_locked_out_where_clients_cannot_be_told_apart(unnamed: Site) -> None:
    account(unnamed, "eve")
    statuses = [unnamed.guess("eve", f"guess {number}") for number in range(12)]
    assert statuses == [401] * 10 + [429] * 2
    assert unnamed.guess("eve", PASSWORD) == 201
    assert unnamed.guess("eve", "another guess") == 429


def test_without_base_url_it_says_what_to_set(tmp_path: Path) -> None:
    with fronted(tmp_path, PROXIES="127.0.0.1") as site:
        status, said = site.ask("GET", "/v1/whoami")
    assert (status, "base_url" in json.loads(said)["detail"]) == (421, True)


def hold(site: Site, stack: ExitStack, number: int, path: str) -> None:
    """So many requests whose body never comes."""
    for _ in range(number):
        wire = stack.enter_context(site.opened())
        wire.sendall(f"POST {path} HTTP/1.1\r\nHost: {HOST}\r\nContent-Length: 999\r\n\r\n{{".encode())


def test_connections_of_one_address_are_limited(site: Site) -> None:
    with ExitStack() as stack:
        hold(site, stack, 64, "/v1/admin/profile/bio")
        until = time.monotonic() + SECONDS / 2
        while (found := site.ask("GET", "/healthz"))[0] != 429:
            assert time.monotonic() < until
            time.sleep(0.1)
        assert json.loads(found[1])["status"] == 429
        other = ("--interface", "127.0.0.7", *site.route())
        assert curl(*other, f"https://{HOST}:{site.secure}/healthz") == (200, "pass\n")


def test_a_slow_small_body_takes_no_thread(site: Site) -> None:
    with ExitStack() as stack:
        hold(site, stack, 30, "/v1/auth")
        time.sleep(0.5)
        rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        behind = f":{site.service.port:04X}"
        assert len([row for row in rows if row[2].endswith(behind) and row[3] == "01"]) < 10


def test_a_body_is_as_large_as_its_place_takes(site: Site, tmp_path: Path) -> None:
    body = tmp_path / "body"
    for size, path, refused in (
        (70 << 10, "/v1/token", True),
        (7 << 20, "/v1/admin/profile/bio", True),
        (7 << 20, "/v1/users/ann/code/jobs/x/data", False),
        (7 << 20, "/git/ann/x.git/git-receive-pack", False),
    ):
        with body.open("wb") as file:
            file.truncate(size)
        status = curl("--data-binary", f"@{body}", *site.route(), f"https://{HOST}:{site.secure}{path}")[0]
        assert (status == 413) is refused, path


def test_requests_of_one_address_are_limited(site: Site) -> None:
    with site.opened() as wire:
        once = f"GET /healthz HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode()
        statuses = []
        for _ in range(600):
            wire.sendall(once)
            answer = http.client.HTTPResponse(wire)
            answer.begin()
            statuses.append(answer.status)
            answer.read()
            if answer.status == 429:
                break
    assert statuses[-1] == 429


def test_it_does_not_say_what_it_is(site: Site) -> None:
    _, head = curl("-I", *site.route(), f"https://{HOST}:{site.secure}/healthz")
    assert re.search(r"nginx/\d", head) is None


def test_events_come_through_the_front(site: Site) -> None:
    token = account(site, "ernie")
    heads = [f"Authorization: Bearer {token}"]
    wire = websocket.create_connection(
        f"wss://{HOST}/ws/?EIO=4&transport=websocket", socket=site.opened(), host=HOST, header=heads,
        suppress_origin=True,
    )  # fmt: skip
    try:
        assert "sid" in json.loads(wire.recv()[1:])
        wire.send("40")
        wire.send('421["subscribe_events",{"subscription":"/u/ernie"}]')
        said = [wire.recv() for _ in range(3)]
        assert said[2] == '431[{"subscription":"/u/ernie"}]'
        assert site.ask("PUT", "/v1/vis/plots/terns", None, *heads)[0] == 201
        assert json.loads(wire.recv()[2:])[1]["target_fqnp"] == "/u/ernie/p/terns"
    finally:
        wire.close()
    polling = site.ask("GET", "/ws/?EIO=4&transport=polling", None, *heads)
    assert (polling[0], "WebSocket" in polling[1]) == (400, True)
