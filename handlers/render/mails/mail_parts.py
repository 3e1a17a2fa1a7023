"""Parts of a mail that lie elsewhere: charts as wide as its column, and the same for its other forms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from handlers.render.documents.markup.blocks import Document, VisBox, walk_blocks
from handlers.render.documents.pages.parts import overhang, part_requests, vis_request
from handlers.words.document_parts import DocumentParts, PartRequests, VisPart, VisRequest

NARROWEST, DRAWN = 120, 420
"""Pixels that a chart has at least, and those that it is drawn with, however wide it is then shown."""


def mail_requests(document: Document, column: int) -> PartRequests:
    """The parts that a mail with lines so wide is shown with."""
    requests = part_requests(document, "web")
    visuals = (mail_chart(box, column) for box in _charts(document))
    return replace(requests, visuals=tuple(dict.fromkeys(visuals)))


def mail_chart(box: VisBox, column: int) -> VisRequest:
    """The drawing of a box in a mail: one for all programs, with letters that are read on a phone, too."""
    shown = chart_width(box, column)
    width = min(DRAWN, shown)
    height = min(shown_width(box.height, column), 4 * column) * width // shown
    shows_title, shows_caption = box.title and not box.heading, box.caption and not box.words
    bare = VisRequest(box.ref, width, height, shows_title, shows_caption, narrow=True)
    wider = replace(bare, width=width + 2 * air_of(box, bare))
    return replace(bare, width=width + 2 * air_of(box, wider))


def air_of(box: VisBox, drawn: VisRequest) -> int:
    """Pixels of air at each side of a drawing, which a mail cuts off: its ink is flush with the text."""
    return round(overhang(box, drawn, "web"))


def chart_width(box: VisBox, column: int) -> int:
    """Pixels of width at which a chart is shown in a mail with lines so wide."""
    return max(NARROWEST, min(column, shown_width(box.width, column) or column))


def shown_width(length: str, whole: int) -> int:
    """A length of CSS in pixels, 0 for none."""
    digits = length.rstrip("%abcdefghijklmnopqrstuvwxyz")
    scale = {"%": whole / 100, "pt": 4 / 3, "em": 16, "rem": 16, "in": 96, "cm": 37.8, "mm": 3.78}
    return round(float(digits) * scale.get(length[len(digits) :], 1)) if digits else 0


def document_parts(document: Document, parts: DocumentParts, column: int, kind: str) -> DocumentParts:
    """The parts of a mail by the names under which a document of a kind looks for them."""
    visuals: dict[str, VisPart] = {}
    for sheet in document.sheets:
        for box in walk_blocks(sheet.blocks):
            if isinstance(box, VisBox) and (part := parts.visuals.get(mail_chart(box, column).key)):
                visuals[vis_request(box, kind, sheet).key] = part
    return replace(parts, visuals=visuals)


def _charts(document: Document) -> Iterator[VisBox]:
    return (block for block in document.blocks() if isinstance(block, VisBox))
