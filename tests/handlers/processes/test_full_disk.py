"""On a disk that is really full people sign in, read, delete and write small things; all else waits."""

from __future__ import annotations

import base64
import http.client
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest

from tests.kit.disk.small import fill, filled, mounted
from tests.kit.git import Work
from tests.kit.server import Server, serving

pytestmark = pytest.mark.podman  # root's

SIZE = 96 << 20
RESERVED = SIZE // 8
BIG = bytes(200_000)
TEXT, JSON, FORM = "text/plain", "application/json", "multipart/form-data; boundary=line"
FILE = b'--line\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\none\r\n--line--\r\n'
RECIPE = "FROM scratch\nENV WRITE=x=1\n"


class Said(NamedTuple):
    """An answer."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def detail(self) -> str:
        """The sentence of a refusal."""
        return str(json.loads(self.body)["detail"])


class Site:
    """A server whose data lies on a disk of its own; alice has a space, a plot, a job and a repo."""

    def __init__(self, server: Server, disk: Path, scratch: Path) -> None:
        self.server, self.disk, self.scratch = server, disk, scratch
        server.add("alice")
        server.ask("PUT", "code/repos/step", who="alice")
        server.push("alice", "step", {"Containerfile": RECIPE}, scratch / "work")
        server.ask("PUT", "code/jobs/j", who="alice")
        server.ask("POST", "code/jobs/j/config/chains", b"step", who="alice")
        server.ask("PUT", "code/spaces/s", who="alice")
        server.ask("PUT", "vis/plots/p", who="alice")
        server.ask("PUT", "vis/plots/q", who="alice")
        server.ask("POST", "vis/plots/p/data", b"month,birds\nMay,3\nJune,5\n", who="alice")

    def call(
        self, method: str, path: str, body: bytes = b"", media: str = TEXT, password: str | None = None
    ) -> Said:
        """The answer to alice, by her token or a password."""
        pair = base64.b64encode(f"alice:{password}".encode()).decode()
        proof = f"Bearer {self.server.tokens['alice']}" if password is None else f"Basic {pair}"
        kind = "*/*" if "/content/" in path and method == "GET" else JSON
        headers = {"Authorization": proof, "Accept": kind} | ({"Content-Type": media} if body else {})
        connection = http.client.HTTPConnection(urlsplit(self.server.origin).netloc, timeout=60)
        connection.request(method, path, body or None, headers)
        answer = connection.getresponse()
        said = Said(answer.status, answer.headers, answer.read())
        connection.close()
        return said

    def check(self, name: str) -> tuple[int, str, str]:
        """The status of readiness, and what one of its checks says."""
        said = self.call("GET", "/readyz")
        check = json.loads(said.body)["checks"][name]
        return said.status, check["status"], check["output"]

    def refused(self, method: str, path: str, body: bytes = b"", media: str = TEXT) -> None:
        """What takes room is refused, and told when to come again."""
        said = self.call(method, path, body, media)
        assert said.status == 507, (path, said)
        assert int(said.headers["Retry-After"]) > 0
        assert "disk is full" in said.detail

    @property
    def reserved(self) -> int:
        """Bytes that the reserve takes on the disk."""
        return (self.disk / "data" / "reserve").stat().st_blocks * 512


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with (
        mounted(tmp_path / "disk", SIZE) as disk,
        serving(disk / "data", CURLEW_DISK_RESERVE="64M") as server,
    ):
        yield Site(server, disk, tmp_path)


def test_on_a_full_disk_people_make_room_and_go_on(site: Site) -> None:
    assert site.reserved == RESERVED
    assert site.check("disk")[:2] == (200, "pass")
    assert site.call("PUT", "/v1/code/spaces/s/content/big", BIG).status in (200, 201)
    with filled(site.disk, RESERVED):
        status, health, said = site.check("disk")
        assert (status, health) == (200, "warn")
        assert "the disk is nearly full" in said
        assert site.call("PUT", "/v1/code/spaces/s/content/more", BIG).status in (200, 201)
    with filled(site.disk, 0):
        assert site.call("DELETE", "/v1/vis/plots/q").status in (200, 204)
        people_work(site)
        machines_wait(site)
        assert site.reserved == 0
        with (site.disk / "more").open("wb") as more:
            fill(more.fileno(), site.disk, 0)
            nothing_is_left(site)
        (site.disk / "more").unlink()
        assert site.call("DELETE", "/v1/code/repos/step").status in (200, 204)
    assert site.call("PUT", "/v1/code/spaces/s/content/again", BIG).status in (200, 201)
    assert site.reserved == RESERVED
    assert site.check("disk")[:2] == (200, "pass")
    for name in ("big", "more", "again"):
        assert site.call("GET", f"/v1/code/spaces/s/content/{name}").body == BIG


def people_work(site: Site) -> None:
    """Who was here before, and who comes now, reads, deletes, and writes what is small."""
    token = b'{"token_name": "new"}'
    assert site.call("POST", "/v1/token", token, JSON, "a wrong word").status == 401
    assert site.call("POST", "/v1/token", token, JSON, site.server.password("alice")).status == 201
    assert site.call("POST", "/v1/vis/plots/p/name", b"Birds").status == 200
    drawn = site.call("GET", "/v1/vis/plots/p/files/plot.svg")
    assert drawn.status == 200, drawn
    assert b"<svg" in drawn.body
    assert site.call("PUT", "/v1/code/spaces/t").status == 201
    assert site.call("DELETE", "/v1/code/spaces/t").status in (200, 204)


def machines_wait(site: Site) -> None:
    """What takes room is refused in its own words, and readiness names the disk."""
    site.refused("PUT", "/v1/code/spaces/s/content/no", BIG)
    site.refused("POST", "/v1/vis/plots/p/data", BIG)
    site.refused("POST", "/v1/code/jobs/j/data", b"{}", JSON)
    site.refused("POST", "/v1/code/jobs/j/data", FILE, FORM)
    assert site.call("GET", "/v1/code/spaces/s/content/no").status == 404
    work = Work(site.scratch / "refused")
    work.commit({"Containerfile": RECIPE})
    address = f"http://alice:{site.server.tokens['alice']}@{urlsplit(site.server.origin).netloc}"
    done = work.run("push", f"{address}/git/alice/step.git", "HEAD:other")
    assert done.returncode != 0
    assert b"disk is full" in done.stderr, done.stderr
    assert b"507" in done.stderr
    status, health, said = site.check("disk")
    assert (status, health) == (503, "fail")
    assert "the disk is full" in said
    assert "start curlew runner" not in site.check("runner")[2]


def nothing_is_left(site: Site) -> None:
    """Even the reserve is used up: passwords are told apart as ever, and all is read."""
    token = b'{"token_name": "newer"}'
    for _ in range(3):
        assert site.call("POST", "/v1/token", token, JSON, "a wrong word").status == 401
    assert site.call("POST", "/v1/token", token, JSON, site.server.password("alice")).status in (201, 507)
    assert site.call("GET", "/v1/code/spaces/s/content/big").body == BIG
    site.refused("POST", "/v1/vis/plots/p/name", b"Ducks")
    time.sleep(11)  # a runner that cannot renew its lease
    assert site.check("disk")[0] == 503
    assert "start curlew runner" not in site.check("runner")[2]
    drawn = site.call("GET", "/v1/vis/plots/p/files/plot.svg")
    assert drawn.status == 200, drawn
