"""Figures with a number go to the head of the next page, and the text behind them fills the page before."""

from __future__ import annotations

import random

import pypdfium2
import pytest

from handlers.render.documents.markup.document_text import read_document
from handlers.render.documents.pages.document_html import DocumentLook
from handlers.render.documents.pages.part_models import AssetPart, DocumentParts
from handlers.render.documents.pdf.kept_sheets import KeptSheets
from handlers.render.documents.pdf.paper import PaperDocument
from handlers.render.documents.pdf.print_document import print_document
from tests.handlers.render.documents.pdf.pdf_audit import pdf_faults

SIDES = 'width="400" height="400"'
SQUARE = f'<svg xmlns="http://www.w3.org/2000/svg" {SIDES}><rect {SIDES}/></svg>'.encode()
PARTS = DocumentParts(assets={"square.svg": AssetPart(SQUARE, "image/svg+xml")})
SENTENCE = "The harbour took in more timber than in any year before, and the price of cod held. "


def text_of(number: int, sentences: int = 4) -> str:
    """A paragraph that begins with its number."""
    return f"W{number:03} " + SENTENCE * sentences


def figure(label: str = "", caption: str = "Square") -> str:
    """A picture of more than a third of a page; one with a label has a number."""
    said = f", label: {label}" if label else ""
    return f'{{{{ img ref: square.svg, alt: A square, caption: "{caption}"{said} }}}}'


def printed(*blocks: str, kind: str = "doc", css: str = "") -> PaperDocument:
    look = DocumentLook(kind, custom_css=css)
    return print_document(read_document("\n\n".join(blocks)), PARTS, look, kept=KeptSheets())


def pages_of(paper: PaperDocument) -> list[str]:
    with pypdfium2.PdfDocument(paper.body) as opened:
        return [page.get_textpage().get_text_range() for page in opened]


def order(page: str, *words: str) -> list[str]:
    """Those of some words that stand on a page, in the order in which they are read."""
    return sorted((word for word in words if word in page), key=page.index)


FULL = [text_of(at) for at in range(7)]
BEHIND = [text_of(at, 2) for at in range(20, 30)]


def test_text_fills_the_page_before_a_figure_with_a_number() -> None:
    paper = printed(*FULL, figure("square"), *BEHIND)
    first, second = pages_of(paper)[:2]
    assert order(first, "W006", "W020", "W021", "Square") == ["W006", "W020", "W021"]
    assert second.startswith("Figure\xa01. Square") and pdf_faults(paper.body) == []
    assert order(second, "W021", "W022", "W023") == ["W022", "W023"]


@pytest.mark.parametrize(
    "blocks,css",
    [
        ((figure(), *BEHIND), ""),
        ((figure("square"), "# Next", *BEHIND), ""),
        ((figure("square"), figure(), *BEHIND), ""),
        ((figure("square"), "| a |\n|---|\n| 1 |", *BEHIND), ""),
        (("The following shows it:", figure("square"), *BEHIND), ""),
        ((figure("square"), *BEHIND), "figure { break-before: page }"),
        ((figure("square"), *BEHIND), "p { break-after: avoid }"),
    ],
    ids=["no-number", "heading", "figure", "table", "announced", "wished-break", "tied-text"],
)
def test_what_is_tied_to_its_place_stays(blocks: tuple[str, ...], css: str) -> None:
    first, second = pages_of(printed(*FULL, *blocks, css=css))[:2]
    assert "W020" not in first and "Square" in second


def test_figures_stay_in_their_order() -> None:
    paper = printed(*FULL, figure("a", "First"), figure("b", "Second"), *BEHIND)
    first, second = pages_of(paper)[:2]
    assert "W020" in first and order(second, "First", "Second") == ["First", "Second"]


def test_slides_are_as_they_were_written() -> None:
    blocks = ("# Head", *(text_of(at) for at in range(3)), figure("square"), "after it")
    assert all("after it" not in page for page in pages_of(printed(*blocks, kind="pres"))[:1])


@pytest.mark.parametrize("seed", range(6))
def test_nothing_is_lost_and_nothing_but_figures_changes_places(seed: int) -> None:
    dice = random.Random(seed)
    blocks, said = list[str](), list[str]()
    for at in range(40):
        if dice.random() < 0.2:
            blocks.append(figure(f"f{at}", f"Square{at:03}"))
        elif dice.random() < 0.15:
            blocks.append(f"# W{at:03}")
            said.append(f"W{at:03}")
        else:
            blocks.append(text_of(at, dice.randint(1, 9)))
            said.append(f"W{at:03}")
    paper = printed(*blocks)
    whole = "".join(pages_of(paper))
    assert order(whole, *said) == said
    figures = [block.split('"')[1] for block in blocks if block.startswith("{{ img")]
    assert order(whole, *figures) == figures
    assert pdf_faults(paper.body) == []
