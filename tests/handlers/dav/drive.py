"""A drive as its clients see it: requests over real connections, as one person."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote
from xml.etree.ElementTree import Element, fromstring

from tests.kit.server import Server, web

DAV = "{DAV:}"
LOCK = (
    b'<D:lockinfo xmlns:D="DAV:"><D:lockscope><D:exclusive/></D:lockscope>'
    b"<D:locktype><D:write/></D:locktype><D:owner>me</D:owner></D:lockinfo>"
)


class Said(NamedTuple):
    """An answer: its status, its headers by lower-case name, and its body."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def xml(self) -> Element:
        return fromstring(self.body)

    @property
    def names(self) -> list[str]:
        """The addresses in a listing."""
        return [unquote(one.text or "") for one in self.xml.iterfind(f"{DAV}response/{DAV}href")]


class Drive:
    """The drive of one person; a path is below `/dav/` and is quoted here."""

    def __init__(self, server: Server, who: str = "", *, token: str = "") -> None:
        self.server = server
        self.who = who
        self.token = token or server.tokens.get(who, "")

    def ask(
        self, method: str, path: str, body: bytes | Iterator[bytes] | None = None, **headers: str
    ) -> Said:
        return self.send(method, f"/dav/{quote(path)}", body, **headers)

    def send(
        self, method: str, target: str, body: bytes | Iterator[bytes] | None = None, **headers: str
    ) -> Said:
        """Send a request to an address that is sent as it is."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.who and "Authorization" not in sent:
            pair = base64.b64encode(f"{self.who}:{self.token}".encode()).decode()
            sent["Authorization"] = f"Basic {pair}"
        wire = HTTPConnection(self.server.origin.removeprefix("http://"), timeout=60)
        try:
            wire.request(method, target, body, sent, encode_chunked=isinstance(body, Iterator))
            answer = wire.getresponse()
            return Said(
                answer.status,
                {name.lower(): value for name, value in answer.getheaders()},
                answer.read(),
            )
        finally:
            wire.close()

    def list(self, path: str, depth: str = "1", body: bytes | None = None) -> Said:
        return self.ask("PROPFIND", path, body, Depth=depth)

    def lock(self, path: str, **headers: str) -> str:
        """Lock a path; the token."""
        said = self.ask("LOCK", path, LOCK, **headers)
        assert said.status in (200, 201), said
        return said.headers["lock-token"]

    def put(self, path: str, content: bytes, **headers: str) -> Said:
        return self.ask("PUT", path, content, **headers)

    def read(self, path: str) -> bytes | None:
        """The content of a file; None if it is not there."""
        said = self.ask("GET", path)
        return said.body if said.status == 200 else None

    def move(self, path: str, to: str, method: str = "MOVE", **headers: str) -> Said:
        return self.ask(method, path, None, Destination=f"{self.server.origin}/dav/{quote(to)}", **headers)


@contextmanager
def people(folder: Path, **settings: str) -> Iterator[Server]:
    """A server with ann, who has the space `desk`, and bob, who may read it, and cai, who may edit it."""
    with web(folder, **settings) as server:
        for name in ("ann", "bob", "cai", "dan"):
            server.add(name)
        server.ask("PUT", "code/spaces/desk", who="ann")
        server.ask("PUT", "code/spaces/desk/shared/@bob~r", who="ann")
        server.ask("PUT", "code/spaces/desk/shared/@cai~rw", who="ann")
        yield server
