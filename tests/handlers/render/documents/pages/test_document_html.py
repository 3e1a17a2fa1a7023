"""Documents as pages of HTML: whole, safe, in the requested language and look."""

import io
import re
from dataclasses import replace

import pytest
from pptx import Presentation

from handlers.render.documents.markup.document_text import read_document
from handlers.render.documents.pages.document_html import DocumentLook, PageHtml, page_html
from handlers.render.documents.pages.media import PaperMedium, ScreenMedium
from handlers.render.documents.pages.parts import part_requests
from handlers.render.documents.slides.deck import document_pptx
from handlers.words.document_parts import AssetPart, DocumentParts
from tests.handlers.render.documents.samples import REPORT, deck, parts_of, picture, report


def screen(text: str, parts: DocumentParts | None = None, **look: str) -> PageHtml:
    return page_html(
        read_document(text), parts or DocumentParts(), ScreenMedium(), DocumentLook("web", **look)
    )


def test_a_report_holds_all_that_it_says() -> None:
    page = page_html(report(), parts_of(report(), "web"), ScreenMedium(), DocumentLook("web"))
    for piece in (
        '<header class="masthead"><h1>Freight 2026</h1>',
        'href="#s-the-year">The year</a>',
        '<span class="up">▲\u00a0+11.3%</span>',
        "it is not shared with you",
        'alt="Chart of /u/ann/p/sales"',
        '<td class="number">1 204</td>',
        'role="doc-endnotes"',
        "<em>kroner</em>",
        'media="(prefers-color-scheme: dark)"',
        '<span class="c-text">&quot;',
        '<aside class="callout warning">',
        "Ann Berg",
        'aria-label="\\frac{a}{b}"',
    ):
        assert piece in page.body, piece
    assert page.title == "Freight 2026" and page.language == "en"
    assert any("Nowhere" in note for note in page.notes) and any("line 16" in note for note in page.notes)


def test_paper_knows_pages_and_has_its_pictures_beside_it() -> None:
    medium = PaperMedium("dark")
    page = page_html(report(), parts_of(report(), "doc"), medium, DocumentLook())
    assert '<a class="pageref" href="#s-the-year"></a>' in page.body
    assert '<span class="footnote">' in page.body and "color-scheme:dark" in page.css
    assert len(medium.files) == 3 and all(name in page.body for name in medium.files)


@pytest.mark.parametrize(
    "kind,word", [("doc", "size: A4"), ("pres", "size: 960pt 540pt"), ("web", "size: A4")]
)
def test_each_kind_has_its_paper(kind: str, word: str) -> None:
    page = page_html(report(), DocumentParts(), PaperMedium(), DocumentLook(kind))
    assert word in page.css


def test_the_theme_custom_has_tokens_alone() -> None:
    assert "--novem-ink" in screen("a", theme="custom").css
    assert ".masthead" not in screen("a", theme="custom").css


def test_slides_are_their_pages_without_empty_ones() -> None:
    page = page_html(deck(), parts_of(deck(), "pres"), PaperMedium(), DocumentLook("pres"))
    assert page.body.count("<section") == 6
    assert 'class="sheet opening"' in page.body and 'class="sheet stage"' in page.body


def test_parts_are_requested_once_and_at_their_width() -> None:
    text = "{{ vis ref: p/a, width: 50% }}\n\n{{ vis ref: p/a, width: 50% }}\n\n![x](b.png) {/u/a/d/b/v/c}"
    wanted = part_requests(read_document(text), "doc")
    one, phone = wanted.visuals
    assert one.ref == phone.ref == "/p/a" and 360 < one.width < 420
    assert phone.narrow and phone.width == 358
    assert wanted.assets == ("b.png",) and wanted.variables == ("/u/a/d/b/v/c",)


HOSTILE = (
    "# <script>a</script>\n\n[x](javascript:a) `<script>`\n\n{{ html }}<script>a</script>"
    "<img src=x onerror=a><svg onload=a></svg>"
    "<p style='x' class='y' id='z' onclick=a>p</p><iframe src=x></iframe>"
    "</section>"
    '<a href="file:///x">f</a><td colspan=99999>{{ /html }}\n\n```html\n<script>a</script>\n```\n\n'
    '{{ img ref: logo.png, alt: "\\"><script>", link: "javascript:a" }}\n\n$</svg><script>$\n\n'
    '{{ callout title: "<script>" }}\n{{ /callout }}\n\n[[clr,fg,red-500: <script>]]\n\n'
    "| <script> |\n|-|\n| <b> |"
)


