"""Documents taken apart for their pages: outline, anchors, and sheets of a shadow tree."""

from __future__ import annotations

import re

import pytest

from handlers.pages.visuals.document_reading import DocumentReading, reading_of
from handlers.pages.visuals.embed_page import shadow_css
from handlers.render.documents.markup.document_text import read_document
from handlers.render.documents.pages.document_html import DocumentLook, page_html
from handlers.render.documents.pages.media import ScreenMedium
from handlers.words.document_parts import DocumentParts


def reading(text: str, kind: str = "doc", css: str = "") -> DocumentReading:
    """The reading of a document as the renderer makes it."""
    look = DocumentLook(kind, custom_css=css, name="report")
    found = reading_of(page_html(read_document(text), DocumentParts(), ScreenMedium(), look).whole)
    assert found is not None
    return found


def test_headings_are_the_outline() -> None:
    text = (
        "---\ntitle: A & B\nlang: he\n---\n# One *two* $x$\n## \\<Three>\n### Four\n#### V\n# One *two* $x$\n"
    )
    found = reading(text)
    assert (found.title, found.language, found.right_to_left, found.slides) == ("A & B", "he", True, False)
    assert [entry[:2] for entry in found.outline] == [
        (1, "One two"), (2, "<Three>"), (3, "Four"), (1, "One two"),
    ]  # fmt: skip
    assert len({entry.fragment for entry in found.outline}) == 4
    assert found.has_heading
    assert not reading("a\n\n## b\n").has_heading


def test_every_place_that_links_lead_to_has_an_anchor_and_a_slot() -> None:
    found = reading("---\ntoc: true\n---\n# One\nText[[ftn: Said.]] [there](#two)\n\n## Two\n")
    linked = set(re.findall(r'href="#([^"]+)"', found.body))
    assert linked == {"s-one", "s-two", "s-note-1", "s-call-1"}
    assert linked <= {anchor.fragment for anchor in found.anchors}
    for anchor in found.anchors:
        assert found.body.count(f'<slot name="{anchor.slot}"></slot>') == 1


def test_slides_are_numbered() -> None:
    text = "---\ntitle: Board\n---\n{{ page /}}\n# First\n{{ page /}}\nno heading\n{{ page /}}\n## Last\n"
    found = reading(text, "pres")
    assert found.slides
    assert [tuple(entry) for entry in found.outline] == [
        (1, "Board", "1"), (1, "First", "2"), (1, "Slide 3", "3"), (1, "Last", "4"),
    ]  # fmt: skip
    assert [anchor.slot for anchor in found.anchors if anchor.fragment == "2"] == ["p-0"]
    assert "{{" not in found.body
    assert "calc(540 * var(--pt))" in found.css
    assert not re.search(r"\d(?<!0)pt\b|@page", found.css.partition(".sheet")[2].partition("font-style")[0])


@pytest.mark.parametrize(
    "css, meant",
    [
        ("html{a:b}body{c:d}", ":host{a:b}.body{c:d}"),
        (":root > body p, html .x{a:b}", ":host > .body p, :host .x{a:b}"),
        ("@media print{body{a:b}}", "@media print{.body{a:b}}"),
        ('@layer x{.body{a:"body{html"}}', '@layer x{.body{a:"body{html"}}'),
        ("p::before{content:'html{'} html{a:b}", "p::before{content:'html{'} :host{a:b}"),
        (".body #body html-x my-body{body:html}", ".body #body html-x my-body{body:html}"),
        ('body[x="html"]{a:b', '.body[x="html"]{a:b'),
        ("HTML{a:b}", ":host{a:b}"),
    ],
)
def test_sheets_speak_of_the_host(css: str, meant: str) -> None:
    assert shadow_css(css) == meant


def test_nothing_ends_the_template_that_holds_a_document() -> None:
    found = reading(
        "{{ html }}\n<template></template><b title='</template>'>x</b>\n{{ /html }}\n\n`</template>`\n"
    )
    assert "template" not in re.sub(r"&lt;/?template|lt;/template", "", found.body)
    whole = page_html(read_document("a"), DocumentParts(), ScreenMedium(), DocumentLook()).whole
    broken = reading_of(whole.replace("<p>a</p>", "</TEMPLATE><template>"))
    assert broken is not None
    assert "&lt;/TEMPLATE>&lt;template>" in broken.body


def test_html_without_a_document_has_no_reading() -> None:
    assert reading_of("") is None
    assert reading_of('{"kind": "doc"}') is None
