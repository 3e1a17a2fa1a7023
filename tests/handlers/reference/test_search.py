"""The manual is searched on its page, and shows the address of the server that shows it."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from handlers.pages.site import Site
from handlers.reference.manual import SHOWN_ORIGIN, manual
from handlers.reference.pages import pages
from handlers.reference.search import AROUND, MOST_FOUND, search
from handlers.trees import ROOT
from tests.handlers.small_kernel import Anyone, Kernel, SealedStage, edge
from tests.kit.client import call
from vfs.tree import Tree

BROWSER = [("Accept", "text/html,*/*;q=0.8")]
TREE = Tree(ROOT)
CHAPTERS = manual(TREE)
ELSEWHERE = ("Host", "curlew.example:8417")


@pytest.fixture
def app(kernel: Kernel) -> Any:
    site = Site(kernel, SealedStage(), Anyone(), CHAPTERS, {})
    return edge(kernel, pages=pages(TREE, CHAPTERS, "1.2.3"), site=site, astray=site.astray)


def page(app: Any, question: str) -> str:
    answer = call(app, "GET", f"/docs?q={quote(question)}", BROWSER)
    assert answer.status == 200
    return answer.body.decode()


@pytest.mark.parametrize(
    "question, address",
    [
        ("fan-out", "/docs/chains#fan-out-step"),
        ("hold before", "/docs/chains#a-hold-before-a-step-step"),
        ("SCHEDULE", "/docs/jobs#schedule"),
        ("svc_token", "/docs/jobs#variables"),
    ],
)
def test_what_a_newcomer_asks_for_is_found(question: str, address: str) -> None:
    assert address in [one.address for one in search(CHAPTERS.values(), question)[:5]]


def test_every_section_that_is_found_is_there(app: Any) -> None:
    for one in search(CHAPTERS.values(), "step"):
        path, _, anchor = one.address.partition("#")
        assert f'id="{anchor}"' in call(app, "GET", path, BROWSER).body.decode()
        assert one.word.casefold() in ("step", "")


def test_whole_words_stand_around_what_was_found_and_no_examples() -> None:
    for one in search(CHAPTERS.values(), "replicas"):
        around = f"{one.before}{one.word}{one.after}"
        assert "$ s " not in around and len(around) < 2 * AROUND + 20
        assert one.before[:2] in ("", "… ") or len(one.before) <= AROUND


def test_headings_are_listed_without_marks(app: Any) -> None:
    shown = call(app, "GET", "/docs/chains", BROWSER).body.decode()
    assert '<a href="#steps--">Steps: -&gt;</a>' in shown


def test_all_words_are_required_and_the_number_of_sections_is_limited() -> None:
    assert search(CHAPTERS.values(), "hold nowhereatall") == ()
    assert search(CHAPTERS.values(), "  ") == ()
    assert len(search(CHAPTERS.values(), "the")) == MOST_FOUND


def test_a_page_lists_what_was_found(app: Any) -> None:
    shown = page(app, "fan-out")
    assert 'href="/docs/chains#fan-out-step"' in shown
    assert '<input type="search"' in shown
    assert shown.count("<h1") == 1


def test_a_page_says_when_nothing_was_found_and_how_to_go_on(app: Any) -> None:
    assert "No section contains" in page(app, "xyzzy")


def test_a_question_is_shown_as_the_words_that_it_is(app: Any) -> None:
    shown = page(app, '"><script>alert(1)</script>')
    assert "<script>alert" not in shown
    assert "&lt;script&gt;" in shown


def test_examples_name_the_server_that_shows_them(app: Any) -> None:
    for accept in ([], BROWSER):
        shown = call(app, "GET", "/docs/tour", [*accept, ELSEWHERE]).body.decode()
        assert SHOWN_ORIGIN not in shown
        assert "http://curlew.example:8417/v1" in shown


def test_each_address_has_a_different_validator(app: Any) -> None:
    here = call(app, "GET", "/docs/tour", [("Host", "127.0.0.1:8000")])
    there = call(app, "GET", "/docs/tour", [ELSEWHERE])
    assert here.headers["etag"] != there.headers["etag"]
    again = call(app, "GET", "/docs/tour", [ELSEWHERE, ("If-None-Match", there.headers["etag"])])
    assert again.status == 304
