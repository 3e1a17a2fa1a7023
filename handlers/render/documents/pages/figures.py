"""Figures as HTML: charts and pictures with their captions, or a note instead."""

from __future__ import annotations

from dataclasses import replace
from html import escape

from handlers.render.documents.looks.custom_css import recolor
from handlers.render.documents.markup.blocks import ImageBox, VisBox
from handlers.render.documents.markup.numbering import chart_caption
from handlers.render.documents.markup.spans import FigureNumber, words_of
from handlers.render.documents.pages.media import classes, picture_size
from handlers.render.documents.pages.page_context import ID, PageContext
from handlers.render.documents.pages.parts import ChartRoom, narrow_request, overhang, vis_request
from handlers.render.documents.pages.span_html import line_html, link_html, spans_html
from handlers.words.document_parts import TOO_LARGE, UNSEEN, AssetPart, VisPart

HIGHEST = {"doc": 460, "pres": 440, "web": 620}
"""Largest height of a picture in pixels, which leaves space for text on its page."""


def fault_html(context: PageContext, label: str, reason: str, source: str = "") -> str:
    """Return the note about a section that cannot be shown."""
    code = f"<pre>{escape(source, quote=False)}</pre>" if source else ""
    said = f'<p class="label">{escape(label)}</p><p>{escape(reason, quote=False)}</p>'
    return context.medium.panel("div", "fault", said + code)


def absent_html(context: PageContext, block: VisBox | ImageBox, reason: str) -> str:
    """Return the note about a missing figure; the log has the details for the author."""
    said, alt = f"{block.ref} is not shown", block.alt if isinstance(block, ImageBox) else ""
    context.note(block.line, f"{said}: {reason}")
    return fault_html(context, f"[image: {alt}]" if alt else said, f"{said}: {reason}" if alt else reason)


def vis_html(context: PageContext, room: ChartRoom, block: VisBox) -> str:
    """Return a chart with its title and caption, or a note."""
    request = vis_request(block, room)
    part = context.parts.visuals.get(request.key)
    if part is None:
        return absent_html(context, block, context.parts.reasons.get(block.ref, UNSEEN))
    part = _in_chart_colors(context, part)
    if not context.medium.takes(part):
        return absent_html(context, block, TOO_LARGE)
    out = overhang(block, request, context.kind)
    wide = out or block.width or context.kind == "pres"
    width = f"width:calc({block.width or '100%'} + {2 * out:.3g}px)" if wide else ""
    place = f"margin-inline:-{out:.3g}px" if out and block.align in ("", "left") else ""
    name = context.rules.box(block.box)
    rule = context.rules.name(width, place, "max-width:none" if out else "")
    known = context.parts.visuals.get(narrow_request(request).key)
    narrow = _in_chart_colors(context, known) if known else None
    image = context.medium.chart(part, part.description or block.ref, rule, narrow)
    if block.link and part.url:
        image = link_html(context, part.url, image)
    # Text is above and below the chart, wherever the chart is on the page.
    column = context.rules.name(f"width:{block.width}" if block.width else "")
    attributes = f"{classes('heading', column)}{context.side(block.heading)}"
    head = f"<p{attributes}>{escape(block.heading, quote=False)}</p>" if block.heading else ""
    caption = spans_html(context, chart_caption(block))
    words = (
        f"<figcaption{classes(column)}{context.side(block.words)}>{caption}</figcaption>" if caption else ""
    )
    # Slides find the data of a chart by its request.
    mark = ' tabindex="0"' if context.medium.interactive else f' data-vis="{escape(request.key)}"'
    mark += place_of(block.number)
    return f"<figure{classes('vis', block.align, name)}{mark}>{head}{image}{words}</figure>"


def _in_chart_colors(context: PageContext, part: VisPart) -> VisPart:
    return replace(part, pictures=recolor(part.pictures, context.chart_colors))


def image_html(context: PageContext, block: ImageBox) -> str:
    """Return a picture with its caption, or a note."""
    part = context.asset(block.ref)
    if isinstance(part, str):
        return absent_html(context, block, part)
    width = block.width or natural_width(part, context.kind)
    image = context.medium.asset(part, block.alt, "filling" if width else "")
    image = link_html(context, block.link, image) if block.link else image
    side = context.side(words_of(block.caption))
    caption = f"<figcaption{side}>{line_html(context, block.caption)}</figcaption>" if block.caption else ""
    name = context.rules.box(block.box, f"width:{width}" if width else "")
    return f"<figure{classes('image', block.align, name)}{place_of(block.number)}>{image}{caption}</figure>"


def place_of(number: FigureNumber) -> str:
    """Return the id of a numbered figure or table, the target of references."""
    return f' id="{ID}{escape(number.anchor)}"' if number.anchor else ""


def natural_width(part: AssetPart, kind: str) -> str:
    """Return the default width of a picture: its own, or less if it would be too high for a page."""
    width, height = picture_size(part)
    return f"{min(width, width * HIGHEST[kind] / height):.4g}px" if height else ""
