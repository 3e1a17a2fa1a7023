"""The published Python client's documents, composed of its sections, are rendered as it means them."""

from __future__ import annotations

import io
import re

import novem
import pypdfium2
import pytest
import requests
from novem.vis.doc_sections import (
    AuthorSection,
    CalloutSection,
    CodeSection,
    FrontmatterSection,
    HtmlSection,
    MarkdownSection,
    PageSection,
    ParagraphSection,
    VisSection,
)

from tests.clients.conftest import Person


@pytest.fixture
def document(alice: Person) -> novem.Doc:
    """A document of every section that the client can compose."""
    plot = novem.Plot("composed", type="bar", title="Revenue", **alice.connection)
    plot.data = "office,sales\nOslo,3\nBergen,4\n"
    doc = novem.Doc("composed", type="doc", **alice.connection)
    sections = [
        FrontmatterSection(title="Board paper", author="Ann"),
        MarkdownSection("# Where we stand\n\nA *good* year."),
        VisSection(
            plot,
            width="60%",
            align="right",
            include_title=True,
            include_link=True,
            override_title="Sales by office",
            override_caption="In millions.",
        ),
        CalloutSection("Mind the gap.", type="warn", desc="Careful", cborder="dashed"),
        ParagraphSection("Large words", font_size="xl", font_style="b", padding="a3", border="l3 blue-500"),
        AuthorSection(f"@{alice.name}", override_bio="Counts money."),
        CodeSection("print(1)", "python"),
        PageSection(orient="landscape", cols="2", type="centered"),
        HtmlSection("<b>Raw words</b>"),
        PageSection(ref=plot.shortname),
    ]
    for section in sections:
        doc.add_section(section)
    doc.render()
    return doc


def test_a_composed_document_is_pages_with_everything_in_it(document: novem.Doc, alice: Person) -> None:
    assert document.api_read("/log") == ""
    url = f"{alice.server.root}u/{alice.name}/d/composed/pdf"
    body = requests.get(url, headers={"Authorization": f"Bearer {alice.token}"}, timeout=60).content
    pages = pypdfium2.PdfDocument(io.BytesIO(body))
    assert len(pages) == 3
    texts = [" ".join(page.get_textpage().get_text_range().split()) for page in pages]
    for words in ("Board paper", "Where we stand", "Sales by office", "In millions.", "Careful",
                  "Mind the gap.", "Large words", "Counts money.", "print(1)"):  # fmt: skip
        assert words in texts[0], words
    assert "Raw words" in texts[1] and "Oslo" in texts[2]
    assert [round(page.get_width() > page.get_height()) for page in pages] == [0, 1, 0]
    assert re.search(r"Revenue", texts[2])
