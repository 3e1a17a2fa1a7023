"""Mails as text, and as HTML: one column in a table, which every mail program supports."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from html import escape
from typing import cast

from handlers.render.documents.looks.custom_css import recolor
from handlers.render.documents.markup.blocks import (
    Blocks,
    Document,
    ImageBox,
    MarkupNote,
    Paragraph,
    VisBox,
    spans_in,
    walk_blocks,
)
from handlers.render.documents.markup.document_text import read_document
from handlers.render.documents.markup.numbering import chart_caption
from handlers.render.documents.markup.section_grammar import UNWRITABLE
from handlers.render.documents.markup.section_stack import PREVIEW
from handlers.render.documents.markup.spans import words_of
from handlers.render.documents.pages.block_html import BlockWriter
from handlers.render.documents.pages.document_html import language_of
from handlers.render.documents.pages.figures import absent_html
from handlers.render.documents.pages.page_context import PageContext, is_right_to_left
from handlers.render.documents.pages.parts import ChartRoom, pixels_of
from handlers.render.documents.pages.span_html import link_html, spans_html
from handlers.render.documents.pages.themes import SCHEMES, color_pairs
from handlers.render.documents.plain.terminal_text import document_text
from handlers.render.mails.mail_medium import (
    LAYOUT,
    MailLook,
    MailMedium,
    air_of,
    chart_width,
    document_parts,
    inline_css,
    mail_chart,
)
from handlers.render.mails.mail_pictures import PictureStore
from handlers.render.plots.look.palette import DARK, LIGHT
from handlers.words.document_parts import UNSEEN, DocumentParts, VisPart
from handlers.words.mail_message import MailPage
from handlers.words.terminal_signs import safe_words

LONGEST_PREVIEW = 200
SIGNS = re.compile(r"[\x00-\x20\x7f-\xa0\u200b\u200e\u200f\u061c\u2028-\u202e\u2060-\u2069\ufeff]+")
MORE_THAN_ONE = "a mail has one preview: this one is left out"


@dataclass(frozen=True, slots=True)
class MailContent:
    """The preview of a mail ("" without one), and the rest of its content."""

    preview: str
    document: Document


def read_mail(text: str) -> MailContent:
    """Parse the text of a mail. Every text is valid; notes report what was not understood."""
    document = read_document(text)
    notes = tuple(_without_preview(document.notes))
    return MailContent(preview_line(_words(document.preview)), replace(document, notes=notes, preview=()))


def preview_line(words: str) -> str:
    """Return words on one line, cut to the most that any inbox shows."""
    line = SIGNS.sub(" ", words).strip()
    if len(line) <= LONGEST_PREVIEW:
        return line
    return f"{line[:LONGEST_PREVIEW].rpartition(' ')[0] or line[:LONGEST_PREVIEW]}…"


def first_words(document: Document) -> str:
    """Return the words of the first paragraph, for a mail without a preview."""
    found = (block for block in document.blocks() if isinstance(block, Paragraph))
    return preview_line(words_of(next(found, Paragraph(0, ())).spans))


def _words(blocks: Blocks) -> str:
    return " ".join(words_of(line) for block in walk_blocks(blocks) for line in spans_in(block))


def _without_preview(notes: tuple[MarkupNote, ...]) -> Iterator[MarkupNote]:
    """Yield the notes of a document, without the one about its first preview, which a mail may have."""
    previews = 0
    for note in notes:
        previews += note.reason == PREVIEW
        if note.reason != PREVIEW:
            yield note
        elif previews > 1:
            yield replace(note, reason=MORE_THAN_ONE)


COLUMNS = 72
"""Columns of the text part of a message, as mail programs show it."""


def mail_text(
    content: MailContent,
    parts: DocumentParts,
    look: MailLook,
    columns: int = COLUMNS,
    *,
    colored: bool = False,
    whole_code: bool = False,
) -> str:
    """Return the mail as lines of at most `columns`, with its footer; `whole_code` does not wrap code lines.

    An address of any length stays on one line, because mail programs make only whole addresses links.
    """
    known = document_parts(content.document, parts, look.column, "web")
    text = document_text(
        content.document, known, "web", columns,
        colored=colored, whole_code=whole_code, whole_addresses=True, spoken=False,
    )  # fmt: skip
    lines = [f"Sent by {safe_words(look.sender)}"] if look.sender else []
    lines += [f"Read it in a browser: {look.page}"] if look.page else []
    lines += [f"Unsubscribe: {look.unsubscribe}"] if look.unsubscribe else []
    # Two dashes and a space on a line mark the start of a signature.
    return text + ("\n-- \n" + "\n".join(lines) + "\n" if lines else "")


TOO_LARGE = "the pictures of a mail take at most 12 MiB together"
PAPERS = {
    "light": {LIGHT.paper: color_pairs()["paper"][0]},
    "dark": {DARK.paper: color_pairs()["paper"][1]},
}
"""Charts are drawn on the background of the mail."""


@dataclass(frozen=True, slots=True)
class MailWriter(BlockWriter):
    """Writes the blocks of a mail."""

    @property
    def medium(self) -> MailMedium:
        """The medium of the mail."""
        return cast(MailMedium, self.context.medium)

    def beside(self, names: str, picture: str, words: str) -> str:
        """Return a picture and words in cells beside each other."""
        cell = f'<td class="picture">{picture}</td>' if picture else ""
        return f'<table {LAYOUT} class="{names}"><tr>{cell}<td class="beside">{words}</td></tr></table>'

    def vis(self, block: VisBox) -> str:
        """Return a chart with its words, or the note in its place."""
        column = self.medium.column
        request = mail_chart(block, column)
        part = self.context.parts.visuals.get(request.key)
        if part is None:
            return absent_html(self.context, block, self.context.parts.reasons.get(block.ref, UNSEEN))
        known = VisPart(recolor(part.pictures, PAPERS))
        shown, air = chart_width(block, column), air_of(block, request)
        larger = request.width - 2 * air < shown
        image = self.medium.charts(known, part.description or block.ref, shown, air, enlarged=larger)
        if not image:
            return absent_html(self.context, block, TOO_LARGE)
        image = link_html(self.context, part.url, image) if part.url else image
        head = f"<strong>{escape(block.heading, quote=False)}</strong><br>" if block.heading else ""
        return self._figure(block, head + image, spans_html(self.context, chart_caption(block)))

    def image(self, block: ImageBox) -> str:
        """Return a picture with its caption, or the note in its place."""
        part = self.context.asset(block.ref)
        if isinstance(part, str):
            return absent_html(self.context, block, part)
        column = self.medium.column
        picture = self.medium.store.asset(part, pixels_of(block.width, column), column)
        if picture is None:
            return absent_html(self.context, block, TOO_LARGE)
        image = self.medium.images([picture], block.alt)
        image = link_html(self.context, block.link, image) if block.link else image
        return self._figure(block, image, spans_html(self.context, block.caption))

    def _figure(self, block: VisBox | ImageBox, image: str, caption: str) -> str:
        words = f'<div class="caption">{caption}</div>' if caption else ""
        names = " ".join(filter(None, ("figure", block.align, self.context.rules.box(block.box))))
        return f'<div class="{names}">{image}{words}</div>'


FILLER = "\u034f\u200c\u00a0"
"""Invisible characters that keep inboxes from showing the text after a short preview."""
FILLED = 140


def mail_html(
    content: MailContent, parts: DocumentParts, look: MailLook, *, inlined: bool = False
) -> MailPage:
    """Return the mail as one page; with `inlined` it contains its pictures, to be read in a browser."""
    document = content.document
    medium = MailMedium(look, PictureStore(inlined))
    context = PageContext(document, "web", medium, parts, language_of(document))
    written = []
    for sheet in document.sheets:
        writer = MailWriter(context, ChartRoom(context.kind, sheet))
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
    body, dark = inline_css(_column(look, side, preview, body), look, context.rules.css, rtl=rtl)
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
    """Return the text in one column of tables, after the preview that only inboxes show."""
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
    """Return the sender, the link to the mail's page, and the link to unsubscribe."""
    pieces = [f"Sent by {escape(look.sender, quote=False)}"] if look.sender else []
    pieces += [link_html(context, look.page, "Read it in a browser")] if look.page else []
    pieces += [link_html(context, look.unsubscribe, "Unsubscribe")] if look.unsubscribe else []
    return f'\n<p class="foot">{" · ".join(pieces)}</p>' if pieces else ""
