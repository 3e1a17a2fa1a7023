"""Spans as HTML."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from html import escape
from typing import Any

from handlers.render.documents.looks.box_rules import css_color
from handlers.render.documents.markup.spans import (
    CodeSpan,
    Footnote,
    Formula,
    Hyperlink,
    InlineImage,
    LineBreak,
    PageMention,
    PlainText,
    Span,
    Spans,
    Styled,
    Tinted,
    VariableMention,
    words_of,
)
from handlers.render.documents.pages.formulas import draw_formula
from handlers.render.documents.pages.line_lengths import is_long
from handlers.render.documents.pages.page_context import ID, MOST_FORMULAS, PageContext
from handlers.render.output_room import put_out
from handlers.render.plots.data.figures_written import AFTER, UNITS
from handlers.words.document_parts import VariablePart
from handlers.words.variables import format_value, is_number

DASH = re.compile(r"(?<!\S)--(?=\s)")
BESIDE_NUMBER = re.compile(rf"(?<![\w.])(?:{UNITS}) (?=[0-9])|(?<=[0-9]) (?=(?:{AFTER})(?!\w))")
"""A currency and the space before its number, or the space between a number and its unit."""


def set_text(text: str) -> str:
    """Return text with an en dash for two hyphens, and no break between a number and its unit."""
    if "--" in text:
        text = DASH.sub("\u2013", text)
    return BESIDE_NUMBER.sub(lambda found: f"{found[0][:-1]}\u00a0", text)


RUNT = re.compile(r" (?=\S{1,10}$)")
TALL = 1.55
"""Height of a formula, in em, above which lines need more space."""
REL = ' rel="noopener noreferrer"'
ARROWS = {1: "▲\u00a0", -1: "▼\u00a0", 0: ""}


def spans_html(context: PageContext, spans: Spans) -> str:
    """Return a line as HTML."""
    return "".join(SPANS[type(span)](context, span) for span in spans)


def line_html(context: PageContext, spans: Spans) -> str:
    """Return a paragraph's text; a short last word stays with the one before it."""
    if spans and isinstance(spans[-1], PlainText):
        spans = (*spans[:-1], PlainText(RUNT.sub("\u00a0", spans[-1].text)))
    return spans_html(context, spans)


def without_notes(spans: Spans) -> Spans:
    """Return a heading for a table of contents: without footnotes and links."""
    kept: list[Span] = []
    for span in spans:
        if isinstance(span, Hyperlink):
            kept += without_notes(span.spans)
        elif not isinstance(span, Footnote):
            kept.append(span)
    return tuple(kept)


def formula_html(context: PageContext, source: str, line: int = 0, *, display: bool) -> str:
    """Return a formula as a drawing; an invalid one as written."""
    context.formulas += 1
    drawn = draw_formula(source, display=display) if context.formulas <= MOST_FORMULAS else None
    if drawn is None:
        line = line or context.line
        context.notes.append(f"{f'line {line}: ' if line else ''}formula not understood: {source[:80]}")
        return f'<code class="formula missing">{escape(source)}</code>'
    size = (f"width:{drawn.width:.3f}em", f"height:{drawn.height:.3f}em")
    place = "" if display else f"vertical-align:{-drawn.depth:.3f}em"
    tall = "tall " if drawn.height > TALL and not display else ""
    return context.medium.formula(drawn, source, f"math {tall}{context.rules.name(*size, place)}")


def _tint_html(context: PageContext, span: Tinted) -> str:
    rule = f"{'background-color' if span.ground else 'color'}:{css_color(span.color)}"
    return f'<span class="{context.rules.name(rule)}">{spans_html(context, span.spans)}</span>'


def link_html(context: PageContext, address: str, inner: str, more: str = "") -> str:
    """Return a link around some HTML, or the HTML alone if the address is not reachable."""
    target = context.medium.address(f"#{ID}{address[1:]}" if address.startswith("#") else address)
    if not target:
        return inner
    rel = REL if target.startswith("http") else ""
    return f'<a href="{escape(target)}"{more}{rel}>{inner}</a>'


