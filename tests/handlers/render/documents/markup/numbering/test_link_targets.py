"""Links of documents: to a heading, to the web or to mail; other links are words with a note."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.render.documents.markup.document_text import read_document
from handlers.render.documents.markup.numbering import github_names
from handlers.render.documents.pages.document_html import DocumentLook, page_html
from handlers.render.documents.pages.media import ScreenMedium
from handlers.words.document_parts import DocumentParts

HEADINGS = "# A\n\n## Try it\n\n## Try it\n\n## `Foo` — That Is\n\n## Größe?\n\n"


def page(text: str) -> tuple[str, tuple[str, ...]]:
    """The HTML of a text, and its notes."""
    made = page_html(read_document(text), DocumentParts(), ScreenMedium("light"), DocumentLook("doc"))
    return made.body, made.notes


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("#try-it", "try-it"), ("#try-it--2", "try-it--2"), ("#try-it-1", "try-it--2"), ("#Try-It", "try-it"),
        ("#foo-that-is", "foo-that-is"), ("#foo--that-is", "foo-that-is"), ("#größe", "größe"),
        ("#gr%C3%B6%C3%9Fe", "größe"),
    ],
)  # fmt: skip
def test_a_heading_is_found_by_each_of_its_names(address: str, place: str) -> None:
    body, notes = page(f"{HEADINGS}[x]({address})")
    assert f'<a href="#s-{place}">x</a>' in body and f'id="s-{place}"' in body
    assert notes == ()


@pytest.mark.parametrize(
    "address", ["#nope", "#", "other.md", "the%20brief.md", "./a", "../a/b.md", "www.example.com"]
)
def test_a_link_that_leads_nowhere_is_words_and_is_noted_once(address: str) -> None:
    for text in (f"[x]({address}) [x]({address})", f"- *[x]({address})*", f"| a |\n|---|\n| [x]({address}) |",
                 f'<a href="{address}">x</a>', f"a[^1]\n\n[^1]: [x]({address})"):  # fmt: skip
        body, notes = page(f"{HEADINGS}{text}")
        assert "x" in body and address.strip("#") not in re.findall('href="#?(?:s-)?([^"]*)', body)
        (note,) = notes
        assert "leads nowhere" in note


@pytest.mark.parametrize("address", ["https://a.example/b.md", "mailto:a@b.example", "tel:+4712", "/u/a/p/x"])
def test_links_outward_stay(address: str) -> None:
    body, notes = page(f"[x](<{address}>)")
    assert f'href="{address}"' in body
    assert notes == ()


def test_a_picture_leads_to_a_heading_too() -> None:
    text = f"{HEADINGS}{{{{ img ref: a.png, link: '#try-it-1' }}}}"
    (image,) = (block for block in read_document(text).blocks() if hasattr(block, "alt"))
    assert image.link == "#try-it--2"  # type: ignore[union-attr]


@given(st.lists(st.text("ab -_.1é", min_size=1, max_size=6), max_size=12))
def test_no_two_headings_have_one_name(words: list[str]) -> None:
    names = list(github_names(words))
    assert len(set(names)) == len(names) == len(words)
