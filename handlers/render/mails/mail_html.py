"""A mail as HTML: one column in a table, which every mail program keeps."""

from __future__ import annotations

from html import escape

from handlers.render.documents.markup.yaml_lines import UNWRITABLE
from handlers.render.documents.pages.document_html import language_of
from handlers.render.documents.pages.page_context import PageContext
from handlers.render.documents.pages.page_words import is_right_to_left
from handlers.render.documents.pages.span_html import link_html
from handlers.render.documents.pages.themes import color_pairs
from handlers.render.mails.mail_content import MailContent, first_words
from handlers.render.mails.mail_css import MailLook, inline_css
from handlers.render.mails.mail_medium import LAYOUT, MailMedium
from handlers.render.mails.mail_pictures import PictureStore
from handlers.render.mails.mail_writer import MailWriter
from handlers.words.document_parts import DocumentParts
from handlers.words.mail_message import MailPage

FILLER = "\u034f\u200c\u00a0"
"""Signs without ink, that keep an inbox from showing the text behind a short preview."""
FILLED = 140
SCHEMES = {"light": "light", "dark": "dark", "both": "light dark"}


def mail_html(
    content: MailContent, parts: DocumentParts, look: MailLook, *, inlined: bool = False
) -> MailPage:
    """The mail as one page; `inlined` holds its pictures, to be read in a browser."""
    document = content.document
    medium = MailMedium(look, PictureStore(inlined))
    context = PageContext(document, "web", medium, parts, language_of(document))
    written = []
    for sheet in document.sheets:
        writer = MailWriter(context, sheet)
        context.write_blocks = writer.blocks
        written.append(writer.blocks(sheet.blocks))
    preview = content.preview or first_words(document)
    whole = _page(context, look, preview, "\n".join(written) + _endnotes(context) + _foot(context, look))
    markup = (f"line {note.line}, column {note.column}: {note.reason}" for note in document.notes)
    notes = (*markup, *context.notes, *medium.notes)
    return MailPage(UNWRITABLE.sub("\ufffd", whole), tuple(medium.store.pictures.values()), notes)


def _page(context: PageContext, look: MailLook, preview: str, body: str) -> str:
    rtl = is_right_to_left(context.language)
    ground = color_pairs()["ground"][look.mode == "dark"]
    side, scheme = "rtl" if rtl else "ltr", SCHEMES[look.mode]
    classes = {name: rule for rule, name in context.rules.classes.items()}
    body, dark = inline_css(_column(look, side, preview, body), look, classes, rtl=rtl)
    return (
        f'<!doctype html>\n<html lang="{context.language}" dir="{side}"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width,initial-scale=1">'
        f'<meta name="color-scheme" content="{scheme}">'
        f'<meta name="supported-color-schemes" content="{scheme}">'
        f'<meta name="format-detection" content="telephone=no,date=no,address=no,email=no">'
        f"<title>{escape(look.subject, quote=False)}</title>"
        f"<style>:root{{color-scheme:{scheme}}}img{{max-width:100%}}{dark}</style></head>\n"
        f'<body class="ground" style="margin:0;padding:0;background-color:{ground}">{body}</body></html>\n'
    )


def _column(look: MailLook, side: str, preview: str, body: str) -> str:
    """The text in one column of tables, behind the preview that only inboxes show."""
    filler = FILLER * max(0, FILLED - len(preview)) if preview else ""
    return (
        f'<div class="preview" aria-hidden="true">{escape(preview, quote=False)}{filler}</div>'
        f'<table {LAYOUT} width="100%" class="ground"><tr><td align="center" class="around">'
        f'<!--[if mso]><table {LAYOUT} width="{look.width}"><tr><td><![endif]-->'
        f'<table {LAYOUT} width="100%" class="frame"><tr><td dir="{side}" class="letter">\n{body}\n</td></tr>'
        f"</table><!--[if mso]></td></tr></table><![endif]--></td></tr></table>"
    )


def _endnotes(context: PageContext) -> str:
    entries = "".join(f"<li>{note}</li>" for note in context.endnotes)
    return f'<ol class="endnotes">{entries}</ol>' if entries else ""


def _foot(context: PageContext, look: MailLook) -> str:
    """The sender, the mail's page, and the way to get no more of them."""
    pieces = [f"Sent by {escape(look.sender, quote=False)}"] if look.sender else []
    pieces += [link_html(context, look.page, "Read it in a browser")] if look.page else []
    pieces += [link_html(context, look.unsubscribe, "Unsubscribe")] if look.unsubscribe else []
    return f'\n<p class="foot">{" · ".join(pieces)}</p>' if pieces else ""
