"""Examples of the manual: they are read and rendered without notes in the log."""

from pathlib import Path
from textwrap import dedent

import pytest

import handlers.reference
from handlers.render.documents.looks.custom_css import CheckedCss
from handlers.render.documents.markup.document_text import read_document
from handlers.render.documents.pages.document_html import DocumentLook, page_html
from handlers.render.documents.pages.media import ScreenMedium
from handlers.words.document_parts import DocumentParts

CHAPTER = Path(handlers.reference.__file__).parent / "text" / "documents.md"


def examples() -> list[str]:
    """The blocks that are indented by four spaces, with the empty lines in them."""
    blocks: list[list[str]] = [[]]
    for line in CHAPTER.read_text("utf-8").splitlines():
        if line.startswith("    ") or (not line and blocks[-1]):
            blocks[-1].append(line)
        elif blocks[-1]:
            blocks.append([])
    return [dedent("\n".join(block)).strip() + "\n" for block in blocks if block]


@pytest.mark.parametrize("text", [text for text in examples() if text.startswith("---")])
def test_a_document_is_read_without_a_fault(text: str) -> None:
    document = read_document(text)
    assert document.notes == () and len(document.sheets) > 1
    page = page_html(document, DocumentParts(), ScreenMedium(), DocumentLook("web"))
    assert all("is not shown" in note for note in page.notes)


def test_a_look_is_kept_whole() -> None:
    (css,) = (text for text in examples() if text.startswith(":root"))
    checked = CheckedCss(css)
    assert checked.notes == [] and "--novem-series-2" in checked.css and "@page" in checked.css
