"""The pages beside the API, as browsers, curl and programs read them."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from typing import Any

import pytest

from handlers.http.problems import BROKEN, MALFORMED, PROBLEM_TYPES, UNKNOWN_METHOD
from handlers.reference import errors as explained
from handlers.reference.errors import EXPLAINED
from handlers.reference.manual import ABOUT
from handlers.reference.outline import lines
from handlers.reference.pages import pages
from handlers.trees import ROOT
from tests.handlers.standins import Kernel, edge, raising
from tests.kit.client import call
from vfs.errors import Outdated
from vfs.tree import Tree

BROWSER = [("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")]
PAGES = ("/docs", *(f"/docs/{name}" for name in ABOUT))
TREE = Tree(ROOT)


@pytest.fixture
def app(kernel: Kernel) -> Any:
    return edge(kernel, pages=pages(TREE, "1.2.3"))


@pytest.mark.parametrize("path", PAGES)
def test_a_browser_gets_a_page(app: Any, path: str) -> None:
    answer = call(app, "GET", path, BROWSER)
    page = answer.body.decode()
    assert (answer.status, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert page.startswith('<!doctype html>\n<html lang="en">')
    assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in page
    assert page.count("<h1") == 1
    assert f'href="{path}" aria-current=page' in page


@pytest.mark.parametrize("path", PAGES)
def test_a_page_loads_and_runs_nothing(app: Any, path: str) -> None:
    answer = call(app, "GET", path, BROWSER)
    page = answer.body.decode()
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)
    assert style is not None
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    policy = answer.headers["content-security-policy"]
    assert policy.startswith(f"default-src 'none'; style-src 'sha256-{digest}';")
    assert not re.search(r"<script|<link|<iframe|\son\w+=|\sstyle=|url\(|@import", page)


@pytest.mark.parametrize("path", PAGES)
def test_curl_gets_text(app: Any, path: str) -> None:
    for accept in ([], [("Accept", "*/*")], [("Accept", "text/plain")]):
        answer = call(app, "GET", path, accept)
        assert answer.headers["content-type"] == "text/plain; charset=utf-8"
        assert b"<html" not in answer.body
        assert answer.body.endswith(b"\n")
    assert (
        call(app, "GET", path, [("Accept", "text/markdown")]).headers["content-type"]
        == "text/markdown; charset=utf-8"
    )


def test_the_contents_lead_to_every_chapter(app: Any) -> None:
    contents = call(app, "GET", "/docs").body.decode()
    assert re.findall(r"\]\((.*?)\)", contents) == list(PAGES[1:])
    for name, about in ABOUT.items():
        assert re.search(rf"^\* \[.+\]\(/docs/{name}\): {re.escape(about)}$", contents, re.MULTILINE)


def test_marks_of_generated_parts_are_not_shown(app: Any) -> None:
    for path in PAGES:
        assert "<!--" not in call(app, "GET", path).body.decode()


def test_headings_can_be_linked_to(app: Any) -> None:
    page = call(app, "GET", "/docs/tour", BROWSER).body.decode()
    assert '<h2 id="the-main-job">' in page


def test_the_table_of_the_api_is_that_of_the_command(app: Any) -> None:
    assert call(app, "GET", "/docs/api").body.decode() == lines(TREE)
    page = call(app, "GET", "/docs/api", BROWSER).body.decode()
    assert page.count("<tr>") == len(list(TREE.spots())) + 1


def test_every_kind_of_error_is_explained_once() -> None:
    assert set(EXPLAINED) == {kind.slug for kind in explained.kinds()}
    assert set(explained.kinds()) == {*PROBLEM_TYPES.values(), BROKEN, UNKNOWN_METHOD, *MALFORMED.values()}


def test_the_type_of_an_error_leads_to_its_explanation(kernel: Kernel, app: Any) -> None:
    kernel.answer = raising(Outdated("changed"))
    told = json.loads(call(app, "GET", "/v1/x").body)
    path, _, anchor = told["type"].removeprefix("http://localhost:8000").partition("#")
    page = call(app, "GET", path, BROWSER).body.decode()
    assert f'<h2 id="{anchor}">' in page
    for slug in EXPLAINED:
        assert f'<h2 id="{slug}">' in page


def test_the_description_is_served_as_it_is_written(app: Any) -> None:
    answer = call(app, "GET", "/openapi.json")
    assert answer.headers["content-type"] == "application/json"
    assert json.loads(answer.body)["info"]["version"] == "1.2.3"


@pytest.mark.parametrize("path", [*PAGES, "/openapi.json"])
def test_a_page_that_was_read_before_is_not_sent_again(app: Any, path: str) -> None:
    first = call(app, "GET", path)
    again = call(app, "GET", path, [("If-None-Match", first.headers["etag"])])
    assert (again.status, again.body) == (304, b"")
    head = call(app, "HEAD", path)
    assert (head.status, head.body, head.headers["etag"]) == (200, b"", first.headers["etag"])
    assert call(app, "POST", path).status == 405
    assert call(app, "GET", path, [("If-Match", '"another"')]).status == 412


def test_the_faces_of_a_page_have_validators_of_their_own(app: Any) -> None:
    assert call(app, "GET", "/docs", BROWSER).headers["etag"] != call(app, "GET", "/docs").headers["etag"]
    assert "Accept" in call(app, "GET", "/docs", BROWSER).headers["vary"]
