"""HTML in texts: comments are left out, known tags work, and unknown tags are noted."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.render.documents.markup.blocks import CodeBlock, Details, Document, Footnote, Paragraph
from handlers.render.documents.markup.document_text import read_document
from handlers.render.documents.markup.spans import (
    Hyperlink,
    InlineImage,
    LineBreak,
    PlainText,
    Styled,
    words_of,
)
from handlers.render.documents.pages.document_html import DocumentLook, page_html
from handlers.render.documents.pages.media import PaperMedium, ScreenMedium
from handlers.render.documents.plain.markdown_text import document_markdown
from handlers.render.documents.plain.terminal_text import document_text
from handlers.render.mails.mail_html import mail_html, mail_text, read_mail
from handlers.render.mails.mail_medium import MailLook
from handlers.rendering.markdown import html
from handlers.words.document_parts import DocumentParts

PLACES = (
    "before {}\n\nafter", "{}\n\nafter", "- a\n{}\n- b", "- a {}\n\n  more", "> quote {}\n> more",
    "# head {}",
    "| a {} | b |\n|---|---|\n| {} | 1 |", "a[^1]\n\n[^1]: note {}", "T\n: D {}", "*em {} em*",
    "[l {}](https://e.org)",
    "{{{{ callout }}}}\nin {}\n{{{{ /callout }}}}", "<details>\n<summary>s {}</summary>\nx {}\n</details>",
    "[[ftn: n {}]]", "{{{{ page /}}}}words\n      {} b",
)  # fmt: skip
DOCUMENT_PLACES = ("a[^1]\n\n[^1]: note\n\n    more {}", "T\n: D\n\n    more {}")
SECRETS = st.sampled_from(
    [
        "<!--SECRET-->",
        "<!-- SECRET -->",
        "<!--- SECRET --- x -->",
        "<!-- SECRET\nSECRET -->",
        "<!-- SECRET\n\n    SECRET -->",
        "<!-- <b>SECRET</b> {{ vis }} -->",
        "<!-- `SECRET` -->",
    ]
)


def forms(text: str) -> list[str]:
    """A text in every form that is read as text."""
    document, parts, content = read_document(text), DocumentParts(), read_mail(text)
    look = MailLook(subject="x")
    return [
        page_html(document, parts, ScreenMedium(), DocumentLook("web")).body,
        page_html(document, parts, PaperMedium(), DocumentLook("doc")).body,
        document_markdown(document, parts),
        document_text(document, parts, "doc", 80, colored=True),
        mail_html(content, parts, look).html,
        mail_text(content, parts, look, whole_code=True),
        html(text),
    ]


def notes(text: str) -> list[str]:
    return [note.reason for note in read_document(text).notes]


def only(document: Document) -> object:
    """The one block of a document."""
    (block,) = document.sheets[0].blocks
    return block


@given(st.lists(st.tuples(st.sampled_from(PLACES), SECRETS), min_size=1, max_size=3))
@settings(max_examples=60, deadline=None)
def test_no_comment_is_in_any_form(pieces: list[tuple[str, str]]) -> None:
    text = "\n\n".join(place.format(*[secret] * place.count("{}")) for place, secret in pieces)
    for made in forms(f"{text}\n\nLAST"):
        assert "SECRET" not in made
        assert "LAST" in made


@given(st.sampled_from(DOCUMENT_PLACES), SECRETS)
@settings(max_examples=20, deadline=None)
def test_no_comment_is_in_notes_and_terms(place: str, secret: str) -> None:
    for made in forms(f"{place.format(secret)}\n\nLAST")[:-1]:
        assert "SECRET" not in made
        assert "LAST" in made


@pytest.mark.parametrize("text", ["a <!-- SECRET\n\nSECRET", "a\n\n<!-- SECRET\n\n- SECRET", "> <!-- SECRET"])
def test_an_open_comment_hides_the_text_after_it_and_is_noted(text: str) -> None:
    assert not any("SECRET" in made for made in forms(text))
    assert "not closed" in notes(text)[0]


@pytest.mark.parametrize(
    "code", ["`<!-- KEPT -->`", "```\n<!-- KEPT -->\n```", "x\n\n    <!-- KEPT -->", "`a\n<b <!-- KEPT -->`"]
)
def test_comments_in_code_are_code(code: str) -> None:
    assert all("KEPT" in made for made in forms(code))


def test_tags_that_are_understood_make_spans() -> None:
    block = only(
        read_document(
            'a<br>b <kbd>C</kbd> <b>d <i>e</i></b> <a href="https://e.org">f</a> <img src="g.png" alt="h">'
        )
    )
    assert isinstance(block, Paragraph)
    assert block.spans[1] == LineBreak()
    assert block.spans[3] == Styled("kbd", (PlainText("C"),))
    assert block.spans[5] == Styled("strong", (PlainText("d "), Styled("em", (PlainText("e"),))))
    assert block.spans[7] == Hyperlink("https://e.org", (PlainText("f"),))
    assert block.spans[9] == InlineImage("g.png", "h")
    assert notes("a<br>b <wbr> <sub>c</sub>") == []


@pytest.mark.parametrize(
    "text",
    [
        "x <font>KEPT</font>",
        "x <b>KEPT",
        "x KEPT</b>",
        "*x <kbd>KEPT* y</kbd>",
        "<div>KEPT</div>",
        "<a href='javascript:x'>KEPT</a>",
        "x <?php y ?> KEPT",
        "<kbd/>KEPT",
    ],
)
def test_unknown_tags_are_noted_and_their_words_stay(text: str) -> None:
    (block,) = read_document(text).sheets[0].blocks
    assert isinstance(block, Paragraph)
    assert "KEPT" in words_of(block.spans)
    assert "<" not in words_of(block.spans)
    assert all("left out" in note for note in notes(text))
    assert notes(text)
    assert len(notes(text * 3)) <= 2 * len(notes(text))


def test_programs_are_left_out_with_their_content() -> None:
    assert not any(
        "SECRET" in made for made in forms("a <script>\nSECRET\n\nSECRET</script> b <style>SECRET</style>")
    )
    assert len(notes("a <script>x</script> b")) == 1


def test_passages_fold() -> None:
    block = only(
        read_document("<details open>\n    <summary>**S** t</summary>\n    INNER\n\n- l\n\n</details>")
    )
    assert isinstance(block, Details)
    assert block.shown
    assert words_of(block.summary) == "S t"
    assert [type(inner).__name__ for inner in block.blocks] == ["Paragraph", "Listing"]
    for made in forms("<details><summary>S</summary>INNER</details>\n\nLAST"):
        assert re.search(r"S.*INNER.*LAST", made, re.DOTALL)
    assert "not closed" in notes("<details>\nx")[0]
    assert "no <summary> open" in notes("</summary>")[0]


@pytest.mark.parametrize(
    "inner", ["- ALPHA", "```\n    ALPHA\n    ```", "> ALPHA", "| x |\n    |---|\n    | ALPHA |", "1. ALPHA"]
)
def test_notes_hold_blocks_in_every_form(inner: str) -> None:
    text = f"A claim[^n].\n\n[^n]: See:\n\n    {inner}\n"
    for made in forms(text)[:-1]:
        assert "ALPHA" in made
        assert "See:" in made
    document = read_document(text)
    paragraph = document.sheets[0].blocks[0]
    assert isinstance(paragraph, Paragraph)
    assert any(isinstance(span, Footnote) and span.blocks for span in paragraph.spans)
    assert len(list(document.blocks())) > 1


def test_hidden_footnotes_are_noted() -> None:
    assert "nothing refers to" in notes("a\n\n[^n]: b")[0]
    assert "used twice" in notes("a[^n] b[^n]\n\n[^n]: c")[0]
    assert "cannot contain another" in notes("a[^n]\n\n[^n]: c[^m]\n\n[^m]: d")[0]


@pytest.mark.parametrize(
    "text",
    [
        "![x](data:image/png;base64,{})",
        "![x](<data:image/png;base64,{}>)",
        '<img alt="x" src="data:image/png;base64,{}">',
        "![x][y]\n\n[y]: data:image/png;base64,{}",
    ],
)
@pytest.mark.parametrize("size", [4, 9_000])
def test_pictures_by_data_are_notes(text: str, size: int) -> None:
    source = text.format("QUJD" * size)
    assert not any("QUJD" in made for made in forms(source))
    page = page_html(read_document(source), DocumentParts(), ScreenMedium(), DocumentLook("web"))
    assert any("put it into assets" in note for note in page.notes)


@pytest.mark.parametrize(
    "code",
    [
        "x\n\n    curl {{ host }}/v1\n    echo done", "- item\n\n      a {{ host }} b",
        "> q\n>\n>     a {{ host }} b",
        "1. item\n\n   > q\n   >\n   >     a {{ host }} b", "\ta {{ host }} b",
        "- a\n  - b\n\n        a {{ host }}",
        "{{ page /}}```\na {{ host }} b\n```", "<!-- -->~~~\n{{ host }}\n~~~",
        "    ```\n    {{ host }}", "    {{ host }}",
    ],
)  # fmt: skip
def test_code_is_code_at_any_indentation(code: str) -> None:
    document = read_document(f"{code}\n\nafter {{{{ vis ref: /u/a/p/b }}}}")
    blocks = list(document.blocks())
    assert any(isinstance(block, CodeBlock) and "{{ host }}" in block.text for block in blocks)
    assert [type(block).__name__ for block in blocks].count("VisBox") == 1
    assert not document.notes


def test_sections_may_be_moved_in_below_others() -> None:
    document = read_document(
        "{{ callout }}\n    {{ vis ref: /u/a/p/b }}\n{{ /callout }}\n\n{{ vis\n\n    ref: /u/a/p/b\n}}"
    )
    assert [type(block).__name__ for block in document.blocks()] == ["Callout", "VisBox", "VisBox"]


@pytest.mark.parametrize("source", ["\\unknowncmd{x}", "a + \\foo b", "\\frac{\\foo}{2}"])
def test_unknown_commands_of_mathematics_are_a_note_at_their_place(source: str) -> None:
    document = read_document(f"one\n\ntwo ${source}$ and $\\frac{{a}}{{b}}$")
    page = page_html(document, DocumentParts(), ScreenMedium(), DocumentLook("web"))
    assert source in page.body
    assert any(note.startswith("line 3: formula not understood") for note in page.notes)
    mail = mail_html(read_mail(f"one\n\ntwo ${source}$"), DocumentParts(), MailLook(subject="x"))
    assert any(note.startswith("line 3: formula not understood") for note in mail.notes)
