"""Surroundings of plots: grids of 1, 2, 6 and 12 cells, slides, and mails, drawn without a server."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pypdfium2
from playwright.sync_api import sync_playwright

from handlers.render.documents.markup.document_text import read_document
from handlers.render.documents.pages.document_html import DocumentLook
from handlers.render.documents.pages.parts import part_requests
from handlers.render.documents.pdf.paper import document_pdf, page_png
from handlers.render.documents.slides.deck import document_pptx
from handlers.render.grids.cell_plots import CellOrder, PixelCells, fill_cells
from handlers.render.grids.picture import grid_svg
from handlers.render.grids.placement import GridLook, read_grid
from handlers.render.mails.mail_html import mail_html, read_mail
from handlers.render.mails.mail_medium import MailLook, mail_requests
from handlers.render.plots.data.type_columns import plot_frame
from handlers.render.plots.forms.drawing import Look, describe, draw, png
from handlers.render.plots.forms.slide import pptx
from handlers.words.document_parts import DocumentParts, PartRequests, VisPart
from tests.kit.outside.office import pages_in_office
from tests.look.samples import Sample
from tests.look.sheets import Shot

COLUMNS = {1: 1, 2: 2, 6: 3, 12: 4}
"""The columns of a grid, by the number of its cells."""
WIDE, TALL = 18, 9
MODES = ("light", "dark")


def grid_shots(samples: Sequence[Sample], mode: str, width: int = 1200) -> list[Shot]:
    """Grids of 1, 2, 6 and 12 cells with the samples in turn."""
    return [_grid(samples, count, mode, width) for count in COLUMNS]


def _grid(samples: Sequence[Sample], count: int, mode: str, width: int) -> Shot:
    columns = COLUMNS[count]
    labels = [chr(ord("A") + at) for at in range(count)]
    edge = "+" + "+".join("-" * WIDE for _ in range(columns)) + "+"
    lines = [edge]
    for row in range(0, count, columns):
        held = "|" + "|".join(f"{{{label}}}".center(WIDE) for label in labels[row : row + columns]) + "|"
        empty = "|" + "|".join(" " * WIDE for _ in range(columns)) + "|"
        lines += [held, *[empty] * TALL, edge]
    grid = read_grid("\n".join(lines) + "\n", "".join(f"{label} => /p/{label}\n" for label in labels))
    look = GridLook(mode, width)
    shown = {label: samples[at % len(samples)] for at, label in enumerate(labels)}

    def drawn(orders: Sequence[CellOrder]) -> Mapping[int, str]:
        return {
            order.number: draw(
                shown[order.label].plot,
                Look(
                    mode=mode,
                    width=order.width,
                    height=order.height,
                    type_width=order.look.type_width,
                    head=order.look.head,
                ),
            ).svg
            for order in orders
        }

    parts = fill_cells(grid, PixelCells(look), range(count), drawn)
    return Shot(f"grid of {count} at {width}", png(grid_svg(grid, parts, look, "a grid"), 1))


def slide_shots(samples: Sequence[Sample], mode: str) -> list[list[Shot]]:
    """A slide for each sample, three in a row."""
    document = read_document("\n".join(_slide_texts(samples)))
    parts = _parts(samples, part_requests(document, "pres"))
    return _in_threes(_pages_of(document_pdf(document, parts, DocumentLook("pres"), mode).body))


def office_shots(samples: Sequence[Sample]) -> list[list[Shot]]:
    """The same slides as PPTX, as LibreOffice shows them, and each plot as a separate slide."""
    document = read_document("\n".join(_slide_texts(samples)))
    parts = _parts(samples, part_requests(document, "pres"))
    decks = {"deck": document_pptx(document, parts, DocumentLook("pres")).body}
    decks |= {f"n{at:03}": pptx(one.plot, plot_frame(one.plot)) for at, one in enumerate(samples)}
    with TemporaryDirectory() as folder:
        pages_in_office(decks, Path(folder))
        return _in_threes(
            [shot for name in decks for shot in _pages_of(Path(folder, f"{name}.pdf").read_bytes())]
        )


def _slide_texts(samples: Sequence[Sample]) -> Iterator[str]:
    return (
        f"{{{{ page }}}}\n\n# {sample.title}\n\n{{{{ vis ref: /u/ada/p/n{at} }}}}\n\n{{{{ /page }}}}\n"
        for at, sample in enumerate(samples)
    )


def _pages_of(pdf: bytes) -> list[Shot]:
    with pypdfium2.PdfDocument(pdf) as opened:
        count = len(opened)
    return [Shot(f"slide {page + 1}", page_png(pdf, page, 760)) for page in range(count)]


def _in_threes(shots: Sequence[Shot]) -> list[list[Shot]]:
    return [list(shots[at : at + 3]) for at in range(0, len(shots), 3)]


def mail_shots(samples: Sequence[Sample], mode: str) -> list[Shot]:
    """A mail with all samples at the widths of a window and of a phone."""
    texts = (f"## {sample.title}\n\n{{{{ vis ref: /u/ada/p/n{at} }}}}\n" for at, sample in enumerate(samples))
    content, look = read_mail("\n".join(texts)), MailLook(theme=f"novem-{mode}")
    parts = _parts(samples, mail_requests(content.document, look.column))
    page = mail_html(content, parts, look, inlined=True).html
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        shots = []
        for width in (680, 390):
            opened = browser.new_page(viewport={"width": width, "height": 900})
            opened.set_content(page)
            shots.append(Shot(f"mail at {width}", opened.screenshot(full_page=True)))
        browser.close()
    return shots


def _parts(samples: Sequence[Sample], requests: PartRequests) -> DocumentParts:
    """The drawings that a document needs."""
    visuals = {}
    for request in requests.visuals:
        found = re.search(r"/n(\d+)", request.ref)
        assert found is not None
        plot = samples[int(found[1])].plot
        looks = {
            mode: Look(
                mode,
                request.width,
                request.height or None,
                request.title,
                titled=not request.headed,
                caption=request.caption,
                transparent=True,
            )
            for mode in MODES
        }
        pictures = {mode: draw(plot, look).svg for mode, look in looks.items()}
        visuals[request.key] = VisPart(pictures, describe(plot, plot_frame(plot)), plot)
    return DocumentParts(visuals)
