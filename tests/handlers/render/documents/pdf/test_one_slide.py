"""Charts and words of a slide stay on one slide, in any order and in any number of columns."""

import pytest

from handlers.render.documents.markup.document_text import read_document
from handlers.render.documents.pages.document_html import DocumentLook
from handlers.render.documents.pdf.paper import document_pdf
from tests.handlers.render.documents.samples import parts_of

CHART, BREAK = "{{ vis ref: /u/ann/p/sales }}\n\n", "{{ colbreak /}}\n\n"
LIST, WORDS = "- One\n- Another thing\n- Third\n\n", "A sentence of words about the chart.\n\n"
LONG = "The rate rose at all stations of the land, as never before, " * 2


@pytest.mark.parametrize("head", ["", "# The rate rose\n\n", f"# {LONG}\n\n"])
@pytest.mark.parametrize(
    ("columns", "body"),
    [
        (1, WORDS + CHART),
        (1, CHART + WORDS),
        (2, CHART + BREAK + LIST),
        (2, LIST + BREAK + CHART),
        (2, CHART + BREAK + CHART),
        (2, CHART + CHART),
        (2, CHART + LIST),
        (2, LIST + BREAK + WORDS + CHART + WORDS),
        (3, CHART + BREAK + CHART + BREAK + CHART),
        (3, LIST + BREAK + CHART + BREAK + CHART + WORDS),
    ],
)
def test_a_slide_holds_them(columns: int, body: str, head: str) -> None:
    document = read_document(f"{{{{ page cols: {columns} }}}}\n{head}{body}")
    printed = document_pdf(document, parts_of(document, "pres"), DocumentLook("pres"))
    assert (printed.pages, printed.notes) == (1, ())
