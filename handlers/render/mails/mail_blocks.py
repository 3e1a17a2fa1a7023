"""Blocks of mails as HTML: tables where programs keep nothing else, and styles on each element."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from html import escape
from typing import Any

from handlers.render.documents.looks.chart_colors import recolor
from handlers.render.documents.markup.blocks import (
    AuthorBox,
    Block,
    Blocks,
    Callout,
    CodeBlock,
    ColumnBreak,
    DataTable,
    Definitions,
    Divider,
    DocumentHeading,
    FaultBox,
    FormulaBlock,
    HtmlIsland,
    ImageBox,
    ListEntry,
    Listing,
    Paragraph,
    Passage,
    Quotation,
    VisBox,
    words_in,
)
from handlers.render.documents.markup.details import Details, Summary
from handlers.render.documents.markup.numbering.numbered_figures import chart_caption
from handlers.render.documents.markup.spans import words_of
from handlers.render.documents.pages.html_island import clean_island
from handlers.render.documents.pages.page_words import tone_label
from handlers.render.documents.pages.part_models import UNSEEN
from handlers.render.mails.mail_authors import author_html
from handlers.render.mails.mail_context import TOO_LARGE, MailContext
from handlers.render.mails.mail_folds import details_html, summary_html
from handlers.render.mails.mail_parts import air_of, chart_width, mail_chart, shown_width
from handlers.render.mails.mail_styles import MONO, TINTS, Declaration, box_styles, color_rule, named_tint
from handlers.render.mails.mail_tables import mail_table
from handlers.render.mails.span_lines import formula_image, link_html, mail_line
from handlers.render.plots.look.palette import DARK, LIGHT

HEADS = {1: (27, 1.25), 2: (21, 1.3), 3: (18, 1.35), 4: (16, 1.4), 5: (15, 1.4), 6: (15, 1.4)}
"""Pixels and height of a line of headings by level."""
TEXT = ("font-size:16px", "line-height:1.55")
NOTE = ("font-size:14px", "line-height:1.5")
AIR = 16
"""Pixels below a block."""
TYPE = {"xs": 12, "s": 14, "m": 16, "l": 19, "xl": 23, "xxl": 30, "xxxl": 40}
STYLES = {"strong": "font-weight:700", "italic": "font-style:italic",
          "regular": "font-weight:400;font-style:normal"}  # fmt: skip
PAPERS = {"light": {LIGHT.paper: TINTS["paper"].light}, "dark": {DARK.paper: TINTS["paper"].dark}}
"""Charts stand on the paper of the mail."""


@dataclass(slots=True)
class MailWriter:
    """Writes the blocks of a mail.

    `text` are the styles of the passage that they stand in, `below` the pixels of air under each.
    """

    context: MailContext
    text: tuple[Declaration | str, ...] = TEXT
    below: int = AIR

    def blocks(self, blocks: Blocks) -> str:
        """Blocks one below the other."""
        return "\n".join(self.block(block) for block in blocks)

    def inner(self, blocks: Blocks) -> str:
        """Blocks within another, which has air of its own below the last."""
        last = replace(self, below=0)
        return "\n".join([*map(self.block, blocks[:-1]), *map(last.block, blocks[-1:])])

    def block(self, block: Block) -> str:
        """One block."""
        self.context.page.line = block.line
        return WRITERS[type(block)](self, block)

    def fault(self, label: str, reason: str) -> str:
        """The note in place of what is not shown."""
        words = f"<strong>{escape(label, quote=False)}</strong><br>{escape(reason, quote=False)}"
        return self.panel(
            words,
            color_rule("border-left", "error", "3px solid "),
            color_rule("background-color", "error-tint"),
        )

    def panel(self, inner: str, *styles: Declaration | str) -> str:
        """Something set apart, in a table of one cell."""
        cell = self.context.style("padding:12px 16px", *TEXT, *styles)
        outer = self.context.style(f"margin:0 0 {self.below}px", "width:100%")
        return (
            f'<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"{outer}>'
            f"<tr><td{cell}>{inner}</td></tr></table>"
        )

    def _heading(self, block: DocumentHeading) -> str:
        size, height = HEADS[block.level]
        tint = (color_rule("color", named_tint(block.color)),) if block.color else ()
        # Padding adds to the air below the block before, into which a margin would vanish.
        style = self.context.style(
            f"margin:0 0 {self.below // 2}px", f"padding-top:{AIR // 2 if block.level > 1 else 0}px",
            f"font-size:{size}px", f"line-height:{height}", "font-weight:700", *tint,
        )  # fmt: skip
        style += self.context.page.side(words_of(block.spans))
        return f"<h{block.level}{style}>{mail_line(self.context, block.spans)}</h{block.level}>"

    def _paragraph(self, block: Paragraph) -> str:
        style = self.context.style(f"margin:0 0 {self.below}px", *self.text)
        style += self.context.page.side(words_of(block.spans))
        return f"<p{style}>{mail_line(self.context, block.spans)}</p>"

    def _listing(self, block: Listing) -> str:
        tag = "ul" if block.start is None else "ol"
        start = f' start="{block.start}"' if block.start not in (None, 1) else ""
        ticked = all(entry.checked is not None for entry in block.entries)
        page = self.context.page
        with page.within(words_in(block.entries[0].blocks) if block.entries else "") as attribute:
            side = "right" if page.leftward else "left"
            entries = "".join(self._entry(entry, block.tight) for entry in block.entries)
        style = self.context.style(
            f"margin:0 0 {self.below}px", "padding:0", f"padding-{side}:{24 * (not ticked)}px", *self.text
        )
        return f"<{tag}{start}{style}{attribute}>{entries}</{tag}>"

    def _entry(self, entry: ListEntry, tight: bool) -> str:
        tick = "" if entry.checked is None else f"{'☑' if entry.checked else '☐'} "
        around = self.context.page.leftward
        with self.context.page.within(words_in(entry.blocks)) as side:
            turned = self.context.page.leftward != around
            inner = "".join(
                mail_line(self.context, block.spans)
                if tight and isinstance(block, Paragraph)
                else self.block(block)
                for block in entry.blocks
            )
        mark = ("list-style:none",) if tick else ("list-style-position:inside",) if turned else ()
        return f"<li{self.context.style('margin:0 0 4px', *mark)}{side}>{tick}{inner}</li>"

    def _definitions(self, block: Definitions) -> str:
        rows = []
        for entry in block.entries:
            term = self.context.style("margin:0 0 4px", "font-weight:700", *self.text)
            inner = self.context.style("margin:0", "padding:0 0 0 20px")
            rows.append(f"<p{term}>{mail_line(self.context, entry.term)}</p>")
            rows.append(f"<div{inner}>{self.blocks(entry.blocks)}</div>")
        return "".join(rows)

    def _quotation(self, block: Quotation) -> str:
        return self.panel(
            self.inner(block.blocks), color_rule("border-left", "rule", "3px solid "),
            color_rule("color", "quiet"),
            "padding:2px 16px",
        )  # fmt: skip

    def _code(self, block: CodeBlock) -> str:
        style = self.context.style(
            "margin:0", f"font-family:{MONO}", "font-size:13px", "line-height:1.5", "white-space:pre-wrap",
            "word-break:break-word",
        )  # fmt: skip
        text = escape(block.text.expandtabs(4), quote=False)
        return self.panel(f"<pre{style}>{text}</pre>", color_rule("background-color", "panel"))

    def _table(self, block: DataTable) -> str:
        style = self.context.style(f"margin:0 0 {self.below}px")
        words = self.context.style("font-size:14px", "line-height:1.4", color_rule("color", "quiet"))
        caption = mail_line(self.context, block.caption)
        above = f"<div{words}>{caption}</div>" if caption else ""
        return f"<div{style}>{above}{mail_table(self.context, block)}</div>"

    def _formula(self, block: FormulaBlock) -> str:
        style = self.context.style(f"margin:0 0 {self.below}px", "text-align:center", *self.text)
        return f"<p{style}>{formula_image(self.context, block.source, display=True)}</p>"

    def _vis(self, block: VisBox) -> str:
        request = mail_chart(block, self.context.look.column)
        shown = chart_width(block, self.context.look.column)
        part = self.context.parts.visuals.get(request.key)
        if part is None:
            reason = self.context.missing(block.ref, UNSEEN)
            self.context.notes.append(f"line {block.line}: {block.ref} is not shown: {reason}")
            return self.fault(f"{block.ref} is not shown", reason)
        known = recolor(part.pictures, PAPERS)
        svgs = [known.get(mode) or known.get("light", "") for mode in self.context.modes]
        air = air_of(block, request)
        larger = request.width - 2 * air < shown
        drawn = [
            self.context.store.chart(svg, shown, air, enlarged=larger) for svg in dict.fromkeys(svgs) if svg
        ]
        pictures = [picture for picture in drawn if picture is not None]
        if not pictures:
            return self._too_large(block.line, block.ref)
        image = self.context.images(pictures, part.description or block.ref)
        if part.url:
            image = link_html(self.context, part.url, image)
        heading = f"<strong>{escape(block.heading, quote=False)}</strong><br>" if block.heading else ""
        words = mail_line(self.context, chart_caption(block))
        caption = self._caption(words) if words else ""
        return self._figure(block.align, heading + image, caption, *box_styles(block.box))

    def _image(self, block: ImageBox) -> str:
        part = self.context.asset(block.ref)
        if isinstance(part, str):
            self.context.notes.append(f"line {block.line}: {block.ref} is not shown: {part}")
            return self.fault(f"[image: {block.alt}]", f"{block.ref} is not shown: {part}")
        column = self.context.look.column
        picture = self.context.store.asset(part, shown_width(block.width, column), column)
        if picture is None:
            return self._too_large(block.line, block.ref)
        image = self.context.images([picture], block.alt)
        image = link_html(self.context, block.link, image) if block.link else image
        caption = self._caption(mail_line(self.context, block.caption)) if block.caption else ""
        return self._figure(block.align, image, caption, *box_styles(block.box))

    def _too_large(self, line: int, ref: str) -> str:
        self.context.notes.append(f"line {line}: {ref} is not shown: {TOO_LARGE}")
        return self.fault(f"{ref} is not shown", TOO_LARGE)

    def _caption(self, words: str) -> str:
        style = self.context.style("font-size:14px", "line-height:1.4", color_rule("color", "quiet"))
        return f"<br><span{style}>{words}</span>"

    def _figure(self, align: str, image: str, caption: str, *styles: Declaration | str) -> str:
        style = self.context.style(
            f"margin:0 0 {self.below}px", f"text-align:{align or 'left'}", *self.text, *styles
        )
        return f"<div{style}>{image}{caption}</div>"

    def _passage(self, block: Passage) -> str:
        size = (f"font-size:{TYPE[block.size]}px",) if block.size else ()
        more = [STYLES[style] for style in block.styles]
        more += [f"text-align:{block.align}"] if block.align else []
        writer = replace(self, text=(*self.text, *size, *more))
        if block.box.ground or block.box.borders:
            return self.panel(writer.inner(block.blocks), *box_styles(block.box))
        return f"<div{self.context.style(*box_styles(block.box))}>{writer.blocks(block.blocks)}</div>"

    def _callout(self, block: Callout) -> str:
        label = escape(block.title or tone_label(block.tone, self.context.page.language), quote=False)
        head = self.context.style("margin:0 0 4px", "font-weight:700", color_rule("color", block.tone), *TEXT)
        inner = f"<p{head}>{label}</p>{self.inner(block.blocks)}"
        edge = color_rule("border-left", block.tone, f"4px {block.edge or 'solid'} ")
        ground = color_rule("background-color", f"{block.tone}-tint")
        return self.panel(inner, edge, ground, *box_styles(block.box))

    def _author(self, block: AuthorBox) -> str:
        part = self.context.parts.authors.get(block.username)
        if part is not None:
            style = self.context.style(f"margin:0 0 {self.below}px", *box_styles(block.box))
            return author_html(self.context, block, part, style, TEXT)
        reason = self.context.missing(
            f"@{block.username}", "no such user lets themselves be named as an author"
        )
        self.context.notes.append(f"line {block.line}: author {block.username} is not shown: {reason}")
        return self.fault(f"Author {block.username} is not shown", reason)

    def _divider(self, block: Divider) -> str:
        style = self.context.style(
            "border:0",
            color_rule("border-top", "rule", "1px solid "),
            f"margin:{AIR // 2}px 0 {AIR * 3 // 2}px",
        )
        return f"<hr{style}>"

    def _island(self, block: HtmlIsland) -> str:
        style = self.context.style(f"margin:0 0 {self.below}px", *self.text)
        return f"<div{style}>{clean_island(block.source)}</div>"


WRITERS: Mapping[type[Any], Callable[[MailWriter, Any], str]] = {
    DocumentHeading: MailWriter._heading,
    Paragraph: MailWriter._paragraph,
    Listing: MailWriter._listing,
    Definitions: MailWriter._definitions,
    Quotation: MailWriter._quotation,
    CodeBlock: MailWriter._code,
    DataTable: MailWriter._table,
    Details: lambda writer, block: details_html(
        writer.context, block, writer.inner(block.blocks), writer.below, *writer.text
    ),
    Summary: lambda writer, block: summary_html(writer.context, block, writer.below, *writer.text),
    Divider: MailWriter._divider,
    FormulaBlock: MailWriter._formula,
    VisBox: MailWriter._vis,
    ImageBox: MailWriter._image,
    Passage: MailWriter._passage,
    Callout: MailWriter._callout,
    AuthorBox: MailWriter._author,
    HtmlIsland: MailWriter._island,
    ColumnBreak: lambda writer, block: "",
    FaultBox: lambda writer, block: writer.fault("This section is not shown", block.reason),
}
"""Functions that write each kind of block."""
