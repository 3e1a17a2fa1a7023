"""A mail as HTML: one column in a table, which every mail program keeps."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape

from handlers.render.documents.pages.document_html import language_of
from handlers.render.documents.pages.media import PaperMedium
from handlers.render.documents.pages.page_context import PageContext
from handlers.render.documents.pages.page_words import is_right_to_left
from handlers.render.documents.pages.part_models import DocumentParts
from handlers.render.mails.mail_blocks import NOTE, MailWriter
from handlers.render.mails.mail_content import MailContent, first_words
from handlers.render.mails.mail_context import MailContext
from handlers.render.mails.mail_look import MailLook
from handlers.render.mails.mail_pictures import MailPicture, PictureStore
from handlers.render.mails.mail_styles import SANS, MailStyles, color_rule
from handlers.render.mails.span_lines import link_html

FILLER = "\u034f\u200c\u00a0"
"""Signs without ink, that keep an inbox from showing the text behind a short preview."""
FILLED = 140
UNBROKEN = ("overflow-wrap:anywhere", "word-break:break-word")
"""Words that are longer than a line are broken, by what new programs know and by what old ones do."""
SCHEMES = {"light": "light", "dark": "dark", "both": "light dark"}
UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class MailPage:
    """A mail as HTML, the pictures that travel beside it, and notes for its writer."""

    html: str
    pictures: tuple[MailPicture, ...]
    notes: tuple[str, ...]


def mail_html(
    content: MailContent, parts: DocumentParts, look: MailLook, *, inlined: bool = False
) -> MailPage:
    """The mail as one page; `inlined` holds its pictures, to be read in a browser."""
    document = content.document
    page = PageContext(document, "web", PaperMedium(), parts, language_of(document))
    context = MailContext(page, parts, look, MailStyles(look.mode), PictureStore(inlined))
    writer = MailWriter(context)
    context.write_blocks = MailWriter(context, NOTE).inner
    body = "\n".join(writer.blocks(sheet.blocks) for sheet in document.sheets)
    body += _endnotes(context) + _foot(context)
    whole = _page(context, content.preview or first_words(document), body)
    markup = (f"line {note.line}, column {note.column}: {note.reason}" for note in document.notes)
    notes = (*markup, *context.notes)
    return MailPage(UNWRITABLE.sub("\ufffd", whole), tuple(context.store.pictures.values()), notes)


def _page(context: MailContext, preview: str, body: str) -> str:
    look, language = context.look, context.page.language
    side = "rtl" if is_right_to_left(language) else "ltr"
    scheme = SCHEMES[context.styles.mode]
    ground = color_rule("background-color", "ground")
    outer = context.style("margin:0", "padding:0", "width:100%", ground)
    cell = context.style(
        f"padding:{look.edge}px", color_rule("background-color", "paper"), color_rule("color", "ink"),
        f"font-family:{SANS}", "text-align:start", *UNBROKEN,
    )  # fmt: skip
    column = context.style("width:100%", f"max-width:{look.width}px")
    table = 'role="presentation" cellpadding="0" cellspacing="0" border="0"'
    inner = (
        f"{_preview_box(context, preview)}"
        f'<table {table} width="100%"{outer}><tr><td align="center"{context.style("padding:16px 0")}>'
        f'<!--[if mso]><table {table} width="{look.width}"><tr><td><![endif]-->'
        f'<table {table} width="100%"{column}><tr><td dir="{side}"{cell}>\n{body}\n</td></tr></table>'
        f"<!--[if mso]></td></tr></table><![endif]--></td></tr></table>"
    )
    return (
        f'<!doctype html>\n<html lang="{language}" dir="{side}"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width,initial-scale=1">'
        f'<meta name="color-scheme" content="{scheme}">'
        f'<meta name="supported-color-schemes" content="{scheme}">'
        f'<meta name="format-detection" content="telephone=no,date=no,address=no,email=no">'
        f"<title>{escape(look.subject, quote=False)}</title>"
        f"<style>:root{{color-scheme:{scheme}}}img{{max-width:100%}}{context.styles.sheet()}</style></head>\n"
        f"<body{outer}>{inner}</body></html>\n"
    )


def _preview_box(context: MailContext, preview: str) -> str:
    """The preview, which inboxes read and nobody sees in the mail."""
    style = context.style(
        "display:none", "max-height:0", "overflow:hidden", "mso-hide:all", "font-size:1px", "line-height:1px"
    )
    filler = FILLER * max(0, FILLED - len(preview)) if preview else ""
    return f'<div{style} aria-hidden="true">{escape(preview, quote=False)}{filler}</div>'


def _endnotes(context: MailContext) -> str:
    if not context.endnotes:
        return ""
    rule = color_rule("border-top", "rule", "1px solid ")
    style = context.style(
        "margin:24px 0 0", "padding:12px 0 0 24px", "font-size:14px", "line-height:1.5",
        color_rule("color", "quiet"), rule,
    )  # fmt: skip
    return f"<ol{style}>{''.join(f'<li>{note}</li>' for note in context.endnotes)}</ol>"


def _foot(context: MailContext) -> str:
    """The sender, the mail's page, and the way to get no more of them."""
    look = context.look
    pieces = [f"Sent by {escape(look.sender, quote=False)}"] if look.sender else []
    pieces += [link_html(context, look.page, "Read it in a browser")] if look.page else []
    pieces += [link_html(context, look.unsubscribe, "Unsubscribe")] if look.unsubscribe else []
    style = context.style(
        "margin:32px 0 0", "padding:16px 0 0", "font-size:13px", "line-height:1.5",
        color_rule("color", "quiet"), color_rule("border-top", "rule", "1px solid "),
    )  # fmt: skip
    return f"\n<p{style}>{' · '.join(pieces)}</p>" if pieces else ""
