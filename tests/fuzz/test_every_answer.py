"""Every answer of a filled world, to all requests and callers: sandboxed unless it is one of the pages."""

from __future__ import annotations

import base64
import json
import re
from collections import Counter
from collections.abc import Iterator

import pytest

from handlers.processes.web import tree_and_pages
from handlers.trees import ROOT
from tests.fuzz.empty_world import ITEMS, EmptyWorld, open_world
from tests.kit.client import Answer, call, environment, framed, is_page, sandboxed, within_page

SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>parent.evil = 1</script></svg>'
HTML = b"<!doctype html><script>fetch('/v1/admin/profile/bio', {method: 'POST', body: 'x'})</script>"
BROWSER = "text/html,application/xhtml+xml,*/*;q=0.8"
FILES = ("evil.html", "evil.svg", "evil.xhtml", "evil.js", "evil.css", "evil.xml", "evil.pdf")
WRITES = ("POST", "PUT", "PATCH", "DELETE")
Headers = list[tuple[str, str]]
# News of a picture go on without end.
NEWS = ("Accept", "text/event-stream")
PICTURE = re.compile(r"/(plot|grid)\.svg$|/svg$|/(doc|mail)\.html$|/[dm]/[^/]+/html$")

pytestmark = pytest.mark.no_cover


@pytest.fixture(scope="module")
def tree_world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmptyWorld]:
    """The service with something in every place, hostile files among it."""
    with open_world(tmp_path_factory.mktemp("world")) as empty_world:
        empty_world.service.push(
            "fuzz/heron", {name: HTML.decode() for name in FILES} | {"Containerfile": RECIPE}
        )
        empty_world.service.arrange("group", ["@fuzz~flock", "+fuzz", "+fuzz~flock"], [])
        empty_world.populate()
        empty_world.ask("POST", f"{ITEMS['docs']}/assets/evil.svg", SVG, "image/svg+xml")
        for name in FILES:
            empty_world.ask("PUT", f"{ITEMS['spaces']}/content/{name}", HTML, "text/html")
        for path in ITEMS.values():
            for name in ("threads/talk", "threads/@fuzz~talk/comments/first", "vars/size"):
                empty_world.ask("PUT", f"{path}/{name}")
        empty_world.known |= NAMES
        yield empty_world


RECIPE = "FROM scratch\nENV WRITE=evil.html=<script>1</script>"
NAMES = {
    "group": ["flock"],
    "org": ["fuzz"],
    "member": ["fuzz"],
    "topic": ["@fuzz~talk"],
    "comment": ["@fuzz~first"],
    "var": ["size"],
}


def paths(tree_world: EmptyWorld) -> list[str]:
    """Every path of the tree with names that are there, files of user-made folders, and what is beside it."""
    found = [_filled(route.template, tree_world) for route in tree_and_pages(ROOT)[0].routes()]
    commit = f"{ITEMS['repos']}/commits/{tree_world.known['sha'][0]}/files"
    found += [f"{folder}/{name}" for folder in (commit, f"{ITEMS['spaces']}/content") for name in FILES]
    found += [f"{ITEMS['docs']}/assets/evil.svg", commit, *OUTSIDE]
    return list(dict.fromkeys(found))


OUTSIDE = (
    "/", "/login", "/logout", "/u/fuzz", "/u/fuzz/j/heron", "/u/nobody", "/j/none", "/o/none", "/nowhere",
    "/v2", "/docs", "/docs/api", "/docs/errors", "/openapi.json", "/healthz", "/readyz", "/metrics",
    "/static/none.js", "/static/page.js", "/static/page.css", "/static/mark.svg",
    "/v1/%2f", "/v1/a/../b", "/%ff%00", *(f"/git/fuzz/{rest}" for rest in (
        "heron.git", "heron.git/HEAD", "heron.git/info/refs", "none.git/info/refs",
        "heron.git/info/refs?service=git-upload-pack", "heron.git/info/refs?service=git-receive-pack",
    )),
)  # fmt: skip


def _filled(template: str, tree_world: EmptyWorld) -> str:
    return re.sub(r":([a-z_]+)", lambda found: tree_world.known.get(found[1], ["heron"])[0], template)


def asks(tree_world: EmptyWorld) -> Iterator[tuple[str, Headers]]:
    """Each way to ask for whatever is there, changing nothing."""
    owner = ("Authorization", f"Bearer {tree_world.token}")
    for accept in ("*/*", "application/json", BROWSER, "text/event-stream"):
        yield "GET", [owner, ("Accept", accept)]
    yield "GET", [owner, ("Range", "bytes=0-1")]
    yield "GET", [owner, ("X-History", "list")]
    yield "GET", [("Authorization", f"Bearer {tree_world.token}x"), ("Accept", BROWSER)]
    yield "GET", [("Cookie", "curlew_session=clw_dead"), ("Accept", "text/plain")]
    for method in ("GET", "HEAD", "OPTIONS", "QUERY", "BREW", *WRITES):
        yield method, []
        yield method, [("Accept", BROWSER), ("Sec-Fetch-Site", "cross-site")]
    yield "HEAD", [owner]
    yield "OPTIONS", [("Origin", "https://evil.example"), ("Access-Control-Request-Method", "POST")]


def confined(path: str, answer: Answer) -> bool:
    """Whether what is in an answer can reach nothing, wherever it is shown."""
    headers = answer.headers
    return sandboxed(headers) or framed(path, headers) or within_page(path, headers)