def test_nothing_of_a_user_runs_on_a_page() -> None:
    parts = DocumentParts(assets={"logo.png": picture()})
    page = screen(
        f'---\ntitle: "</title><script>"\nlang: en"><script>\n---\n{HOSTILE}', parts, origin='"}</style>'
    )
    for piece in (
        "<script",
        "onerror",
        "onload",
        "onclick",
        'javascript:a"',
        "<iframe",
        "style=",
        "id='z'",
        'file:///x"',
    ):
        assert piece not in page.whole, piece
    assert page.whole.count("</style>") == 1 and page.language == "en"
    assert page.body.count("<section") == page.body.count("</section")


def test_rules_of_a_text_are_classes() -> None:
    page = screen("{{ para p: x3, b: [l3 blue-500, t1], bg: #fff, width: 50% }}\na\n{{ /para }}")
    name = page.body.partition('class="passage boxed ')[2].partition('"')[0]
    assert f".{name}{{" in page.css
    assert (
        f".{name}{{padding-left:var(--novem-space-3);padding-right:var(--novem-space-3);border-left:3"
        not in page.css
    )
    assert "border-left:2pt solid light-dark(" in page.css and "background-color:#ffffff" in page.css


@pytest.mark.parametrize(
    "css,left,note",
    [
        ("h1 { color: red }", "h1{color:red;}", ""),
        ("@media print { p { margin: 0 } }", "@media print{p{margin:0;}}", ""),
        ("@import 'x.css'; a { b: c }", "a{b:c;}", "@import is left out"),
        ("a { background: url(http://x/y); color: red }", "a{color:red;}", "nothing is fetched"),
        ("a { color: var(--x, url('y')) }", "a{}", "nothing is fetched"),
        ("a { b: image-set('x' 1x) }", "a{}", "nothing is fetched"),
        ("a { position: fixed }", "a{}", "nothing may cover"),
        ("a { pos\\69tion: \\66ixed }", "a{}", "nothing may cover"),
        ("a { position: var(--x) }", "a{}", "nothing may cover"),
        ("a { position: relative }", "a{position:relative;}", ""),
        ("a { transform: rotate(4deg) skewX(2deg) }", "a{transform:rotate(4deg) skewX(2deg);}", ""),
        ("a { transform: scale(99); z-index: 9; top: -9px }", "a{}", "nothing may cover"),
        ("@font-face { src: url(x) }", "", "@font-face is left out"),
        ("a {", "a{}", ""),
        ("}", "", "line 1, column 1"),
    ],
)
def test_custom_css_is_read_and_what_fetches_or_covers_is_left_out(css: str, left: str, note: str) -> None:
    page = screen("a", custom_css=css)
    assert page.css.rstrip().endswith(left)
    assert bool(page.notes) == bool(note) and note in " ".join(page.notes)


def test_a_theme_is_read_as_carefully() -> None:
    page = screen("a", theme_css="@import 'x'; b { c: d }")
    assert "b{c:d;}" in page.css and page.notes == ("theme line 1, column 1: @import is left out",)


def test_endless_css_is_left_out() -> None:
    assert "more than 256 KiB" in screen("a", custom_css="a{b:c}" * 60_000).notes[0]
    assert "at most 2,000 rules" in screen("a", custom_css="a{b:c}" * 4_000).notes[0]
    assert len(screen("a", custom_css="a{" * 5_000).css) < 60_000


SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">%s</svg>'


@pytest.mark.parametrize(
    "media,body,reason",
    [
        ("image/png", b"\x89PNG no", "cannot be read"),
        ("font/ttf", b"x", "not a picture"),
        ("image/svg+xml", b"<p/>", "not a valid SVG drawing"),
        ("image/svg+xml", b"<!DOCTYPE svg [<!ENTITY a 'b'>]><svg/>", "entities"),
        ("image/svg+xml", (SVG % ("<g>" * 99 + "</g>" * 99)).encode(), "too many elements"),
        ("image/svg+xml", (SVG % "<g id='a'><use href='#a'/></g><use href='#a'/>").encode(), "copies"),
        ("image/svg+xml", b" " * 3_000_000, "at most"),
    ],
)
def test_a_picture_that_does_harm_is_a_note(media: str, body: bytes, reason: str) -> None:
    page = screen(
        "{{ img ref: a.png }}\n\n![x](a.png)", DocumentParts(assets={"a.png": AssetPart(body, media)})
    )
    assert page.body.count("[image: ") == 2 and reason in page.body and "<img" not in page.body


