"""Blocks as HTML."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

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
)
from handlers.render.documents.markup.spans import Spans, words_of
from handlers.render.documents.pages.asset_check import fault_of_picture
from handlers.render.documents.pages.code_colors import code_html
from handlers.render.documents.pages.html_island import clean_island
from handlers.render.documents.pages.named_colors import css_color
from handlers.render.documents.pages.page_context import ID, PageContext
from handlers.render.documents.pages.parts import overhang, vis_request
from handlers.render.documents.pages.span_html import formula_html, line_html, spans_html

LABELS = {"info": "Note", "success": "Checked", "warning": "Careful", "error": "Error"}
NUMBER = re.compile(r"[-+−–]?[$€£]?\s?[0-9][0-9 ,.'\u00a0\u202f]*\s?(?:%|[a-zA-Z]{1,3})?|n/a|[-–—]|")
STYLES = {
    "strong": "font-weight:700",
    "italic": "font-style:italic",
    "regular": "font-weight:400;font-style:normal",
}
PLACES = {"left": "margin-right:auto;margin-left:0", "center": "margin-left:auto;margin-right:auto",
          "right": "margin-left:auto;margin-right:0", "middle": "margin-top:auto;margin-bottom:auto",
          "bottom": "margin-top:auto", "top": ""}  # fmt: skip


@dataclass(frozen=True, slots=True)
class BlockWriter:
    """Writes the blocks of one page."""

    context: PageContext
    sheet: DocumentSheet

    def blocks(self, blocks: Blocks) -> str:
        """Blocks one below the other."""
        return "\n".join(self.block(block) for block in blocks)

    def block(self, block: Block) -> str:
        """One block."""
        return WRITERS[type(block)](self, block)

    def fault(self, label: str, reason: str, source: str = "") -> str:
        """The note in place of what cannot be shown."""
        code = f"<pre>{escape(source, quote=False)}</pre>" if source else ""
        said = f'<p class="label">{escape(label)}</p><p>{escape(reason, quote=False)}</p>'
        return f'<div class="fault">{said}{code}</div>'

    def _heading(self, block: DocumentHeading) -> str:
        tint = self.context.rules.name(f"color:{css_color(block.color)}") if block.color else ""
        names = _class("wide" if block.wide else "", tint)
        level = block.level
        text = spans_html(self.context, block.spans)
        return f'<h{level} id="{ID}{escape(block.anchor)}"{names}>{text}</h{level}>'

    def _paragraph(self, block: Paragraph) -> str:
        # A line that announces something stays with it.
        name = "lead" if words_of(block.spans).rstrip().endswith(":") else ""
        return f"<p{_class(name)}>{line_html(self.context, block.spans)}</p>"

    def _listing(self, block: Listing) -> str:
        tag = "ul" if block.start is None else "ol"
        start = f' start="{block.start}"' if block.start not in (None, 1) else ""
        entries = "\n".join(self._entry(entry, block.tight) for entry in block.entries)
        return f"<{tag}{start}>\n{entries}\n</{tag}>"

    def _entry(self, entry: ListEntry, tight: bool) -> str:
        tick = "" if entry.checked is None else ("☑\u2002" if entry.checked else "☐\u2002")
        inner = [
            tick * (not index)
            + (
                spans_html(self.context, block.spans)
                if tight and isinstance(block, Paragraph)
                else self.block(block)
            )
            for index, block in enumerate(entry.blocks)
        ]
        return f"<li{_class('tick' if tick else '')}>{chr(10).join(inner)}</li>"

    def _definitions(self, block: Definitions) -> str:
        rows = []
        for entry in block.entries:
            rows.append(f"<dt>{spans_html(self.context, entry.term)}</dt>")
            rows.append(f"<dd>{self.blocks(entry.blocks)}</dd>")
        return f"<dl>{''.join(rows)}</dl>"

    def _quotation(self, block: Quotation) -> str:
        return f"<blockquote>\n{self.blocks(block.blocks)}\n</blockquote>"

    def _code(self, block: CodeBlock) -> str:
        return f"<pre><code>{code_html(block.text, block.language)}</code></pre>"

    def _table(self, block: DataTable) -> str:
        sides = [column_side(block, index) for index in range(len(block.head))]
        head = "".join(self._cell("th", cell, side) for cell, side in zip(block.head, sides, strict=True))
        body = (
            "".join(self._cell("td", cell, side) for cell, side in zip(row, sides, strict=False))
            for row in block.rows
        )
        rows = "\n".join(f"<tr>{row}</tr>" for row in body)
        table = f"<table><thead><tr>{head}</tr></thead><tbody>\n{rows}\n</tbody></table>"
        return table if self.context.medium.paged else f'<div class="scroll" tabindex="0">{table}</div>'

    def _cell(self, tag: str, cell: Spans, side: str) -> str:
        scope = ' scope="col"' if tag == "th" else ""
        return f"<{tag}{scope}{_class(side)}>{spans_html(self.context, cell)}</{tag}>"

    def _formula(self, block: FormulaBlock) -> str:
        return (
            f'<div class="display">{formula_html(self.context, block.source, block.line, display=True)}</div>'
        )

    def _vis(self, block: VisBox) -> str:
        request = vis_request(block, self.context.kind, self.sheet)
        part = self.context.parts.visuals.get(request.key)
        if part is None:
            reason = self.context.missing(block.ref, "there is none that this document's owner may see")
            self.context.note(block.line, f"{block.ref} is not shown: {reason}")
            return self.fault(f"{block.ref} is not shown", reason)
        out = overhang(block, request, self.context.kind)
        width = f"width:calc({block.width or '100%'} + {2 * out:.3g}px)" if out or block.width else ""
        place = f"margin-inline:-{out:.3g}px" if out and block.align in ("", "left") else ""
        name = self.context.rules.box(block.box)
        rule = self.context.rules.name(width, place, "max-width:none" if out else "")
        image = self.context.medium.chart(part, part.description or block.ref, rule)
        return f"<figure{_class('vis', block.align, name)}>{image}</figure>"

    def _image(self, block: ImageBox) -> str:
        part = self.context.asset(block.ref)
        if isinstance(part, str):
            self.context.note(block.line, f"{block.ref} is not shown: {part}")
            return self.fault(f"[image: {block.alt}]", f"{block.ref} is not shown: {part}")
        rules = self.context.rules
        image = self.context.medium.asset(
            part, block.alt, rules.name(f"width:{block.width}" if block.width else "")
        )
        if block.link and not (self.context.medium.paged and block.link.startswith("/")):
            image = f'<a href="{escape(block.link)}" rel="noopener noreferrer">{image}</a>'
        caption = (
            f"<figcaption>{line_html(self.context, block.caption)}</figcaption>" if block.caption else ""
        )
        return f"<figure{_class('image', block.align, rules.box(block.box))}>{image}{caption}</figure>"

    def _passage(self, block: Passage) -> str:
        more = [STYLES[style] for style in block.styles]
        more += [f"text-align:{block.align}"] if block.align else []
        more += [f"width:{block.width};max-width:none"] if block.width else []
        more += [f"min-height:{block.height}"] if block.height else []
        more += [PLACES[place] for place in block.place]
        name = self.context.rules.box(block.box, *more)
        size = f"size-{block.size}" if block.size else ""
        return f"<div{_class('passage', size, name)}>\n{self.blocks(block.blocks)}\n</div>"

    def _callout(self, block: Callout) -> str:
        name = _class("callout", block.tone, self.context.rules.box(block.box))
        label = escape(block.title or LABELS[block.tone], quote=False)
        return f'<aside{name}><p class="label">{label}</p>\n{self.blocks(block.blocks)}\n</aside>'

    def _author(self, block: AuthorBox) -> str:
        part = self.context.parts.authors.get(block.username)
        if part is None:
            reason = self.context.missing(
                f"@{block.username}", "no such user lets themselves be named as an author"
            )
            self.context.note(block.line, f"author {block.username} is not shown: {reason}")
            return self.fault(f"Author {block.username} is not shown", reason)
        picture = ""
        if block.picture and part.picture is not None and not fault_of_picture(part.picture):
            picture = self.context.medium.asset(part.picture, f"Portrait of {part.name}", "portrait")
        name = f'<p class="name">{escape(part.name, quote=False)}</p>' if block.name else ""
        words = block.words or part.bio
        bio = f"<p>{escape(words, quote=False)}</p>" if block.bio and words else ""
        box = _class("author", self.context.rules.box(block.box))
        return f"<div{box}>{picture}<div>{name}{bio}</div></div>"


def column_side(block: DataTable, index: int) -> str:
    """The class of a column: as it was written, and numbers at the right edge."""
    side = block.sides[index] if index < len(block.sides) else ""
    if side in ("center", "left"):
        return f"at-{side}"
    texts = [words_of(row[index]).strip() for row in block.rows if index < len(row)]
    numeric = any(any(sign.isdigit() for sign in text) for text in texts)
    if side == "right":
        return "number" if numeric else "at-right"
    return "number" if numeric and all(NUMBER.fullmatch(text) for text in texts) else ""


def _class(*names: str) -> str:
    said = " ".join(name for name in names if name)
    return f' class="{said}"' if said else ""


def _writers() -> Iterator[tuple[type[Any], Callable[[BlockWriter, Any], str]]]:
    yield DocumentHeading, BlockWriter._heading
    yield Paragraph, BlockWriter._paragraph
    yield Listing, BlockWriter._listing
    yield Definitions, BlockWriter._definitions
    yield Quotation, BlockWriter._quotation
    yield CodeBlock, BlockWriter._code
    yield DataTable, BlockWriter._table
    yield Divider, lambda writer, block: "<hr>"
    yield FormulaBlock, BlockWriter._formula
    yield VisBox, BlockWriter._vis
    yield ImageBox, BlockWriter._image
    yield Passage, BlockWriter._passage
    yield Callout, BlockWriter._callout
    yield AuthorBox, BlockWriter._author
    yield HtmlIsland, lambda writer, block: f'<div class="island">{clean_island(block.source)}</div>'
    yield ColumnBreak, lambda writer, block: '<div class="colbreak"></div>'
    yield (
        FaultBox,
        lambda writer, block: writer.fault("This section is not shown", block.reason, block.source),
    )


WRITERS: Mapping[type[Any], Callable[[BlockWriter, Any], str]] = dict(_writers())
"""Functions that write each kind of block."""