def _footnote(context: PageContext, note: Footnote) -> str:
    if context.medium.paged:
        if is_long(note, context.kind):
            return _long_note(context, note)
        inner = spans_html(context, note.spans) + context.write_blocks(note.blocks)
        return f'<span class="footnote"{context.side(words_of(note.spans))}>{inner}</span>'
    context.endnotes.append("")
    number = len(context.endnotes)
    text, blocks = spans_html(context, note.spans), context.write_blocks(note.blocks)
    side = context.side(words_of(note.spans))
    text = f"<p{side}>{text}</p>{blocks}" if blocks else f"<span{side}>{text}</span>" if side else text
    context.endnotes[number - 1] = text
    mark = f' id="{ID}call-{number}" role="doc-noteref"'
    return f'<sup class="call">{link_html(context, f"#note-{number}", str(number), mark)}</sup>'


def _long_note(context: PageContext, note: Footnote) -> str:
    """Return the reference to a footnote after its block: a letter, as others have numbers."""
    letter = chr(ord("a") + context.lettered % 26) * (context.lettered // 26 + 1)
    context.lettered += 1
    call = f'<sup class="call">{letter}</sup>'
    text = spans_html(context, note.spans)
    context.long_notes.append(
        f'<aside class="note"><p>{call} {text}</p>{context.write_blocks(note.blocks)}</aside>'
    )
    return call


def _image(context: PageContext, image: InlineImage) -> str:
    part, alt = context.asset(image.name), image.alt
    if isinstance(part, str):
        context.notes.append(f'picture "{image.name[:80]}" is not shown: {part}')
        return f'<span class="missing">[image: {escape(alt)}; {escape(part, quote=False)}]</span>'
    return context.medium.asset(part, alt, "inline")


def _variable(context: PageContext, mention: VariableMention) -> str:
    path = mention.path
    part = context.parts.variables.get(path)
    if part is None:
        reason = context.parts.reasons.get(path, "it does not exist")
        context.notes.append(f"variable {path} is not shown: {reason}")
        return f'<span class="missing" title="{escape(path)}">#N/A</span>'
    side = direction(part)
    tone = {1: ' class="up"', -1: ' class="down"'}.get(side, "")
    text = escape(format_value(part.value, part.kind, part.format), quote=False)
    return put_out(f"<span{tone}>{ARROWS[side]}{text}</span>")


def direction(part: VariablePart) -> int:
    """Return 1 for a relative value above its threshold, -1 for one below, else 0."""
    bar = part.threshold or "0"
    if part.kind != "relative" or not is_number(part.value) or not is_number(bar):
        return 0
    value, limit = float(part.value), float(bar)
    return (value > limit) - (value < limit)


def _page(context: PageContext, mention: PageMention) -> str:
    heading = context.heading(mention.level, mention.heading)
    if heading is None:
        context.notes.append(f'page reference: there is no heading "{"#" * mention.level} {mention.heading}"')
        return '<span class="missing">#N/A</span>'
    target = f"#{ID}{heading.anchor}"
    if not context.medium.paged:
        label = mention.label or words_of(heading.spans)
        return put_out(link_html(context, f"#{heading.anchor}", escape(label)))
    if mention.label:
        return f'<a href="{target}">{escape(mention.label)}</a>'
    return f'<a class="pageref{"" if mention.linked else " unlinked"}" href="{target}"></a>'


SPANS: Mapping[type[Any], Callable[[PageContext, Any], str]] = {
    PlainText: lambda context, span: escape(set_text(span.text), quote=False),
    CodeSpan: lambda context, span: f"<code>{escape(span.text, quote=False)}</code>",
    Styled: lambda context, span: f"<{span.style}>{spans_html(context, span.spans)}</{span.style}>",
    Hyperlink: lambda context, span: link_html(context, span.address, spans_html(context, span.spans)),
    Tinted: _tint_html,
    Footnote: _footnote,
    LineBreak: lambda context, span: "<br>",
    Formula: lambda context, span: formula_html(context, span.source, display=span.display),
    InlineImage: _image,
    VariableMention: _variable,
    PageMention: _page,
}
"""Functions that write each kind of span."""
