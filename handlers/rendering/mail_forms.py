"""Forms of mails: the functions that make each of them of an order.

An order's texts are `content`, `parts` (JSON), `config/subject`, `config/size`, `config/theme`, `name`,
`origin`, `page`, `sender` and `unsubscribe`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from handlers.render.documents.pages.document_html import DocumentLook
from handlers.render.documents.pages.reference_places import reference_places
from handlers.render.documents.pdf.page_picture import page_png
from handlers.render.documents.pdf.paper import document_pdf
from handlers.render.documents.slides.deck import document_pptx
from handlers.render.mails.mail_content import MailContent, read_mail
from handlers.render.mails.mail_html import mail_html
from handlers.render.mails.mail_look import MailLook
from handlers.render.mails.mail_parts import document_parts, mail_requests
from handlers.render.mails.mail_text import mail_text
from handlers.rendering.port import RenderOrder
from handlers.words.document_parts import DocumentParts, dump_requests, load_parts
from handlers.words.mail_message import dump_page
from handlers.words.references import dump_places

Made = tuple[bytes | str, tuple[str, ...]]


def _content(order: RenderOrder) -> MailContent:
    return read_mail(order.texts.get("content", ""))


def _parts(order: RenderOrder) -> DocumentParts:
    text = order.texts.get("parts", "")
    return load_parts(text) if text else DocumentParts()


def _mail_look(order: RenderOrder) -> MailLook:
    texts = order.texts
    return MailLook(
        texts.get("config/size", "").strip() or "small",
        texts.get("config/theme", "").strip() or "novem-light",
        texts.get("config/subject", "").strip() or texts.get("name", "").strip(),
        texts.get("sender", "").strip(),
        texts.get("origin", "").strip(),
        texts.get("page", "").strip(),
        texts.get("unsubscribe", "").strip(),
    )


def _known_parts(order: RenderOrder, content: MailContent, kind: str) -> DocumentParts:
    return document_parts(content.document, _parts(order), _mail_look(order).column, kind)


def _document_look(order: RenderOrder, kind: str) -> DocumentLook:
    look = _mail_look(order)
    return DocumentLook(kind, name=look.subject, origin=look.origin)


def _html(order: RenderOrder) -> Made:
    page = mail_html(_content(order), _parts(order), _mail_look(order), inlined=True)
    return page.html, page.notes


def _message(order: RenderOrder) -> Made:
    content, parts, look = _content(order), _parts(order), _mail_look(order)
    page = mail_html(content, parts, look)
    # Programs of mail show long lines; a command that was cut would not run where it is pasted.
    return dump_page(page, mail_text(content, parts, look, whole_code=True)), page.notes


def _terminal(order: RenderOrder) -> Made:
    columns, colored = int(order.options.get("cols", 80)), order.form == "ansi"
    return mail_text(_content(order), _parts(order), _mail_look(order), columns, colored=colored), ()


def _pdf(order: RenderOrder) -> Made:
    content = _content(order)
    mode = "dark" if _mail_look(order).mode == "dark" else "light"
    parts = _known_parts(order, content, "doc")
    made = document_pdf(content.document, parts, _document_look(order, "doc"), mode)
    return made.body, made.notes


def _png(order: RenderOrder) -> Made:
    body, notes = _pdf(order)
    assert isinstance(body, bytes)
    return page_png(body, int(order.options.get("page", 1)) - 1, int(order.options.get("width", 1200))), notes


def _pptx(order: RenderOrder) -> Made:
    content = _content(order)
    parts = _known_parts(order, content, "pres")
    made = document_pptx(content.document, parts, _document_look(order, "pres"))
    return made.body, made.notes


def _requests(order: RenderOrder) -> Made:
    return dump_requests(mail_requests(_content(order).document, _mail_look(order).column)), ()


def _references(order: RenderOrder) -> Made:
    places = reference_places(order.texts.get("content", ""), lambda text: read_mail(text).document)
    return dump_places(places), ()


MAIL_FORMS: Mapping[str, Callable[[RenderOrder], Made]] = {
    "html": _html,
    "txt": _terminal,
    "ansi": _terminal,
    "pdf": _pdf,
    "png": _png,
    "pptx": _pptx,
    "message": _message,
    "requests": _requests,
    "references": _references,
}
"""Functions that make the forms of mails; `message` is what is sent, as JSON."""
