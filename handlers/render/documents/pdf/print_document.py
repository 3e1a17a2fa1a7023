"""A document as PDF, printed sheet by sheet: of one that changed, the sheets that did not are kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256

from handlers.render.documents.markup.blocks import Document
from handlers.render.documents.pages.document_html import DocumentLook, page_html
from handlers.render.documents.pages.media import PaperMedium
from handlers.render.documents.pages.part_models import DocumentParts
from handlers.render.documents.pdf.joined_pdf import join_sheets
from handlers.render.documents.pdf.kept_sheets import KeptSheets, process_sheets
from handlers.render.documents.pdf.page_budget import cut_document
from handlers.render.documents.pdf.paper import PaperDocument, anchors_of, starts_of, with_overfull
from handlers.render.documents.pdf.printed_sheet import PrintedSheet
from handlers.render.documents.pdf.separable import is_separable
from handlers.render.documents.pdf.sheet_run import Placing, SheetPlace
from handlers.render.documents.pdf.sheet_text import SheetText
from handlers.render.documents.pdf.typesetter import distinct, read_rules

MOST_PASSES = 5
"""Passes until the numbers of pages that others show are right; odd documents need more than two."""
LONGEST_RUN = 200_000
"""Letters of HTML that are laid out together: some eighty pages, as each takes megabytes meanwhile."""


def print_document(
    document: Document,
    parts: DocumentParts,
    look: DocumentLook,
    mode: str = "light",
    kept: KeptSheets | None = None,
) -> PaperDocument:
    """The document on pages of A4, or on slides if its kind is `pres`."""
    kept = kept or process_sheets()
    document, left_out = cut_document(document, flowing=look.kind == "web")
    medium = PaperMedium(mode)
    page = page_html(document, parts, medium, look)
    alone = look.kind != "web" and look.theme != "custom" and is_separable(page.css_parts.foreign)
    texts = tuple(map(SheetText, page.sheets if alone else (page.body,)))
    css = page.css_parts
    names = frozenset[str]().union(*(text.names for text in texts))
    common = sha256(f"{css.look}\0{css.custom}".encode()).digest()
    rules = read_rules(css.look, css.custom)
    sheets = _final_sheets(Placing(page, medium.files, rules, common, names), texts, kept)
    places = [[name for name, _, _ in anchors] for sheet in sheets for anchors in sheet.anchors]
    notes = distinct(
        (*left_out, *page.notes, *rules.notes, *(note for sheet in sheets for note in sheet.notes))
    )
    printed = PaperDocument(join_sheets(sheets), len(places), notes, starts_of(places), anchors_of(places))
    return with_overfull(printed) if look.kind == "pres" else printed


def _final_sheets(placing: Placing, texts: Sequence[SheetText], kept: KeptSheets) -> list[PrintedSheet]:
    """All sheets, printed until each shows the right numbers of the others' pages."""
    shown = frozenset[str]().union(*(text.shown_numbers for text in texts)) & placing.names
    key = sha256("\0".join(sorted(placing.names)).encode() + placing.common).digest()
    placing = replace(placing, numbers=kept.numbers.get(key, {}))
    for _ in range(MOST_PASSES):
        sheets = list(_all_sheets(placing, texts, kept))
        numbers = dict.fromkeys(placing.names, 0)
        pages = [anchors for sheet in sheets for anchors in sheet.anchors]
        for number, anchors in reversed(list(enumerate(pages, 1))):
            numbers.update((name, number) for name, _, _ in anchors)
        if all(sheet.body for sheet in sheets) and all(
            placing.numbers.get(name) == numbers[name] for name in shown
        ):
            break
        placing = replace(placing, numbers=numbers)
    kept.put_numbers(key, numbers)
    return sheets


def _all_sheets(placing: Placing, texts: Sequence[SheetText], kept: KeptSheets) -> Iterator[PrintedSheet]:
    """Each sheet behind the others: kept, or printed with those beside it that are not kept either."""
    place, at = SheetPlace(), 0
    while at < len(texts):
        key = placing.key(texts[at], place)
        sheet = kept.get(key)
        run = [(key, sheet)] if sheet else placing.print_run(_run(texts[at:], place.start, kept), place)
        for one_key, one in run:
            kept.put(one_key, texts[at].digest, place.start, one)
            yield one
            place = place.after(texts[at], one)
            at += 1


def _run(texts: Sequence[SheetText], start: int, kept: KeptSheets) -> Sequence[SheetText]:
    """The first of some sheets and those behind it that are not kept either, or not in their new place."""
    moved, long = kept.starts.get(texts[0].digest, start) != start, 0
    for at, text in enumerate(texts):
        long += len(text.html)
        if at and (long > LONGEST_RUN or not (moved or text.digest not in kept.starts)):
            return texts[:at]
    return texts
