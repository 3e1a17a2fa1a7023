"""Attempts to get more from a link than it gives, against a running server."""

from __future__ import annotations

import base64
import json
import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from typing import NamedTuple

import pytest

from handlers.processes.world import open_world
from tests.kit.server import Server, web

PLOT = "vis/plots/birds"
PASSWORD = "open sesame"
FORM = "application/x-www-form-urlencoded"


class Said(NamedTuple):
    """An answer."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with web(tmp_path_factory.mktemp("links"), CURLEW_SIGNIN_ATTEMPTS="5") as server:
        server.add("alice")
        server.ask("PUT", PLOT, who="alice")
        server.ask("POST", f"{PLOT}/data", b"k,v\nnorth,1\n", who="alice")
        yield server


def make(server: Server, name: str, **files: str) -> str:
    """The path of a new link with these files."""
    said = server.ask("PUT", f"{PLOT}/shared/link~{name}", who="alice")
    for file, text in files.items():
        server.ask("POST", f"{PLOT}/shared/link~{name}/{file}", text.encode(), who="alice")
    return str(said["address"]).removeprefix(server.origin)


def send(server: Server, path: str, method: str = "GET", body: str = "", **headers: str) -> Said:
    """The answer to a request with exactly this path."""
    wire = HTTPConnection(server.origin.removeprefix("http://"), timeout=60)
    try:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        wire.request(method, path, body or None, {"Accept": "application/json", **named})
        answer = wire.getresponse()
        return Said(answer.status, answer.headers, answer.read())
    finally:
        wire.close()


@pytest.fixture(scope="module")
def path(server: Server) -> str:
    return make(server, "paths")


def basic(password: str) -> str:
    return f"Basic {base64.b64encode(f'link:{password}'.encode()).decode()}"


def count(server: Server, name: str) -> int:
    return int(server.ask("GET", f"{PLOT}/shared/link~{name}/count", who="alice"))


def test_uses_are_exact_at_the_same_moment(server: Server) -> None:
    path = make(server, "crowd", uses="7")
    with ThreadPoolExecutor(16) as pool:
        found = Counter(one.status for one in pool.map(lambda _: send(server, path), range(40)))
    assert found == {200: 7, 404: 33}
    assert count(server, "crowd") == 7


@pytest.mark.parametrize("accept", ["text/html", "application/json"])
def test_a_page_with_its_pictures_is_one_use(server: Server, accept: str) -> None:
    name = accept[-4:]
    path = make(server, name, uses="1")
    page = send(server, path, Accept="text/html")
    assert page.status == 200
    sources = re.findall(rb'(?:src|srcset)="(/l/[^"]+)"', page.body)
    assert sources and all(b"curlew_visit=" in one for one in sources)
    assert send(server, path, Accept=accept).status == 404
    cookie = page.headers["Set-Cookie"].partition(";")[0]
    assert send(server, path, Accept=accept, Cookie=cookie).status == 200
    forged = re.sub(r"=\d+\.", "=9999999999.", cookie)
    assert send(server, path, Accept=accept, Cookie=forged).status == 404
    assert send(server, make(server, f"{name}-2"), Accept=accept, Cookie=cookie).status == 200
    assert count(server, f"{name}-2") == 1  # a visit of one link is not one of another
    assert count(server, name) == 1


def test_a_visit_is_not_prolonged_by_reading_the_page_again(server: Server) -> None:
    path = make(server, "once", uses="1")
    cookie = send(server, path, Accept="text/html").headers["Set-Cookie"].partition(";")[0]
    time.sleep(1)  # a ticket made now would name a later second
    again = send(server, path, Accept="text/html", Cookie=cookie)
    assert "Set-Cookie" not in again.headers
    assert set(re.findall(r"curlew_visit=[\w.]+", again.body.decode())) == {cookie}


def test_a_page_leads_nowhere(server: Server) -> None:
    page = send(server, make(server, "page"), Accept="text/html")
    leads = re.findall(rb'(?:href|action)="([^"]*)"', page.body)
    assert leads
    assert [one for one in leads if not one.startswith((b"/l/", b"/static/"))] == []
    assert b"alice" not in page.body
    assert page.headers["Referrer-Policy"] == "no-referrer"
    assert page.headers["Cache-Control"] == "no-store"
    assert page.headers["X-Robots-Tag"] == "noindex"


@pytest.mark.parametrize(
    "tail",
    [
        *("/..", "/../..", "/%2e%2e/", "/%2f", "%2f..%2fv1", "/.", "//plot.csv/x", "/plot.csv/..", "/%00"),
        *("/%ff", "?/../v1", "/files", "/shared", "/access", "/config/title", "/threads", "/vars", "/plot"),
        *("/plot.", "/.csv", "/plot.exe", "/csv.csv", "/assets", "/activity", "/log", "/preview", "/embed"),
        *("/snapshots", "/edit"),
    ],
)
def test_no_path_leads_further(server: Server, path: str, tail: str) -> None:
    said = send(server, path + tail)
    if tail.startswith("?"):
        assert said.status == 200
        return
    assert said.status == 404
    assert json.loads(said.body)["detail"] == "there is no such link, or it has ended: ask for another"


def test_all_that_does_not_open_is_answered_alike(server: Server) -> None:
    ended, gone, used = make(server, "over"), make(server, "gone"), make(server, "used", uses="1")
    with open_world(server.settings) as world:
        found = next(link for _, link in world.social.links.everyone() if link.name == "link~over")
        world.social.links.change(found.digest, "expires_on", "2020-01-01T00:00:00.000Z")
    server.ask("DELETE", f"{PLOT}/shared/link~gone", who="alice")
    make(server, "gone")
    assert send(server, used).status == 200
    for accept in ("application/json", "text/html", "text/plain", "image/svg+xml"):
        answers = set()
        for path in (ended, gone, used, "/l/" + "A" * 22, "/l/", "/l", "/l/%00", "/%6c/" + "B" * 22):
            said = send(server, path, Accept=accept)
            answers.add((said.status, re.sub(rb'[0-9a-f]{32}|nonce="[^"]*"', b"", said.body)))
        assert len(answers) == 1, accept
        assert next(iter(answers))[0] == 404


def test_wrong_passwords_are_limited_and_the_form_is_of_this_site(server: Server) -> None:
    path = make(server, "locked", password=PASSWORD)
    form = {"method": "POST", "Content_Type": FORM}
    right = f"password={PASSWORD.replace(' ', '+')}"
    assert send(server, path, body=right, **form, Origin="https://evil.example").status == 403
    assert send(server, path, body=right, **form, Origin="null", Sec_Fetch_Site="cross-site").status == 403
    assert send(server, path, body=right, **form, Origin="null", Sec_Fetch_Site="same-site").status == 403
    said = send(server, f"/{path}?next=//evil.example", body=right, **form, Origin="null")
    assert (said.status, said.headers["Location"]) == (303, path)
    cookie = said.headers["Set-Cookie"]
    assert f"Path={path};" in cookie and "HttpOnly" in cookie and "SameSite=Lax" in cookie
    pair = cookie.partition(";")[0]
    assert send(server, path, Cookie=pair).status == 200
    other = make(server, "other", password=PASSWORD)
    assert send(server, other, Cookie=pair).status == 401
    found = [send(server, path, Authorization=basic("wrong one")).status for _ in range(8)]
    assert found == [401] * 5 + [429] * 3
    assert send(server, path, Authorization=basic(PASSWORD)).status == 429
    assert send(server, path, Cookie=pair).status == 200
    assert send(server, other, Authorization=basic(PASSWORD)).status == 200
    server.ask("POST", f"{PLOT}/shared/link~locked/password", b"another one", who="alice")
    assert send(server, path, Cookie=pair).status == 401
    assert send(server, path, Accept="text/html").body.count(b'type="password"') == 1


def test_no_key_and_no_password_is_stored_or_logged(server: Server) -> None:
    path = make(server, "quiet", password=PASSWORD)
    for headers in ({}, {"Accept": "text/html"}, {"Authorization": basic(PASSWORD)}):
        send(server, path, **headers)
    key = path.rpartition("/")[2].encode()
    for file in server.folder.rglob("*"):
        if file.is_file():
            content = file.read_bytes()
            assert key not in content, file
            assert PASSWORD.encode() not in content, file
