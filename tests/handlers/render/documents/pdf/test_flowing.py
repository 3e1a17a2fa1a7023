"""Documents of one flowing page on paper: no page begins where the screen has none."""

from __future__ import annotations

import pypdfium2
import pytest

from handlers.render.documents.markup.document_text import read_document
from handlers.render.documents.pages.document_html import DocumentLook
from handlers.render.documents.pdf.paper import document_pdf
from handlers.words.document_parts import DocumentParts

MARKS = ("{{ page /}}", "{{ page type: fp /}}", "{{ page o: l /}}", "{{ page type: blank /}}",
         "{{ page type: centered /}}",
         "{{ page cols: 2 /}}", "---", "")  # fmt: skip


def text_of(mark: str, parts: int) -> str:
    return "\n\n".join(f"{mark}\n\n# Part {number}\n\nWords of part {number}." for number in range(parts))


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("head", ["", "---\ntitle: Long\ntoc: true\n---\n"])
def test_parts_of_a_flowing_text_share_a_page(mark: str, head: str) -> None:
    document = read_document(head + text_of(mark, 3))
    printed = document_pdf(document, DocumentParts(), DocumentLook("web"))
    assert printed.pages == 1
    assert document_pdf(document, DocumentParts(), DocumentLook("web")).pages == 1
    if mark.startswith("{{ page"):
        assert document_pdf(document, DocumentParts(), DocumentLook("doc")).pages > 1
    with pypdfium2.PdfDocument(printed.body) as opened:
        text = opened[0].get_textpage().get_text_range()
    assert all(f"Words of part {number}." in text for number in range(3))


def test_many_short_parts_are_all_printed() -> None:
    document = read_document(text_of("{{ page /}}", 300))
    printed = document_pdf(document, DocumentParts(), DocumentLook("web"))
    assert not printed.notes
    with pypdfium2.PdfDocument(printed.body) as opened:
        assert "Words of part 299." in opened[len(opened) - 1].get_textpage().get_text_range()
