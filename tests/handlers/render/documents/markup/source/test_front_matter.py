"""Front matter: lines of `key: value` between rules; all else between rules is text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.render.documents.markup.blocks import Divider
from handlers.render.documents.markup.document_text import read_document
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
def test_what_is_no_front_matter_is_text(text: str) -> None:
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
    inner = [line for line in lines if line.rstrip() not in ("---", "...")]
    document = read_document("\n".join(["---", "", *inner, "WORD", "---", "after"]))
    assert "WORD" in document_text(document, DocumentParts(), "doc", colored=False)
