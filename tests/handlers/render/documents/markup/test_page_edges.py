"""Header and footer of the front matter: read, shown in every form, and refused where not understood."""

import pytest

from handlers.render.documents.markup.blocks import Document
from handlers.render.documents.markup.document_text import read_document
from handlers.render.documents.markup.front_matter import edge_words, read_edge
from handlers.render.documents.pages.document_html import DocumentLook, page_html
from handlers.render.documents.pages.media import PaperMedium, ScreenMedium
from handlers.render.documents.plain.markdown_text import document_markdown
from handlers.render.documents.plain.terminal_text import document_text
from handlers.words.document_parts import DocumentParts

TEXT = """---
title: Freight
header: Port of {title}
footer: "Not *yet* public | Page {page}"
---
# Words
"""


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("Words", (("Words",),)),
        ("a {title} | {page}", (("a ", "{title}"), ("{page}",))),
        ("| {page}", ((), ("{page}",))),
        ("None", ((), ())),
        ("{what}", (("{what}",),)),
    ],
)
def test_a_line_has_two_ends(text: str, ends: tuple[tuple[str, ...], ...]) -> None:
    assert read_edge(text) == ends


def test_a_text_without_pages_leaves_out_numbers_of_pages() -> None:
    document = Document((("title", "Freight"), ("header", "a {title} | {page}"), ("footer", "none")))
    assert edge_words(document, "header") == "a Freight"
    assert edge_words(document, "footer") == edge_words(Document(), "footer") == ""


def test_every_form_has_both() -> None:
    document, parts = read_document(TEXT), DocumentParts()
    assert document.notes == ()
    paper = page_html(document, parts, PaperMedium(), DocumentLook())
    assert (
        '--novem-foot-start:"Not *yet* public"' in paper.css
        and '--novem-foot-end:"Page " counter(page)' in paper.css
    )
    assert '--novem-head-start:"Port of " "Freight"' in paper.css and "head-end:" not in paper.css
    screen = page_html(document, parts, ScreenMedium(), DocumentLook("web")).body
    assert screen.startswith('<p class="edge">Port of Freight</p>')
    assert screen.endswith("Not *yet* public</p>")
    lines = document_text(document, parts, "doc", colored=False).splitlines()
    assert (lines[0], lines[-1]) == ("Port of Freight", "Not *yet* public")
    marked = document_markdown(document, parts).splitlines()
    assert (marked[0], marked[-1]) == ("Port of Freight", "Not \\*yet\\* public")


def test_words_stay_words_of_style() -> None:
    text = "---\nfooter: '\"} @page { size: a3 } </style>'\n---\nx"
    css = page_html(read_document(text), DocumentParts(), PaperMedium(), DocumentLook()).css
    assert '"} @page { size: a3' not in css and "</style" not in css


def test_slides_note_that_they_have_no_header() -> None:
    page = page_html(read_document(TEXT), DocumentParts(), PaperMedium(), DocumentLook("pres"))
    assert "header: slides have no header: write footer" in page.notes


@pytest.mark.parametrize(
    ("line", "column", "reason"),
    [
        ("header: of {pages}", 12, 'a header has no "{pages}"'),
        ("footer: a | b | c", 1, "a footer has two ends"),
        (f"footer: {'x' * 201}", 1, "a footer has at most 200 characters"),
    ],
)
def test_mistakes_are_named_at_their_places(line: str, column: int, reason: str) -> None:
    (note,) = read_document(f"---\ntitle: Freight\n{line}\n---\nx").notes
    assert (note.line, note.column) == (3, column) and note.reason.startswith(reason)
