"""Forms of documents and mails: the functions that make each of them from an order.

An order's texts are `content` (markup), `parts` (all that it refers to, JSON), `config/theme`, `name` and
`origin`. A document also has `config/type`, `config/custom/custom.css` and `theme.css`; a mail
`config/subject`, `config/size`, `page`, `sender` and `unsubscribe`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from handlers.render.documents.markup.blocks import Document
from handlers.render.documents.markup.document_text import read_document
from handlers.render.documents.pages.document_html import DocumentLook, page_html
from handlers.render.documents.pages.media import ScreenMedium
from handlers.render.documents.pages.parts import KINDS, Read, part_requests, reference_places
from handlers.render.documents.pdf.paper import document_pdf, page_png
from handlers.render.documents.plain.markdown_text import document_markdown
from handlers.render.documents.plain.terminal_text import document_text
from handlers.render.documents.slides.deck import document_pptx
from handlers.render.mails.mail_html import MailContent, mail_html, mail_text, read_mail
from handlers.render.mails.mail_medium import MailLook, document_parts, mail_requests
from handlers.rendering.port import RenderOrder
from handlers.words.document_parts import DocumentParts, dump_requests, load_parts
from handlers.words.mail_message import dump_page
from handlers.words.references import dump_places

Made = tuple[bytes | str, tuple[str, ...]]
Make = Callable[[RenderOrder], Made]


class Printed(NamedTuple):
    """A document in print form."""

    document: Document
    parts: DocumentParts
    look: DocumentLook
    mode: str


def _printed_forms(printed: Callable[[RenderOrder, str], Printed], read: Read) -> Mapping[str, Make]:
    """Return the common forms of documents and mails, printed as a `doc` or as slides, `pres`."""

    def pdf(order: RenderOrder) -> tuple[bytes, tuple[str, ...]]:
        made = document_pdf(*printed(order, "doc"))
        return made.body, made.notes

    def png(order: RenderOrder) -> Made:
        body, notes = pdf(order)
        options = order.options
        return page_png(body, int(options.get("page", 1)) - 1, int(options.get("width", 1200))), notes

    def pptx(order: RenderOrder) -> Made:
        made = document_pptx(*printed(order, "pres")[:3])
        return made.body, made.notes

    def references(order: RenderOrder) -> Made:
        return dump_places(reference_places(order.texts.get("content", ""), read)), ()

    return {"pdf": pdf, "png": png, "pptx": pptx, "references": references}


def _parts(order: RenderOrder) -> DocumentParts:
    text = order.texts.get("parts", "")
    return load_parts(text) if text else DocumentParts()


def _text_of(order: RenderOrder, path: str, otherwise: str = "") -> str:
    return order.texts.get(path, "").strip() or otherwise


def _terminal(order: RenderOrder) -> tuple[int, bool]:
    """Return the columns of a text, and whether it has colours."""
    return int(order.options.get("cols", 80)), order.form == "ansi"


def _document(order: RenderOrder) -> Document:
    return read_document(order.texts.get("content", ""))


def _document_look(order: RenderOrder) -> DocumentLook:
    return DocumentLook(
        KINDS.get(_text_of(order, "config/type"), "doc"),
        _text_of(order, "config/theme", "novem"),
        order.texts.get("theme.css", ""),
        order.texts.get("config/custom/custom.css", ""),
        _text_of(order, "name"),
        _text_of(order, "origin"),
    )


def _mode(order: RenderOrder, *modes: str) -> str:
    mode = str(order.options.get("mode", modes[0]))
    return mode if mode in modes else modes[0]


def _printed_document(order: RenderOrder, kind: str) -> Printed:
    return Printed(_document(order), _parts(order), _document_look(order), _mode(order, "light", "dark"))


def _document_html(order: RenderOrder) -> Made:
    medium = ScreenMedium(_mode(order, "both", "light", "dark"))
    page = page_html(_document(order), _parts(order), medium, _document_look(order))
    return page.whole, page.notes


def _document_text(order: RenderOrder) -> Made:
    columns, colored = _terminal(order)
    kind = _document_look(order).kind
    return document_text(_document(order), _parts(order), kind, columns, colored=colored), ()


def _document_requests(order: RenderOrder) -> Made:
    return dump_requests(part_requests(_document(order), _document_look(order).kind)), ()


DOCUMENT_FORMS: Mapping[str, Make] = {
    **_printed_forms(_printed_document, read_document),
    "html": _document_html,
    "txt": _document_text,
    "ansi": _document_text,
    "md": lambda order: (document_markdown(_document(order), _parts(order)), ()),
    "requests": _document_requests,
}
"""Functions that make the forms of documents."""


def _content(order: RenderOrder) -> MailContent:
    return read_mail(order.texts.get("content", ""))


def _mail_look(order: RenderOrder) -> MailLook:
    return MailLook(
        _text_of(order, "config/size", "small"),
        _text_of(order, "config/theme", "novem-light"),
        _text_of(order, "config/subject") or _text_of(order, "name"),
        *(_text_of(order, name) for name in ("sender", "origin", "page", "unsubscribe")),
    )


def _printed_mail(order: RenderOrder, kind: str) -> Printed:
    document, look = _content(order).document, _mail_look(order)
    parts = document_parts(document, _parts(order), look.column, kind)
    page = DocumentLook(kind, name=look.subject, origin=look.origin)
    return Printed(document, parts, page, "dark" if look.mode == "dark" else "light")


def _mail_html(order: RenderOrder) -> Made:
    page = mail_html(_content(order), _parts(order), _mail_look(order), inlined=True)
    return page.html, page.notes


def _message(order: RenderOrder) -> Made:
    content, parts, look = _content(order), _parts(order), _mail_look(order)
    page = mail_html(content, parts, look)
    # Mail programs wrap long lines themselves, and a wrapped command does not work when pasted.
    text = mail_text(content, parts, look, whole_code=True)
    return dump_page(page, text, content.document.about("title")), page.notes


def _mail_text(order: RenderOrder) -> Made:
    columns, colored = _terminal(order)
    return mail_text(_content(order), _parts(order), _mail_look(order), columns, colored=colored), ()


def _mail_requests(order: RenderOrder) -> Made:
    return dump_requests(mail_requests(_content(order).document, _mail_look(order).column)), ()


MAIL_FORMS: Mapping[str, Make] = {
    **_printed_forms(_printed_mail, lambda text: read_mail(text).document),
    "html": _mail_html,
    "txt": _mail_text,
    "ansi": _mail_text,
    "message": _message,
    "requests": _mail_requests,
}
"""Functions that make the forms of mails; `message` is the mail to send, as JSON."""
