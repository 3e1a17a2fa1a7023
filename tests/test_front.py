"""What people and programs meet who come through the front: names, addresses, bounds, events."""

from __future__ import annotations

import http.client
import json
import os
import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest
import websocket

from tests.kit.wire.front import HOST, PASSWORD, SECONDS, Site, account, curl, fronted

LOCK = '<lockinfo xmlns="DAV:"><lockscope><exclusive/></lockscope><locktype><write/></locktype></lockinfo>'


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
    sent = {"username": "stranger", "password": PASSWORD, "email": "net@birds.example"}
    for one in (site, unnamed):
        status, said = one.ask("POST", "/v1/register", sent)
        assert (status, "curlew user add" in said) == (403, True)
        assert one.ask("OPTIONS", "/v1/register")[0] == 403


def test_the_address_of_a_client_is_passed_on_and_cannot_be_made_up(site: Site) -> None:
    token = account(site, "ann")
    made_up = ("X-Forwarded-For: 203.0.113.9", "Forwarded: for=203.0.113.9", "X-Curlew-Forwarder: x")
    local = (*site.route(address="127.0.0.1"), "--interface", "127.0.0.5")
    heads = [word for one in (*made_up, f"Authorization: Bearer {token}") for word in ("-H", one)]
    assert curl(*heads, *local, f"https://{HOST}:{site.secure}/v1/whoami") == (200, "ann")
    until = time.monotonic() + SECONDS
    while "whoami" not in (log := site.ask("GET", "/v1/admin/tokens/cli/log", None, heads[-1])[1]):
        assert time.monotonic() < until
        time.sleep(0.5)
    assert "from 127.0.0.5" in log and "203.0.113.9" not in log


def test_tries_are_counted_for_each_address_by_all_workers(site: Site) -> None:
    account(site, "bob")
    with ThreadPoolExecutor(4) as pool:
        statuses = list(pool.map(lambda number: site.guess("bob", f"guess {number}"), range(14)))
    assert (statuses.count(401), statuses.count(429)) == (10, 4)
    assert site.guess("bob", PASSWORD) == 429
    document = json.dumps({"username": "bob", "password": PASSWORD})
    sent = ("-H", "Content-Type: application/json", "-d", document, "--interface", "127.0.0.6")
    assert curl(*sent, *site.route(), f"https://{HOST}:{site.secure}/v1/token")[0] == 201


def test_nobody_is_locked_out_where_clients_cannot_be_distinguished(unnamed: Site) -> None:
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
        (7 << 20, "/h/a-key", False),
        (27 << 20, "/h/a-key", True),
    ):
        with body.open("wb") as file:
            file.truncate(size)
        status = curl("--data-binary", f"@{body}", *site.route(), f"https://{HOST}:{site.secure}{path}")[0]
        assert (status == 413) is refused, path
    log = site.service.folder.with_name("error.log").read_text()
    assert "POST /v1/admin/profile/bio" in log and "a-key" not in log


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


def test_a_drive_works_through_the_front(site: Site, tmp_path: Path) -> None:
    pair = f"ann-drive:{account(site, 'ann-drive')}"
    (tmp_path / "large").write_bytes(bytes(7 << 20))
    place = f"https://{HOST}:{site.secure}/dav/spaces/desk"

    def ask(method: str, path: str = "", *more: str) -> int:
        return curl("-u", pair, "-X", method, *more, *site.route(), place + path)[0]

    assert ask("MKCOL") == 201
    assert ask("PUT", "/large", "-T", str(tmp_path / "large")) == 201
    assert ask("LOCK", "/new", "-d", LOCK) == 201
    for to in (f"https://{HOST}", ""):
        assert ask("COPY", "/large", "-H", f"Destination: {to}/dav/spaces/desk/copy{len(to)}") == 201
    assert ask("MOVE", "/copy0", "-H", "Destination: /dav/spaces/desk/again") == 201
    assert ask("COPY", "/again", "-H", "Destination: https://other.example/dav/spaces/desk/x") == 403
    assert ask("PROPFIND", "", "-H", "Depth: 1", "-d", "") == 207
    assert ask("DELETE", "/again") == 204
