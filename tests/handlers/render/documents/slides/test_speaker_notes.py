"""Speaker notes: in the notes of their slides and marked in texts, and in no form that an audience sees."""

import io

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from pptx import Presentation

from handlers.render.documents.markup.blocks import Document
from handlers.render.documents.markup.document_text import read_document
from handlers.render.documents.pages.document_html import DocumentLook, page_html
from handlers.render.documents.pages.media import PaperMedium, ScreenMedium
from handlers.render.documents.pages.parts import part_requests
from handlers.render.documents.plain.markdown_text import document_markdown
from handlers.render.documents.plain.terminal_text import document_text
from handlers.render.documents.slides.deck import document_pptx
from handlers.words.document_parts import DocumentParts, VariablePart

TALK = """---
title: Bridge
---
{{ notes }} Welcome **all**. {{ /notes }}

{{ page /}}
# It carries twice
- cars
{{ notes }}
Say *why*[[ftn: Counted twice.]], {/u/ann/p/sales/v/total}.

1. lanes
   - north
2. tolls

| a | b |
|---|---|
| 1 | 2 |
{{ /notes }}

{{ page /}}
{{ notes }}Then wait.{{ /notes }}

{{ page /}}
# Two ways
"""


def noted(text: str, kind: str = "pres") -> list[str]:
    made = document_pptx(read_document(text), DocumentParts(), DocumentLook(kind))
    slides = Presentation(io.BytesIO(made.body)).slides
    return [slide.notes_slide.notes_text_frame.text for slide in slides]


def shown(text: str) -> str:
    document = read_document(text)
    forms = [page_html(document, DocumentParts(), medium, DocumentLook("pres")).whole
             for medium in (ScreenMedium(), PaperMedium("light"))]  # fmt: skip
    return "".join(forms)


def reasons(text: str) -> list[str]:
    return [note.reason for note in read_document(text).notes]


def test_notes_are_those_of_their_slide_and_a_page_of_notes_alone_adds_to_the_one_before() -> None:
    assert read_document(TALK).notes == ()
    first, second, third = noted(TALK)
    assert first == "Welcome all."
    lines = second.split("\n")
    assert lines[0] == "Say why[1], #N/A." and lines[1:4] == ["1. lanes", "   • north", "2. tolls"]
    assert lines[-1] == "Then wait."
    assert "[1] Counted twice." in lines
    assert third == "Two ways"


def test_notes_of_pages_of_a_report_are_kept_too() -> None:
    assert noted("{{ notes }}a{{ /notes }}\none\n{{ page /}}\ntwo\n{{ notes }}b{{ /notes }}", "doc") == [
        "a",
        "b",
    ]
    flow = noted("one\n{{ notes }}a{{ /notes }}\n{{ page /}}\ntwo\n{{ notes }}b{{ /notes }}", "web")
    assert flow == ["a\nb"]


def test_an_audience_sees_none() -> None:
    page = shown(TALK)
    assert not [word for word in ("Welcome", "Counted", "tolls", "wait") if word in page]
    mailed = document_text(read_document(TALK), DocumentParts(), "web", colored=False, spoken=False)
    assert "Welcome" not in mailed and "cars" in mailed


def test_texts_mark_them() -> None:
    document = read_document(TALK)
    text = document_text(document, DocumentParts(), "pres", colored=False)
    assert "┊ Speaker notes\n┊ Welcome all.\n" in text
    markdown = document_markdown(document, DocumentParts())
    assert "> **Speaker notes**\n>\n> Welcome **all**.\n" in markdown


def test_values_in_speaker_notes_are_requested() -> None:
    (path,) = part_requests(read_document(TALK), "pres").variables
    parts = DocumentParts(variables={path: VariablePart("7", "number")})
    made = document_pptx(read_document(TALK), parts, DocumentLook("pres"))
    assert "Say why[1], 7." in Presentation(io.BytesIO(made.body)).slides[1].notes_slide.notes_text_frame.text


