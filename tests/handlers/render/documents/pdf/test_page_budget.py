"""Endless documents are printed up to a limit of pages, with a note."""

import pytest

from handlers.render.documents.markup.document_text import read_document
from handlers.render.documents.pdf.paper import MOST_PAGES, PAGE, cut_document, lines_of

CHART = "{{ vis ref: /u/ann/p/sales }}\n\n"


@pytest.mark.parametrize(
    "text",
    ["# a\n\n" * 8_000, "{{ page /}}\n\na\n\n" * 2_000, CHART * 2_000, "```\n" + "a\n" * 20_000 + "```\n\nb"],
    ids=["headings", "sheets", "charts", "code"],
)
def test_a_document_of_too_many_pages_is_cut(text: str) -> None:
    document, notes = cut_document(read_document(text))
    assert "the rest is left out" in notes[0]
    lines = sum(max(PAGE, sum(map(lines_of, sheet.blocks))) for sheet in document.sheets)
    assert 0 < lines < 2 * MOST_PAGES * PAGE


def test_a_document_that_fits_stays_as_it_is() -> None:
    table = "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 50
    document = read_document("{{ page /}}\n".join(["# a\n\nwords\n\n" + table + "\n" + CHART] * 100))
    assert cut_document(document) == (document, ())
