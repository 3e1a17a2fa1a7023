"""Blocks of mails: those of pages, with figures in pixels and with tables for layout."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import cast

from handlers.render.documents.looks.chart_colors import recolor
from handlers.render.documents.markup.blocks import DataTable, FormulaBlock, ImageBox, VisBox
from handlers.render.documents.markup.numbering import chart_caption
from handlers.render.documents.pages.block_html import WRITERS, BlockWriter, Writers
from handlers.render.documents.pages.figures import absent_html
from handlers.render.documents.pages.span_html import formula_html, link_html, spans_html
from handlers.render.documents.pages.table_html import table_html
from handlers.render.documents.pages.themes import color_pairs
from handlers.render.mails.mail_medium import LAYOUT, MailMedium
from handlers.render.mails.mail_parts import air_of, chart_width, mail_chart, shown_width
from handlers.render.plots.look.palette import DARK, LIGHT
from handlers.words.document_parts import UNSEEN, VisPart

TOO_LARGE = "the pictures of a mail take at most 12 MiB together"
PAPERS = {
    "light": {LIGHT.paper: color_pairs()["paper"][0]},
    "dark": {DARK.paper: color_pairs()["paper"][1]},
}
"""Charts stand on the paper of the mail."""


@dataclass(frozen=True, slots=True)
class MailWriter(BlockWriter):
    """Writes the blocks of a mail."""

    @property
    def medium(self) -> MailMedium:
        """The medium of the mail."""
        return cast(MailMedium, self.context.medium)

    def writers(self) -> Writers:
        """The functions that write each kind of block."""
        return MAIL_WRITERS

    def beside(self, names: str, picture: str, words: str) -> str:
        """Return a picture and words in cells beside each other."""
        cell = f'<td class="picture">{picture}</td>' if picture else ""
        return f'<table {LAYOUT} class="{names}"><tr>{cell}<td class="beside">{words}</td></tr></table>'

    def data_table(self, block: DataTable) -> str:
        """Return a table of data, told apart from those for layout."""
        table = table_html(self.context, self.sheet, block)
        names = ' class="data ' if table.startswith('<table class="') else ' class="data"'
        rest = table.removeprefix("<table").removeprefix(' class="')
        return f'<table cellpadding="0" cellspacing="0" border="0"{names}{rest}'

    def display(self, block: FormulaBlock) -> str:
        """Return a formula on a line of its own."""
        drawn = formula_html(self.context, block.source, block.line, display=True)
        return f'<p class="display">{drawn}</p>'

    def vis(self, block: VisBox) -> str:
        """Return a chart with its words, or the note in its place."""
        column = self.medium.column
        request = mail_chart(block, column)
        part = self.context.parts.visuals.get(request.key)
        if part is None:
            return absent_html(self.context, block, self.context.missing(block.ref, UNSEEN))
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
        picture = self.medium.store.asset(part, shown_width(block.width, column), column)
        if picture is None:
            return absent_html(self.context, block, TOO_LARGE)
        image = self.medium.images([picture], block.alt)
        image = link_html(self.context, block.link, image) if block.link else image
        return self._figure(block, image, spans_html(self.context, block.caption))

    def _figure(self, block: VisBox | ImageBox, image: str, caption: str) -> str:
        words = f'<div class="caption">{caption}</div>' if caption else ""
        names = " ".join(filter(None, ("figure", block.align, self.context.rules.box(block.box))))
        return f'<div class="{names}">{image}{words}</div>'


MAIL_WRITERS: Writers = {
    **WRITERS,
    DataTable: MailWriter.data_table,
    FormulaBlock: MailWriter.display,
    ImageBox: MailWriter.image,
    VisBox: MailWriter.vis,
}
"""Functions that write each kind of block of a mail."""
