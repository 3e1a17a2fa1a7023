"""Forms of documents: the functions that make each of them of an order.

An order's texts are `document` (as it was read from its markup, JSON) or `content` (the markup), `parts`
(everything that it refers to, JSON), `config/type`, `config/theme`, `config/custom/custom.css`, `theme.css`,
`name` and `origin`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from handlers.render.documents.markup.blocks import Document
from handlers.render.documents.markup.document_json import dump_document, load_document
from handlers.render.documents.markup.document_text import read_document
from handlers.render.documents.pages.document_html import DocumentLook, page_html
from handlers.render.documents.pages.media import ScreenMedium
from handlers.render.documents.pages.parts import KINDS, part_requests
from handlers.render.documents.pages.reference_places import reference_places
from handlers.render.documents.pdf.page_picture import page_png
from handlers.render.documents.pdf.paper import document_pdf
from handlers.render.documents.plain.markdown_text import document_markdown
from handlers.render.documents.plain.terminal_text import document_text
from handlers.render.documents.slides.deck import document_pptx
from handlers.rendering.port import RenderOrder
from handlers.words.document_parts import DocumentParts, dump_requests, load_parts
from handlers.words.references import dump_places

Made = tuple[bytes | str, tuple[str, ...]]


def _document(order: RenderOrder) -> Document:
    parsed = order.texts.get("document", "")
    return load_document(parsed) if parsed else read_document(order.texts.get("content", ""))


def _parts(order: RenderOrder) -> DocumentParts:
    text = order.texts.get("parts", "")
    return load_parts(text) if text else DocumentParts()


def _document_look(order: RenderOrder) -> DocumentLook:
    texts = order.texts
    return DocumentLook(
        KINDS.get(texts.get("config/type", "").strip(), "doc"),
        texts.get("config/theme", "").strip() or "novem",
        texts.get("theme.css", ""),
        texts.get("config/custom/custom.css", ""),
        texts.get("name", "").strip(),
        texts.get("origin", "").strip(),
    )


def _mode(order: RenderOrder, *modes: str) -> str:
    mode = str(order.options.get("mode", modes[0]))
    return mode if mode in modes else modes[0]


def _pdf(order: RenderOrder) -> Made:
    made = document_pdf(_document(order), _parts(order), _document_look(order), _mode(order, "light", "dark"))
    return made.body, made.notes


def _png(order: RenderOrder) -> Made:
    body, notes = _pdf(order)
    assert isinstance(body, bytes)
    return page_png(body, int(order.options.get("page", 1)) - 1, int(order.options.get("width", 1200))), notes


def _pptx(order: RenderOrder) -> Made:
    made = document_pptx(_document(order), _parts(order), _document_look(order))
    return made.body, made.notes


def _html(order: RenderOrder) -> Made:
    medium = ScreenMedium(_mode(order, "both", "light", "dark"))
    page = page_html(_document(order), _parts(order), medium, _document_look(order))
    return page.whole, page.notes


def _terminal(order: RenderOrder) -> Made:
    kind, columns = _document_look(order).kind, int(order.options.get("cols", 80))
    colored = order.form == "ansi"
    return document_text(_document(order), _parts(order), kind, columns, colored=colored), ()


def _markdown(order: RenderOrder) -> Made:
    return document_markdown(_document(order), _parts(order)), ()


def _parsed_json(order: RenderOrder) -> Made:
    return dump_document(_document(order)), ()


def _requests(order: RenderOrder) -> Made:
    return dump_requests(part_requests(_document(order), _document_look(order).kind)), ()


def _references(order: RenderOrder) -> Made:
    return dump_places(reference_places(order.texts.get("content", ""), read_document)), ()


DOCUMENT_FORMS: Mapping[str, Callable[[RenderOrder], Made]] = {
    "pdf": _pdf,
    "pptx": _pptx,
    "html": _html,
    "png": _png,
    "txt": _terminal,
    "ansi": _terminal,
    "md": _markdown,
    "parsed": _parsed_json,
    "requests": _requests,
    "references": _references,
}
"""Functions that make the forms of documents."""
