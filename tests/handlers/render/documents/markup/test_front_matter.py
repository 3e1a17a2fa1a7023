"""Front matter: lines of `key: value` between rules; all else between rules is text."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from handlers.render.documents.markup.blocks import Divider
from handlers.render.documents.markup.document_text import read_document
from handlers.render.documents.pages.document_html import DocumentLook, page_html
from handlers.render.documents.pages.media import ScreenMedium
from handlers.render.documents.plain.terminal_text import document_text
from handlers.words.document_parts import DocumentParts


@pytest.mark.parametrize(
    "text",
    [
        "---\n\n# TITLE\n\nINTRO: this is text\n\n---\n\nRest", "---\nINTRO\n---\nRest",
        "---\n# TITLE\n\nINTRO: a\n---\nRest",
        "---\ntitle: TITLE\nINTRO is prose\n---\nRest", "---\ntitle: INTRO\n\nRest", "---\nhttps://INTRO\n---\n",
        "---\n---\nINTRO", "--- \n- INTRO: a\n---\n",
    ],
)  # fmt: skip
def test_lines_that_are_not_front_matter_are_text(text: str) -> None:
    document = read_document(text)
    assert document.meta == ()
    assert isinstance(document.sheets[0].blocks[0], Divider)
    assert "INTRO" in document_text(document, DocumentParts(), "doc", colored=False)


@pytest.mark.parametrize(
    "matter",
    ["title: T", "# a comment\ntitle: T", "title: T\n\nauthor: A", "title: >\n  T",
     "tags:\n- a\n- b\ntitle: T",
     "title: T\nodd: [a", "title: T\nlist: [\n  a\n]", "sub title: a\ntitle: 'T'", "größe: 1\ntitle: T"],
)  # fmt: skip
@pytest.mark.parametrize("end", ["---", "..."])
def test_front_matter_is_keys_and_values(matter: str, end: str) -> None:
    document = read_document(f"---\n{matter}\n{end}\ntext")
    assert document.about("title") == "T"
    assert len(document.sheets[0].blocks) == 1


@given(st.lists(st.text(alphabet="ab: #-.\t'\"[]{}", max_size=12), max_size=6))
def test_no_word_between_rules_is_lost(lines: list[str]) -> None:
    # A line of `[name]:` says where links lead, as everywhere in Markdown.
    inner = [line for line in lines if line.rstrip() not in ("---", "...") and "]:" not in line]
    document = read_document("\n".join(["---", "", *inner, "WORD", "---", "after"]))
    assert "WORD" in document_text(document, DocumentParts(), "doc", colored=False)


LINES = st.sampled_from(
    ["title: {}", "title: {}  # {}", "subtitle: {}\n  {}", "author: '{}' # {}", "toc: {}", "lang: {} {}",
     "latex: yes # {}", "# {}", "  # {}", "Total: {}", "note: {}\n  {}", "author:\n- {}\n- {}",
     "date: >\n  {}\n  {}", "- {}", "kind: {}", "label: {}", "Order: {{ {}: {} }}", "title: [{}, {}]",
     "title: {} #{}"]
)  # fmt: skip


@given(st.lists(LINES, min_size=1, max_size=3))
@settings(max_examples=200, deadline=None)
def test_every_word_of_the_front_matter_is_shown_or_named(lines: list[str]) -> None:
    matter = "\n".join(line.format(f"one{at}", f"two{at}") for at, line in enumerate(lines))
    document = read_document(f"---\n{matter}\n---\ntext")
    assume(document.meta)
    page = page_html(document, DocumentParts(), ScreenMedium(), DocumentLook("doc")).whole
    reasons = "\n".join(note.reason for note in document.notes)
    unnamed = [line for line in matter.split("\n") if not line.startswith("  ") and line not in reasons]
    for word in re.findall(r"(?:one|two)[0-9]", "\n".join(unnamed)):
        assert word in page


@pytest.mark.parametrize(
    "matter",
    ["title: A  \nauthor: [B, C]\nlang: pt-BR\ntoc: Yes", 'title: "caf\\u00e9"',
     "title: T\nkind: K\ndate: |\n  a\n  # b", "header: none\nfooter: a | {page}\nlatex: off",
     "language: de\ntags:\n- a"],
)  # fmt: skip
def test_nothing_is_named_that_is_shown(matter: str) -> None:
    assert read_document(f"---\n{matter}\n---\ntext").notes == ()
