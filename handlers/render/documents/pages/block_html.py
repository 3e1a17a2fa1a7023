"""Blocks as HTML."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from handlers.render.documents.looks.box_rules import css_color
from handlers.render.documents.markup.blocks import (
    AuthorBox,
    Blocks,
    Callout,
    CodeBlock,
    ColumnBreak,
    DataTable,
    Definitions,
    Details,
    Divider,
    DocumentBlock,
    DocumentHeading,
    DocumentSheet,
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
from handlers.render.documents.markup.spans import Footnote, PlainText, Spans, Styled, walk_spans, words_of
from handlers.render.documents.pages.code_colors import code_html
from handlers.render.documents.pages.figures import fault_html, image_html, vis_html
from handlers.render.documents.pages.html_island import clean_island
from handlers.render.documents.pages.line_lengths import fold_code, slide_head
from handlers.render.documents.pages.media import classes, element, fault_of_picture
from handlers.render.documents.pages.page_context import ID, LABELS, PageContext
from handlers.render.documents.pages.parts import ChartRoom, column_width
from handlers.render.documents.pages.span_html import formula_html, line_html, spans_html
from handlers.render.documents.pages.table_html import table_html
from handlers.words.language import say, translate

LONG_ENTRY = 74
"""Characters of an entry that takes two lines: lists of such entries have spacing."""
LONG_CODE = 15
"""Lines of code above which it may continue on the next page."""
CODE_SIGN = {"doc": 6.74, "pres": 12.85}
CODE_EDGES = {"doc": 27, "pres": 48}
"""Width in pixels of a character of code, and of the padding of code, by kind."""
STYLES = {
    "strong": "font-weight:700",
    "italic": "font-style:italic",
    "regular": "font-weight:400;font-style:normal",
}
NO_AUTHOR = "there is no such user, or they may not be named as an author"
PLACES = {"left": "margin-right:auto;margin-left:0", "center": "margin-left:auto;margin-right:auto",
          "right": "margin-left:auto;margin-right:0", "middle": "margin-top:auto;margin-bottom:auto",
          "bottom": "margin-top:auto", "top": ""}  # fmt: skip


@dataclass(frozen=True, slots=True)
class BlockWriter:
    """Writes the blocks of one page."""

    context: PageContext
    room: ChartRoom

    @property
    def sheet(self) -> DocumentSheet:
        """The page."""
        return self.room.sheet

    def blocks(self, blocks: Blocks) -> str:
        """Return blocks one below the other."""
        return "\n".join(self.block(block) for block in blocks)

    def block(self, block: DocumentBlock) -> str:
        """Return one block."""
        self.context.line = block.line
        written = WRITERS[type(block)](self, block)
        behind, self.context.long_notes[:] = "".join(self.context.long_notes), []
        return written + behind

    def _heading(self, block: DocumentHeading) -> str:
        tint = self.context.rules.name(f"color:{css_color(block.color)}") if block.color else ""
        wide = "wide" if block.wide else ""
        text, words, level = spans_html(self.context, block.spans), words_of(block.spans), block.level
        names = self.context.balance_class(self._heading_place(block), words, wide, tint)
        return f'<h{level} id="{ID}{escape(block.anchor)}"{names}{self.context.side(words)}>{text}</h{level}>'

    def _heading_place(self, block: DocumentHeading) -> str:
        """Return the id of a heading, by which its size is measured; "" if it is not measured."""
        plain = all(isinstance(span, PlainText | Styled) for span in block.spans)
        if self.context.kind == "pres":
            first = slide_head(words_of(block.spans))[0] if block is self.sheet.head else ""
            place = "stage" if len(self.sheet.blocks) == 1 else first
        else:
            place = f"h{block.level}" if self.sheet.columns == 1 else ""
        return place if plain else ""

    def _paragraph(self, block: Paragraph) -> str:
        # A line that introduces the next block stays with it.
        words = words_of(block.spans)
        name, side = "lead" if words.rstrip().endswith(":") else "", self.context.side(words)
        text = line_html(self.context, block.spans)
        if self.context.medium.paged and has_blocks(block.spans):
            # A block ends an HTML paragraph, so this is no paragraph.
            return f"<div{classes('p', name)}{side}>{text}</div>"
        return f"<p{classes(name)}{side}>{text}</p>"

    def _listing(self, block: Listing) -> str:
        if block.index:
            entries = "".join(self._entry(entry, True) for entry in block.entries)
            return f'<nav class="contents figures"><ol>{entries}</ol></nav>'
        tag = "ul" if block.start is None else "ol"
        start = f' start="{block.start}"' if block.start not in (None, 1) else ""
        # On paper the style sets the numbers.
        count = (
            f"counter-reset:list-item {(block.start or 1) - 1}" if start and self.context.medium.paged else ""
        )
        loose = "loose" if not block.tight or any(_is_long(entry) for entry in block.entries) else ""
        with self.context.within(words_in(block.entries[0].blocks) if block.entries else "") as side:
            entries = "\n".join(self._entry(entry, block.tight) for entry in block.entries)
        return f"<{tag}{start}{classes(loose, self.context.rules.name(count))}{side}>\n{entries}\n</{tag}>"

    def _entry(self, entry: ListEntry, tight: bool) -> str:
        tick = ""
        if entry.checked is not None:
            tick = f'<span class="box">{"☑" if entry.checked else "☐"}\u2002</span>'
        around = self.context.leftward
        with self.context.within(words_in(entry.blocks)) as side:
            # The mark of an entry that runs against its list's direction would be outside of the page.
            turned = "list-style-position:inside" if self.context.leftward != around else ""
            inner = "\n".join(
                line_html(self.context, block.spans)
                if tight and isinstance(block, Paragraph)
                else self.block(block)
                for block in entry.blocks
            )
        names = classes("tick" if tick else "", self.context.rules.name(turned))
        return f"<li{names}{side}>{tick}{inner}</li>"

    def _definitions(self, block: Definitions) -> str:
        rows = []
        for entry in block.entries:
            side = self.context.side(words_of(entry.term))
            rows.append(f"<dt{side}>{spans_html(self.context, entry.term)}</dt>")
            rows.append(f"<dd>{self.blocks(entry.blocks)}</dd>")
        return f"<dl>{''.join(rows)}</dl>"

    def _quotation(self, block: Quotation) -> str:
        return self.context.medium.panel("blockquote", "", self.blocks(block.blocks))

    def _code(self, block: CodeBlock) -> str:
        signs = self._code_signs()
        lines = block.text.count("\n") + 1 + (len(fold_code(block.text, signs)) if signs else 0)
        short = classes("short" if self.context.medium.paged and lines < LONG_CODE else "")
        code = code_html(block.text, block.language, signs)
        # Wide content scrolls on narrow screens, also with keys.
        stop = ' tabindex="0"' if self.context.medium.interactive else ""
        return f"<pre{short}{stop}><code>{code}</code></pre>"

    def _code_signs(self) -> int:
        """Return how many characters of code fit on a line of paper; screens scroll."""
        kind = "pres" if self.context.kind == "pres" else "doc"
        fitting = int((column_width(kind, self.sheet) - CODE_EDGES[kind]) / CODE_SIGN[kind])
        return fitting if self.context.medium.paged else 0

    def _formula(self, block: FormulaBlock) -> str:
        formula = formula_html(self.context, block.source, block.line, display=True)
        return f'<div class="display">{formula}</div>'

    def _passage(self, block: Passage) -> str:
        more = [STYLES[style] for style in block.styles]
        more += [f"text-align:{block.align}"] if block.align else []
        more += [f"width:{block.width};max-width:none"] if block.width else []
        more += [f"min-height:{block.height}"] if block.height else []
        more += [PLACES[place] for place in block.place]
        name = self.context.rules.box(block.box, *more)
        size = f"size-{block.size}" if block.size else ""
        boxed = "boxed" if block.box.ground or block.box.borders else ""
        names = " ".join(filter(None, ("passage", size, boxed, name)))
        write = self.context.medium.panel if boxed else element
        return write("div", names, self.blocks(block.blocks))

    def _callout(self, block: Callout) -> str:
        names = ("callout", block.tone, block.edge, self.context.rules.box(block.box))
        label = block.title or translate(LABELS[block.tone], self.context.language)
        side, label = self.context.side(label), escape(label, quote=False)
        inner = f'<p class="label"{side}>{label}</p>\n{self.blocks(block.blocks)}'
        return self.context.medium.panel("aside", " ".join(filter(None, names)), inner)

    def _details(self, block: Details) -> str:
        inner = self.blocks(block.blocks)
        words, side = line_html(self.context, block.summary), self.context.side(words_of(block.summary))
        if not self.context.medium.interactive:
            head = f'<p class="summary"{side}>{words}</p>\n' if words else ""
            return f'<div class="details">{head}{inner}</div>'
        head = f"<summary{side}>{words or say('Details')}</summary>"
        return f"<details{' open' if block.shown else ''}>{head}\n{inner}\n</details>"

    def vis(self, block: VisBox) -> str:
        """Return a chart with its title and caption, or a note."""
        return vis_html(self.context, self.room, block)

    def image(self, block: ImageBox) -> str:
        """Return a picture with its caption, or a note."""
        return image_html(self.context, block)

    def _author(self, block: AuthorBox) -> str:
        part = self.context.parts.authors.get(block.username)
        if part is None:
            reason = self.context.parts.reasons.get(f"@{block.username}", NO_AUTHOR)
            self.context.note(block.line, f"author {block.username} is not shown: {reason}")
            return fault_html(self.context, f"Author {block.username} is not shown", reason)
        picture = ""
        portrait = part.picture if block.picture else None
        if portrait is not None and not fault_of_picture(portrait) and self.context.medium.takes(portrait):
            picture = self.context.medium.asset(portrait, f"Portrait of {part.name}", "portrait")
        name = f'<p class="name">{escape(part.name, quote=False)}</p>' if block.name else ""
        words = block.words or part.bio
        bio = f"<p{self.context.side(words)}>{escape(words, quote=False)}</p>" if block.bio and words else ""
        names = f"author {self.context.rules.box(block.box)}".rstrip()
        return self.beside(names, picture, name + bio)

    def beside(self, names: str, picture: str, words: str) -> str:
        """Return a box with a picture and text next to it."""
        return f'<div class="{names}">{picture}<div>{words}</div></div>'


def has_blocks(spans: Spans) -> bool:
    """Return whether a footnote contains more than one line."""
    return any(isinstance(span, Footnote) and span.blocks for span in walk_spans(spans))


def _is_long(entry: ListEntry) -> bool:
    first = entry.blocks[0] if entry.blocks else None
    return isinstance(first, Paragraph) and len(words_of(first.spans)) > LONG_ENTRY


WRITERS: Mapping[type[Any], Callable[[BlockWriter, Any], str]] = {
    DocumentHeading: BlockWriter._heading,
    Paragraph: BlockWriter._paragraph,
    Listing: BlockWriter._listing,
    Definitions: BlockWriter._definitions,
    Quotation: BlockWriter._quotation,
    CodeBlock: BlockWriter._code,
    DataTable: lambda writer, block: table_html(writer.context, writer.sheet, block),
    Details: BlockWriter._details,
    Divider: lambda writer, block: "<hr>",
    FormulaBlock: BlockWriter._formula,
    VisBox: lambda writer, block: writer.vis(block),
    ImageBox: lambda writer, block: writer.image(block),
    Passage: BlockWriter._passage,
    Callout: BlockWriter._callout,
    AuthorBox: BlockWriter._author,
    HtmlIsland: lambda writer, block: f'<div class="island">{clean_island(block.source)}</div>',
    ColumnBreak: lambda writer, block: '<div class="colbreak"></div>',
    FaultBox: lambda writer, block: fault_html(
        writer.context, "This section is not shown", block.reason, block.source
    ),
}
"""Functions that write each kind of block."""