def test_endless_pixels_are_found_by_the_header() -> None:
    body = bytearray(picture().body)
    body[16:24] = (30_000).to_bytes(4) * 2
    import zlib

    body[29:33] = zlib.crc32(bytes(body[12:29])).to_bytes(4)
    page = screen(
        "{{ img ref: a.png }}", DocumentParts(assets={"a.png": AssetPart(bytes(body), "image/png")})
    )
    assert "<img" not in page.body and page.notes


def test_formulas_that_take_too_long_stay_text() -> None:
    deep = "{" * 30 + "x" + "}" * 30
    page = screen(f"${deep}$ $\\unknown{{$ $x$")
    assert page.body.count('<code class="formula missing">') == 2 and page.body.count("<svg") == 1


def test_a_text_of_another_script_runs_its_way() -> None:
    page = replace(screen("---\nlang: ar\ntoc: yes\ntitle: x\n---\n# a\n## b\n"))
    assert '<html lang="ar" dir="rtl">' in page.whole and "<h2>المحتويات</h2>" in page.body
    assert screen(REPORT).whole.startswith('<!doctype html>\n<html lang="en"><head>')


MIXED = """# Title (abc).

مرحبا (abc) 123.

## عنوان (x)

- שלום (abc).
- second

1. one
2. שתיים

| a | كلمة (b) |
|---|---|
| שלום. | 12 |
"""


def test_words_that_run_the_other_way_say_so() -> None:
    body = screen(MIXED).body
    assert 'id="s-title-abc">Title' in body
    for tag, words in (
        ("p", "مرحبا"),
        ("h2", "عنوان"),
        ("li", "שלום"),
        ("th", "كلمة"),
        ("td", "שלום."),
        ("li", "שתיים"),
    ):
        assert re.search(f'<{tag}[^>]* dir="auto">{words}', body), tag
    assert re.search('<ul[^>]* dir="auto">', body) and "<ol>" in body and "<li>one</li>" in body
    assert re.search('<li[^>]* dir="auto">second', body)
    assert '<td class="number">12</td>' in body
    there = screen(f"---\nlang: he\n---\n{MIXED}").body
    assert "<p>مرحبا (abc)" in there and re.search('<h1[^>]* dir="auto">Title', there)
    assert re.search("<td>שלום", there)


def test_paper_and_slides_order_such_words_by_their_side() -> None:
    body = page_html(read_document(MIXED), DocumentParts(), PaperMedium(), DocumentLook("doc")).body
    assert re.search('<p[^>]* dir="rtl">مرحبا', body) and 'dir="auto"' not in body
    made = document_pptx(read_document(MIXED), DocumentParts(), DocumentLook("pres"))
    (slide, *_) = Presentation(io.BytesIO(made.body)).slides
    sides = {
        line.text.replace("\u00a0", " "): line._p.pPr.get("rtl")
        for shape in slide.shapes if shape.has_text_frame for line in shape.text_frame.paragraphs
    }  # fmt: skip
    assert sides["Title (abc)."] == "0"
    assert sides["مرحبا (abc) 123."] == sides["عنوان (x)"] == sides["שלום (abc)."] == "1"


@pytest.mark.parametrize("kind", ["doc", "pres", "web"])
@pytest.mark.parametrize("medium", [ScreenMedium, PaperMedium])
def test_a_chart_of_a_page_that_begins_on_the_first_line_is_found(kind: str, medium: type) -> None:
    chart = "{{ vis ref: /u/ann/p/sales, width: 50% /}}"
    document = read_document(f"Before{{{{ page cols: 2 /}}}}\n\n{chart}\n")
    assert [sheet.line for sheet in document.sheets] == [1, 1]
    page = page_html(document, parts_of(document, kind), medium(), DocumentLook(kind))
    assert page.body.count("<figure") == 1