def test_every_answer_is_sandboxed_unless_it_is_one_of_the_pages(tree_world: EmptyWorld) -> None:
    statuses: Counter[int] = Counter()
    pages: set[str] = set()
    for path in paths(tree_world):
        for method, headers in asks(tree_world):
            if NEWS in headers and PICTURE.search(path):
                continue
            answer = call(tree_world.app, method, path, headers)
            statuses[answer.status] += 1
            if not confined(path, answer):
                assert is_page(path, answer), (method, path, headers, answer)
                pages.add(path)
    assert {200, 204, 206, 303, 400, 401, 404, 405, 501} <= statuses.keys()
    assert 500 not in statuses
    assert statuses[200] > 4000
    assert {"/", "/login", "/u/fuzz", "/docs"} <= pages


def test_what_is_unchanged_or_refused_by_a_condition_is_sandboxed_too(tree_world: EmptyWorld) -> None:
    statuses: Counter[int] = Counter()
    owner = ("Authorization", f"Bearer {tree_world.token}")
    for path in paths(tree_world):
        tag = call(tree_world.app, "GET", path, [owner]).headers.get("etag")
        for condition in ("If-None-Match", "If-Match") if tag else ():
            for method in ("GET", "HEAD"):
                answer = call(
                    tree_world.app, method, path, [owner, (condition, tag or ""), ("Range", "bytes=999999-")]
                )
                statuses[answer.status] += 1
                assert (
                    confined(path, answer)
                    or is_page(path, answer)
                    or "html" in answer.headers["content-type"]
                )
    assert {304, 416} <= statuses.keys()


def test_what_is_followed_is_sandboxed_from_its_first_byte(tree_world: EmptyWorld) -> None:
    log = f"{ITEMS['jobs']}/runs/{tree_world.known['run'][0]}/log"
    for accept in ("text/event-stream", "text/plain", "application/json"):
        answer = tree_world.ask_with("GET", f"{log}?follow=1", ("Accept", accept))
        assert (answer.status, answer.headers["content-type"].partition(";")[0]) == (200, accept)
        assert sandboxed(answer.headers)


def test_news_of_a_picture_are_sandboxed(tree_world: EmptyWorld) -> None:
    headers = [("Authorization", f"Bearer {tree_world.token}"), NEWS]
    for path in (f"{ITEMS['plots']}/files/plot.svg", f"{ITEMS['grids']}/files/grid.svg"):
        begun: list[tuple[str, list[tuple[str, str]]]] = []
        pieces = tree_world.app(
            environment("GET", path, headers, b""), lambda *said, begun=begun: begun.append(said)
        )
        next(iter(pieces))
        pieces.close()
        [(status, answered)] = begun
        assert status == "200 OK"
        assert sandboxed({name.lower(): value for name, value in answered})


def test_code_is_plain_text_under_any_name(tree_world: EmptyWorld) -> None:
    commit = f"{ITEMS['repos']}/commits/{tree_world.known['sha'][0]}/files"
    for name in FILES:
        answer = tree_world.ask("GET", f"{commit}/{name}")
        assert (answer.status, answer.body) == (200, HTML)
        assert answer.headers["content-type"] == "text/plain; charset=utf-8"
        assert "content-disposition" not in answer.headers


def test_a_file_with_a_known_type_keeps_it_in_the_sandbox(tree_world: EmptyWorld) -> None:
    run = f"{ITEMS['jobs']}/runs/{tree_world.known['run'][0]}"
    for path, media in (
        (f"{run}/output", "text/html; charset=utf-8"),
        (f"{ITEMS['spaces']}/content/evil.xml", "text/html; charset=utf-8"),
        (f"{ITEMS['docs']}/assets/evil.svg", "image/svg+xml"),
    ):
        answer = tree_world.ask("GET", path)
        assert (answer.status, answer.headers["content-type"]) == (200, media)
        assert sandboxed(answer.headers)
    assert tree_world.ask("GET", f"{run}/output").headers["content-disposition"].startswith("attachment")


def test_a_clone_is_sandboxed_and_kept_by_nobody(tree_world: EmptyWorld) -> None:
    path = "/git/fuzz/heron.git/info/refs?service=git-upload-pack"
    answer = tree_world.ask_with("GET", path, _basic(tree_world))
    assert (answer.status, answer.headers["cache-control"]) == (200, "private, no-store")
    assert answer.headers["content-type"] == "application/x-git-upload-pack-advertisement"
    assert sandboxed(answer.headers)


def _basic(tree_world: EmptyWorld) -> tuple[str, str]:
    return "Authorization", f"Basic {base64.b64encode(f'fuzz:{tree_world.token}'.encode()).decode()}"


def test_what_a_credential_was_shown_is_kept_by_nobody(tree_world: EmptyWorld) -> None:
    tree_world.ask("PUT", f"{ITEMS['docs']}/shared/public~r")
    path = "/v1/users/fuzz/vis/docs/heron/content"
    for header, kept in ((("Accept", "*/*"), "no-cache"), (("Cookie", "a=b"), "private, no-store")):
        answer = call(tree_world.app, "GET", path, [header])
        assert (answer.status, answer.headers["cache-control"]) == (200, kept)
    mine = tree_world.ask("GET", path)
    assert mine.headers["cache-control"] == "private, no-store"
    again = tree_world.ask_with("GET", path, ("If-None-Match", mine.headers["etag"]))
    assert (again.status, again.headers["cache-control"]) == (304, "private, no-store")
    login = {"username": "fuzz", "password": tree_world.service.password("fuzz")}
    made = call(
        tree_world.app, "POST", "/v1/auth", [("Content-Type", "application/json")], json.dumps(login).encode()
    )
    assert (made.status, made.headers["cache-control"]) == (200, "private, no-store")
