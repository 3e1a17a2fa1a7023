"""The pages beside the API, as browsers, curl and programs read them."""

from __future__ import annotations

import json
import re
from pathlib import Path as Folder
from typing import Any

import pytest

from handlers.http.problems import BROKEN, MALFORMED, MISDIRECTED, PROBLEM_TYPES, UNKNOWN_METHOD
from handlers.pages.site import Site
from handlers.processes.web import application
from handlers.processes.world import build
from handlers.reference import errors as explained
from handlers.reference.errors import EXPLAINED
from handlers.reference.manual import ABOUT, manual
from handlers.reference.outline import lines
from handlers.reference.pages import pages
from handlers.settings.sources import load
from handlers.trees import ROOT
from tests.handlers.small_kernel import Anyone, Kernel, SealedStage, edge, raising
from tests.kit.client import Answer, call
from vfs.errors import Outdated, Unauthenticated
from vfs.tree import Tree

BROWSER = [("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")]
PAGES = ("/docs", *(f"/docs/{name}" for name in ABOUT))
TREE = Tree(ROOT)
CHAPTERS = manual(TREE)


@pytest.fixture
def app(kernel: Kernel) -> Any:
    site = Site(kernel, SealedStage(), Anyone(), CHAPTERS, {})
    return edge(kernel, pages=pages(TREE, CHAPTERS, "1.2.3"), site=site, astray=site.astray)


@pytest.mark.parametrize("path", PAGES)
def test_a_browser_gets_a_page(app: Any, path: str) -> None:
    answer = call(app, "GET", path, BROWSER)
    page = answer.body.decode()
    assert (answer.status, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert page.count("<h1") == 1
    assert f'href="{path}" aria-current=page' in page
    assert "Accept" in answer.headers["vary"]


@pytest.mark.parametrize("path", PAGES)
def test_a_text_brings_no_style_and_no_script(app: Any, path: str) -> None:
    page = call(app, "GET", path, BROWSER).body.decode().partition("<main")[2]
    assert page
    assert not re.search(r"<script|<link|<iframe|<style|\son\w+=|\sstyle=|@import", page)


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


def test_models_find_every_chapter_as_markdown(app: Any) -> None:
    listed = call(app, "GET", "/llms.txt", BROWSER)
    assert listed.headers["content-type"] == "text/plain; charset=utf-8"
    addresses = re.findall(r"\]\((.*?)\)", listed.body.decode())
    assert addresses == [f"http://localhost:8000{path}.md" for path in PAGES[1:]]
    for address in addresses:
        answer = call(app, "GET", address.removeprefix("http://localhost:8000"), BROWSER)
        assert answer.headers["content-type"] == "text/markdown; charset=utf-8"
        assert answer.body.startswith(b"# ")


def test_marks_of_generated_parts_are_not_shown(app: Any) -> None:
    for path in PAGES:
        assert not re.search("<!-- (begin|end) ", call(app, "GET", path).body.decode())


def test_headings_can_be_linked_to(app: Any) -> None:
    page = call(app, "GET", "/docs/tour", BROWSER).body.decode()
    assert '<h2 id="the-main-job">' in page
    assert page.count('<a href="#the-main-job">') == 2


def test_the_table_of_the_api_is_that_of_the_command(app: Any) -> None:
    assert call(app, "GET", "/docs/api").body.decode() == lines(TREE)
    page = call(app, "GET", "/docs/api", BROWSER).body.decode()
    assert page.count("<tr>") == len(list(TREE.routes())) + page.count("<table>")


def test_every_kind_of_error_is_explained_once() -> None:
    assert set(EXPLAINED) == {kind.slug for kind in explained.kinds()}
    others = {BROKEN, MISDIRECTED, UNKNOWN_METHOD, *MALFORMED.values()}
    assert set(explained.kinds()) == {*PROBLEM_TYPES.values(), *others}


def test_the_type_of_an_error_leads_to_its_explanation(kernel: Kernel, app: Any) -> None:
    kernel.answer = raising(Outdated("changed"))
    problem = json.loads(call(app, "GET", "/v1/x").body)
    path, _, anchor = problem["type"].removeprefix("http://localhost:8000").partition("#")
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


def test_a_missing_chapter_is_reported_to_browsers_and_programs(app: Any) -> None:
    for accept, media in ((BROWSER, "text/html; charset=utf-8"), ([], "application/problem+json")):
        answer = call(app, "GET", "/docs/nothing", accept)
        assert (answer.status, answer.headers["content-type"]) == (404, media)


def test_whose_session_is_over_reads_the_manual(kernel: Kernel) -> None:
    site = Site(kernel, SealedStage(), Anyone(refusal=Unauthenticated("the session is over")), CHAPTERS, {})
    assert call(edge(kernel, site=site), "GET", "/docs/tour", BROWSER).status == 200


def security_txt(folder: Folder, contact: str) -> Answer:
    """The file of a service whose operator has set this contact."""
    settings = load({}, data=str(folder), security_contact=contact)
    live_world = build(settings)
    try:
        return call(application(settings, live_world), "GET", "/.well-known/security.txt")
    finally:
        live_world.close()


@pytest.mark.parametrize(
    "contact, line",
    [
        ("safe@example.org", "Contact: mailto:safe@example.org"),
        ("https://example.org/report", "Contact: https://example.org/report"),
    ],
)
def test_the_operators_contact_is_shown(tmp_path: Folder, contact: str, line: str) -> None:
    answer = security_txt(tmp_path, contact)
    assert answer.status == 200
    assert answer.body.decode().splitlines()[0] == line
    assert "\nExpires: 2" in answer.body.decode()
    assert "/docs/security\n" in answer.body.decode()


def test_without_a_contact_there_is_no_such_file(tmp_path: Folder) -> None:
    assert security_txt(tmp_path, "").status == 404
