"""LibreOffice opens presentations: as many pages as slides, with the words of the document."""

from pathlib import Path

import pytest

from handlers.render.documents.markup.document_text import read_document
from handlers.render.documents.pages.document_html import DocumentLook
from handlers.render.documents.slides.deck import SlideDeck, document_pptx
from handlers.words.document_parts import DocumentParts
from tests.handlers.render.documents.samples import deck, parts_of, report
from tests.kit.outside.office import pages_in_office

HEBREW = (
    "---\ntitle: דוח\nlang: he\n---\n# שלום\nטקסט **מודגש** כאן\n\n1. אחד\n2. שתיים\n\n|א|ב|\n|-|-|\n|ג|12|\n"
)
HOSTILE = (
    "# A\x00\x0b\ufffe & \\<b>\n\n\x1b[31m `\x08` ]]> &amp; \ud83d [l](https://e.org/?a=1&b=%22)\n\n"
    + "x" * 9_000
)


@pytest.fixture(scope="module")
def decks() -> dict[str, SlideDeck]:
    return {
        "deck": document_pptx(deck(), parts_of(deck(), "pres"), DocumentLook("pres")),
        "report": document_pptx(report(), parts_of(report(), "doc"), DocumentLook()),
        "web": document_pptx(report(), parts_of(report(), "web"), DocumentLook("web")),
        "hebrew": document_pptx(read_document(HEBREW), DocumentParts(), DocumentLook()),
        "hostile": document_pptx(read_document(HOSTILE), DocumentParts(), DocumentLook("pres")),
    }


@pytest.fixture(scope="module")
def shown(decks: dict[str, SlideDeck], tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    folder: Path = tmp_path_factory.mktemp("office")
    return pages_in_office({name: made.body for name, made in decks.items()}, folder)


def test_there_are_as_many_pages_as_slides(decks: dict[str, SlideDeck], shown: dict[str, list[str]]) -> None:
    assert {name: len(pages) for name, pages in shown.items()} == {
        name: made.slides for name, made in decks.items()
    }


def test_the_words_are_those_of_the_document(shown: dict[str, list[str]]) -> None:
    for name, page, pieces in (
        ("deck", 1, ("Three things", "1. one", "two with a link", "inner", "Board")),
        ("deck", 2, ("Office Share", "Oslo 2.1 %")),
        ("deck", 3, ("A chart", "2025", "2026", "Bergen")),
        ("report", 0, ("Freight 2026", "What it cost", "Contents", "Revenue rose ▲ +11.3%", "In kroner.")),
        ("report", 1, ("Goods Tons", "Timber 88", 'print("hello") # a note')),
        ("report", 2, ("The year", "right link", "Ann Berg", "Leads the desk.")),
    ):
        for piece in pieces:
            assert piece in shown[name][page], (piece, shown[name][page])
    assert "& <b>" in shown["hostile"][0]
