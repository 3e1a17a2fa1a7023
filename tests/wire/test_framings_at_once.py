"""Every verb on every leaf, in every framing of bodies, by many at once: no 5xx, and each value kept."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http.client import HTTPResponse
from itertools import count

import pytest

from handlers.processes.web import tree_and_pages
from handlers.trees import KINDS, ROOT
from tests.kit.gunicorn import PATIENCE, Service, prepare
from vfs.access import Credential
from vfs.nodes import File

LEVELS = (1, 8, 32)
FRAMINGS = ("Content-Length", "chunked", "pieces")
PLACES = ("/v1/users/alice/", "/v1/admin/profile/", "/v1/admin/groups/heron/profile/")
NAMES = {"user": "alice", "target": "public", "topic": "talk", "comment": "first", "var": "size"}
ENTRIES = ("vars/size", "threads/talk", "threads/talk/comments/first")
FEWEST_KEPT = 100
PAUSE = 0.001


@dataclass
class Site:
    """A web process, on which alice has one item of each kind; values differ from each other."""

    service: Service
    token: str
    values: Iterator[int] = field(default_factory=count)

    def settle(self) -> None:
        client = self.service.client(self.token)
        for kind in KINDS.values():
            path = f"/v1/users/alice/{kind.family}/{kind.folder}/heron"
            for one in (path, *(f"{path}/{entry}" for entry in ENTRIES)):
                assert client.call("PUT", one).status < 500
        assert client.call("PUT", "/v1/admin/groups/heron").status == 201
        client.close()

    def connect(self) -> socket.socket:
        wire = socket.create_connection(("127.0.0.1", self.service.port), PATIENCE)
        wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return wire

    def answer(self, wire: socket.socket, method: str, path: str, *pieces: bytes) -> tuple[int, bytes]:
        """Status and body of the answer to a request, whose body comes framed in pieces."""
        start = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {self.token}\r\n"
        first, *rest = pieces or (b"\r\n",)
        wire.sendall(start.encode() + first)
        for piece in rest:
            time.sleep(PAUSE)
            wire.sendall(piece)
        with HTTPResponse(wire, method=method) as answer:
            answer.begin()
            return answer.status, answer.read()

    def fresh(self) -> bytes:
        return f"value {next(self.values)}".encode()


def framed(value: bytes, framing: str) -> Sequence[bytes]:
    """The end of a head, and a body as it goes over the wire."""
    media = b"Content-Type: text/plain\r\n"
    if framing == "Content-Length":
        return (media + b"Content-Length: %d\r\n\r\n%b" % (len(value), value),)
    head = media + b"Transfer-Encoding: chunked\r\n\r\n"
    if framing == "chunked":
        return (head + b"%x\r\n%b\r\n0\r\n\r\n" % (len(value), value),)
    half, rest = value[:3], value[3:]
    return head + b"3\r\n" + half[:2], half[2:] + b"\r\n%x\r\n" % len(rest), rest + b"\r\n0\r", b"\n\r\n"


def leaves() -> list[str]:
    """The paths of all leaves that are written with a token, and within a request."""
    found = []
    for route in tree_and_pages(ROOT)[0].routes():
        node = route.node
        if isinstance(node, File) and not (node.fixed or node.long) and node.credential is Credential.TOKEN:
            found.append(re.sub(r":([a-z_]+)", lambda name: NAMES.get(name[1], "heron"), route.template))
    return [path for path in found if path.startswith(PLACES)]


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder, database = tmp_path_factory.mktemp("site") / "data", ""
    if request.param == "postgresql":
        database = request.getfixturevalue("postgres").fresh()
    tokens = prepare(folder, database, ["alice"])
    service = Service(folder, database, workers=1)
    service.start()
    try:
        site = Site(service, tokens["alice"])
        site.settle()
        yield site
    finally:
        service.kill()


def write_all(site: Site, method: str, paths: Sequence[str], clients: int, framing: str) -> dict[str, bytes]:
    """Write something to each path, by several clients at once; what was written where without a refusal."""

    def write(mine: Sequence[str]) -> dict[str, bytes]:
        kept = {}
        with site.connect() as wire:
            for path in mine:
                value = site.fresh()
                status, said = site.answer(wire, method, path, *framed(value, framing))
                assert status < 500, (method, path, clients, framing, said)
                if status < 300:
                    kept[path] = value
        return kept

    with ThreadPoolExecutor(clients) as pool:
        parts = pool.map(write, (paths[number::clients] for number in range(clients)))
        return {path: value for part in parts for path, value in part.items()}


def stored(site: Site, paths: Sequence[str]) -> dict[str, bytes]:
    with site.connect() as wire:
        return {path: site.answer(wire, "GET", path)[1] for path in paths}


def test_every_verb_on_every_leaf_in_every_framing_by_many_at_once(site: Site) -> None:
    paths = leaves()
    written = write_all(site, "POST", paths, 1, FRAMINGS[0])
    plain = [path for path, said in stored(site, list(written)).items() if said == written[path]]
    assert len(plain) >= FEWEST_KEPT
    for method, clients in (*(("POST", clients) for clients in LEVELS), ("PUT", 8), ("PATCH", 8)):
        for framing in FRAMINGS:
            written |= write_all(site, method, paths, clients, framing)
            assert stored(site, plain) == {path: written[path] for path in plain}
    with site.connect() as wire:
        for path in paths:
            assert site.answer(wire, "DELETE", path)[0] < 500


@pytest.mark.parametrize("framing", FRAMINGS)
def test_one_leaf_that_many_write_holds_what_one_of_them_sent(site: Site, framing: str) -> None:
    path = "/v1/users/alice/vis/docs/heron/summary"
    for clients in LEVELS:
        with ThreadPoolExecutor(clients) as pool:
            futures = [pool.submit(write_all, site, "POST", [path], 1, framing) for _ in range(2 * clients)]
            sent = [one.result()[path] for one in futures]
        assert stored(site, [path])[path] in sent


CONTENT = "/v1/users/alice/code/spaces/heron/content/large"
SUMMARY = "/v1/users/alice/vis/docs/heron/summary"
HUGE = "Content-Length: 99999999999"
REFUSED = {
    "no token": ("PUT", CONTENT, "", "Content-Length: 5", 401),
    "a dead token": ("PUT", CONTENT, "dead", "Content-Length: 5", 401),
    "a dead token, chunked": ("PUT", CONTENT, "dead", "Transfer-Encoding: chunked", 401),
    "too large for a space": ("PUT", CONTENT, "alive", HUGE, 413),
    "too large for a text": ("POST", SUMMARY, "alive", HUGE, 413),
    "absent": ("PUT", CONTENT.replace("heron", "none"), "alive", "Content-Length: 5", 404),
    "not written": ("POST", SUMMARY.replace("summary", "shortname"), "alive", "Content-Length: 5", 405),
}


def ask_first(site: Site, wire: socket.socket, request: tuple[str, str, str, str]) -> bytes:
    """What is answered to a head whose client waits with the body."""
    method, path, token, length = request
    shown = {"alive": site.token}.get(token, token)
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", length, "Expect: 100-continue"]
    lines += ["Content-Type: text/plain", *([f"Authorization: Bearer {shown}"] if shown else [])]
    wire.sendall("\r\n".join([*lines, "", ""]).encode())
    return wire.recv(1 << 16)


@pytest.mark.parametrize("refused", REFUSED.values(), ids=list(REFUSED))
def test_no_body_is_requested_if_the_head_is_refused(
    site: Site, refused: tuple[str, str, str, str, int]
) -> None:
    *request, status = refused
    with site.connect() as wire:
        method, path, token, length = request
        assert int(ask_first(site, wire, (method, path, token, length))[9:12]) == status


@pytest.mark.parametrize("method, path", [("PUT", CONTENT), ("POST", SUMMARY)])
def test_a_body_is_requested_where_it_is_accepted(site: Site, method: str, path: str) -> None:
    with site.connect() as wire:
        answer = ask_first(site, wire, (method, path, "alive", "Content-Length: 5"))
        assert answer == b"HTTP/1.1 100 Continue\r\n\r\n"
        wire.sendall(b"hello")
        assert int(wire.recv(1 << 16)[9:12]) in (200, 201)
        assert site.answer(wire, "GET", path) == (200, b"hello")
