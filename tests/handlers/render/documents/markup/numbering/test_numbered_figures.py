"""Figures and tables with labels: numbered, referred to, listed, and refused where not understood."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.render.documents.markup import blocks as b
from handlers.render.documents.markup.document_text import read_document
from handlers.render.documents.markup.spans import Hyperlink, walk_spans, words_of
from handlers.render.documents.pages.document_html import DocumentLook, page_html
from handlers.render.documents.pages.media import ScreenMedium
from handlers.render.documents.plain.markdown_text import document_markdown
from handlers.render.documents.plain.terminal_text import document_text
from handlers.words.document_parts import DocumentParts
from tests.handlers.render.documents.samples import parts_of

TABLE = "| Goods | Tons |\n|---|--:|\n| Cod | 1 |\n"
TEXT = f"""See {{ref: tons}}, {{ref: logo}} and {{ref: sales}}.

{{{{ figures }}}}

{{{{ tables }}}}

{{{{ img ref: logo.png, label: logo, caption: "As of {{ref: tons}}" }}}}

{{{{ vis ref: /u/ann/p/sales, label: sales, caption: What it *cost* }}}}

{{{{ table label: tons, caption: By weight }}}}
{TABLE}{{{{ /table }}}}
"""
SAID = ("Figure\u00a01. As of Table\u00a01", "Figure\u00a02. What it *cost*", "Table\u00a01. By weight")


def notes(text: str) -> list[tuple[int, int, str]]:
    return [(note.line, note.column, note.reason) for note in read_document(text).notes]


def test_every_form_numbers_refers_and_lists() -> None:
    document = read_document(TEXT)
    assert document.notes == ()
    parts = parts_of(document, "doc")
    for form in (
        document_text(document, parts, "doc", colored=False),
        document_markdown(document, parts).replace("**", "").replace("\\*", "*"),
    ):
        for said in SAID:
            words = form.replace("[", "").replace("](<#table--tons>)", "")
            assert said in words or said.replace("\u00a0", " ") in words
    page = page_html(document, parts_of(document, "web"), ScreenMedium(), DocumentLook("web"))
    for anchor in ("table--tons", "figure--logo", "figure--sales"):
        assert page.body.count(f'id="s-{anchor}"') == 1 and page.body.count(f'href="#s-{anchor}"') >= 2
    assert page.body.count('<nav class="contents figures">') == 2 and "<caption><strong>Table" in page.body


@pytest.mark.parametrize(
    ("text", "line", "column", "reason"),
    [
        ("# A\n\nSee {ref: x}.", 3, 5, "no figure or table has the label \"x\""),
        ("a\n\n- b\n- c {ref: 9 x}", 4, 5, "no figure or table has the label \"9 x\""),
        ("{{ img ref: a.png, label: 9 }}", 1, 20, "\"9\" is no label"),
        ("{{ table label: x }}\nwords\n{{ /table }}", 1, 1, "a table section has one table"),
        ("{{ table label: x /}}", 1, 1, "a table section has one table"),
        ("{{ figures }}", 1, 1, "there are no figures to list: those with a label"),
        ("{{ tables }}", 1, 1, "there are no tables to list: those with a label"),
        (
            "{{ figures }}\n\n{{ figures }}\n\n{{ img ref: a.png, label: a }}",
            3, 1, "there are no figures to list: they are listed above already",
        ),
        (
            "{{ img ref: a.png, label: a }}\n\n{{ img ref: b.png, label: a }}",
            3, 20, "the label \"a\" is used already",
        ),
    ],
)  # fmt: skip
def test_mistakes_are_named_at_their_places(text: str, line: int, column: int, reason: str) -> None:
    ((at, beside, said),) = notes(text)
    assert (at, beside) == (line, column) and said.startswith(reason)


def test_a_section_without_its_table_keeps_its_words() -> None:
    (block,) = read_document("{{ table label: x }}\nwords\n{{ /table }}").sheets[0].blocks
    assert isinstance(block, b.Passage) and isinstance(block.blocks[0], b.Paragraph)


@pytest.mark.parametrize(("language", "word"), [("de-AT", "Abbildung"), ("ja", "図"), ("tlh", "Figure")])
def test_numbers_speak_the_language_of_the_document(language: str, word: str) -> None:
    text = f"---\nlang: {language}\n---\n{{{{ img ref: a.png, label: a }}}}"
    (block,) = read_document(text).sheets[0].blocks
    assert isinstance(block, b.ImageBox) and words_of(block.caption) == f"{word}\u00a01."


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from(["img", "table"]), max_size=8), st.permutations(range(8)))
def test_each_reference_leads_to_its_own_number(kinds: list[str], order: list[int]) -> None:
    sections = [
        f"{{{{ img ref: a.png, label: l{at} }}}}" if kind == "img"
        else f"{{{{ table label: l{at} }}}}\n{TABLE}{{{{ /table }}}}"
        for at, kind in enumerate(kinds)
    ]  # fmt: skip
    named = [at for at in order if at < len(kinds)]
    text = "\n\n".join(["x " + " ".join(f"{{ref: l{at}}}" for at in named), *sections])
    document = read_document(text)
    (first, *_) = document.sheets[0].blocks
    assert isinstance(first, b.Paragraph) and document.notes == ()
    shown = [
        (words_of(span.spans), span.address)
        for span in walk_spans(first.spans)
        if isinstance(span, Hyperlink)
    ]
    words = {"img": ("Figure", "figure"), "table": ("Table", "table")}
    assert shown == [
        (f"{words[kinds[at]][0]}\u00a0{kinds[: at + 1].count(kinds[at])}", f"#{words[kinds[at]][1]}--l{at}")
        for at in named
    ]


def test_a_page_shows_a_reference_to_nothing_as_one() -> None:
    page = page_html(read_document("{ref: x}"), DocumentParts(), ScreenMedium(), DocumentLook("web"))
    assert "#N/A" in page.body