@pytest.mark.parametrize(
    "text,reason",
    [
        ("{{ callout }}\na\n{{ notes }}\nSECRET\n{{ /notes }}\n{{ /callout }}", "not allowed within"),
        ("> {{ notes }}\n> SECRET\n> {{ /notes }}", "not allowed within"),
        ("- a\n\n  {{ notes }}\n  SECRET\n\n  {{ /notes }}\n", "not allowed within"),
        ("a\n: b\n  {{ notes }}\n  c\nSECRET\n: SECRET\n{{ /notes }}", "not allowed within"),
        ("a\n{{ notes }}\nb\n{{ notes }}\nSECRET\n{{ /notes }}\n{{ /notes }}", "not allowed within"),
        ("{{ callout }}\n{{ notes }}\nSECRET\n{{ /callout }}", "notes are not closed"),
        ("a\n{{ notes }}\nSECRET\n{{ page /}}\nb", "write {{ /notes }} before the next page"),
        ("a\n{{ notes }}\nSECRET", "write {{ /notes }} after it"),
        ("a\n{{ notes /}}", "need a text"),
        ("a\n{{ /notes }}", "no notes open"),
        ("a\n{{ notes size: 2 }}b{{ /notes }}", "take no parameters"),
        ("a\n{{ notes }}\n{{ vis ref: /p/a }}\n{{ /notes }}", "only text: this plot or grid"),
        ("a\n{{ notes }}\n{{ html }}<b>SECRET</b>{{ /html }}\n{{ /notes }}", "only text: this html"),
    ],
)
def test_misplaced_speaker_notes_are_noted_and_not_shown(text: str, reason: str) -> None:
    assert [said for said in reasons(text) if reason in said]
    assert "SECRET" not in shown(text)


BODY = st.sampled_from(
    ["SECRET\n", "- SECRET\n", "- b\n  - SECRET\n", "> SECRET\n", "1. SECRET\n\n   SECRET\n", "\n",
     "{{ callout }}\nSECRET\n{{ /callout }}\n", "</details>\n", "{{ /callout }}\n", "SECRET\n: SECRET\n",
     "| SECRET |\n|---|\n| SECRET |\n", "## SECRET\n", "    SECRET\n", "SECRET\n---\n", "$$SECRET$$\n"]
)  # fmt: skip
BEFORE = st.sampled_from(
    ["", "- a\n", "- a\n  - b\n", "> a\n", "a\n: b\n", "{{ callout }}\n", "<details>\n<summary>s</summary>\n",
     "| a | b |\n|---|---|\n| c |", "# a ", "a ", "1. a\n\n", "{{ table }}\n"]
)  # fmt: skip
MARK = st.sampled_from(["{{ notes }}", "  {{ notes }}", "> {{ notes }}", "- {{ notes }}", "    {{notes}}"])
END = st.sampled_from(["{{ /notes }}", "\n{{ /notes }}", "\n\n{{ /notes }}\n", "\n{{ page /}}\n", ""])


@example("a\n: b\n", "  {{ notes }}", " ", ["SECRET\n: SECRET\n"], "{{ /notes }}")
@settings(max_examples=300)
@given(BEFORE, MARK, st.sampled_from([" ", "\n", "\n\n"]), st.lists(BODY, max_size=5), END)
def test_any_text_after_their_mark_is_hidden_at_any_place(
    before: str, mark: str, gap: str, body: list[str], end: str
) -> None:
    text = f"{before}{mark}{gap}{''.join(body)}{end}"
    document = read_document(text)
    assume(
        any(note.reason.startswith("speaker notes") for note in document.notes)
        or "{{" not in page_text(document)
    )
    assert "SECRET" not in page_text(document)


def page_text(document: Document) -> str:
    """Return all text that a page shows."""
    return page_html(document, DocumentParts(), ScreenMedium(), DocumentLook("pres")).body


def test_long_notes_are_cut_and_the_log_says_so() -> None:
    text = f"# A\n{{{{ notes }}}}\n{'word ' * 2_000}\n{{{{ /notes }}}}"
    made = document_pptx(read_document(text), DocumentParts(), DocumentLook("pres"))
    assert "slide 1: its speaker notes are cut after 8,000 characters" in made.notes


def test_notes_refer_to_tables_of_their_slides() -> None:
    table = "{{ table label: sums }}\n| a | b |\n|---|---|\n| 1 | 2 |\n{{ /table }}"
    text = f"# Sums\n\n{table}\n\n{{{{ notes }}}}See {{ref:sums}}, {{ref:none}}.{{{{ /notes }}}}\n"
    document = read_document(text)
    assert "none" in "".join(note.reason for note in document.notes)
    assert noted(text) == ["See Table\xa01, #N/A."]
    assert "See Table 1, #N/A." in document_text(document, DocumentParts(), "pres", colored=False)
    assert "See [Table\xa01](<#table--sums>), \\#N/A." in document_markdown(document, DocumentParts())
