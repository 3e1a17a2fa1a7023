"""Endless words on paper: they stay on their page, and their work grows with their letters alone."""

from __future__ import annotations

import pypdfium2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.render.documents.markup.document_text import read_document
from handlers.render.documents.pages.document_html import DocumentLook
from handlers.render.documents.pages.line_lengths import LONGEST, PLACE, part_words
from handlers.render.documents.pdf.paper import document_pdf, typesetter
from handlers.words.document_parts import DocumentParts


def work_of(text: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """Return the number of letters that the library measures until a text is printed."""
    typesetter()
    from weasyprint.text.line_break import Layout

    measured, measure = [0], Layout.set_text

    def counted(layout: object, text: str, justify: bool = False) -> None:
        measured[0] += len(text)
        measure(layout, text, justify)

    with monkeypatch.context() as patch:
        patch.setattr(Layout, "set_text", counted)
        document_pdf(read_document(text), DocumentParts(), DocumentLook())
    return measured[0]


@pytest.mark.parametrize(
    "frame", ["{}", "https://example.org/{}", "`{}`", "**{}**", "- {}", "| a |\n|---|\n| {} |"]
)
def test_the_work_for_a_word_grows_with_its_letters(frame: str, monkeypatch: pytest.MonkeyPatch) -> None:
    small, large = (work_of(frame.format("ab1Z" * size), monkeypatch) for size in (500, 2_000))
    assert large < 7 * small


@pytest.mark.parametrize("word", ["w" * 900, "i" * 900, "&" * 400, "ab-1" * 200])
@pytest.mark.parametrize("kind", ["doc", "pres"])
def test_words_stay_on_their_page_and_whole(word: str, kind: str) -> None:
    printed = document_pdf(read_document(f"See {word} end"), DocumentParts(), DocumentLook(kind))
    edge = max(box.margin_width() for box in printed.boxes)
    for page in printed.boxes:
        texts = [box for box in page.descendants() if type(box).__name__ == "TextBox"]
        assert all(box.position_x + box.width < edge for box in texts)
    with pypdfium2.PdfDocument(printed.body) as opened:
        text = "".join(page.get_textpage().get_text_range() for page in opened)
    assert PLACE not in text
    assert text.count(word[0]) >= word.count(word[0])


@given(st.text(alphabet="ab&<>\u0301\u200d日é' \"", max_size=400))
def test_only_places_are_added(text: str) -> None:
    from html import escape

    html = f'<p title="{text.replace(chr(34), "")}">{escape(text, quote=False)}</p>'
    assert part_words(html).replace(PLACE, "") == html
    assert part_words("<p>short</p>") == "<p>short</p>"
    assert PLACE in part_words(f"<p>{'&amp;' * LONGEST}</p>")
