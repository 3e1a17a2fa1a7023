"""Slides have room for the notes at their foot, and their headings for letters of other typefaces."""

from __future__ import annotations

import io
from typing import Any

import pytest
from pptx import Presentation
from pptx.enum.text import MSO_AUTO_SIZE

from handlers.render.documents.markup.document_text import read_document
from handlers.render.documents.pages.document_html import DocumentLook
from handlers.render.documents.slides.deck import document_pptx
from tests.handlers.render.documents.samples import parts_of

CHART, NOTE = "{{ vis ref: /u/ann/p/sales }}\n\n", "[[ftn: Planned in May.]]"
LONG = (
    "[[ftn: Planned in May, when the new ships came and the old ones were sold to others, as was told then.]]"
)
TABLE = f"| a | b |\n|---|---|\n| x{NOTE} | 2 |\n\n"


def deck(text: str, kind: str = "pres") -> Any:
    document = read_document(text)
    return Presentation(
        io.BytesIO(document_pptx(document, parts_of(document, kind), DocumentLook(kind)).body)
    )


@pytest.mark.parametrize("body", [
    f"{CHART}Twice as much.{NOTE}",
    f"Twice{NOTE} as much{LONG}.\n\n{CHART}",
    TABLE + CHART,
    f"- one{NOTE}\n- two\n\n{CHART}",
    f"{CHART}Twice as much.",
])  # fmt: skip
def test_a_slide_with_notes_is_one_slide(body: str) -> None:
    (slide,) = deck(f"# It grew\n\n{body}\n").slides
    assert slide.shapes.title.text == "It grew"
    assert any(shape.has_chart for shape in slide.shapes)


def test_headings_keep_their_lines_and_have_room() -> None:
    title = "A title of a deck that is rather long so that it takes two lines"
    opened = deck(f"---\ntitle: {title}\n---\n\n# A heading\n\nWords\n")
    head = opened.slides[0].shapes.title
    first, second = head.text.split("\v")
    assert f"{first} {second}" == title
    assert head.text_frame.auto_size == MSO_AUTO_SIZE.TEXT_TO_FIT_SHAPE
    assert head.width > 0.8 * opened.slide_width
    assert 0 <= head.left <= head.left + head.width <= opened.slide_width


def test_hidden_titles_are_outside_of_their_slides() -> None:
    rows = "".join(f"| row {row} | {row} |\n" for row in range(70))
    opened = deck(
        f"Words\n\n{{{{ page orient: landscape /}}}}\n\n# Table\n\n| a | b |\n|---|---|\n{rows}", "doc"
    )
    hidden = [slide.shapes.title for slide in opened.slides][2:]
    assert len(hidden) >= 2
    assert all(title.text and title.top + title.height <= 0 for title in hidden)
