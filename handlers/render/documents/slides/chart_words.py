"""Words around charts that can be edited: the title above, the caption below, as the drawing has them."""

from __future__ import annotations

from handlers.render.documents.slides.slide_shapes import (
    ChartShape,
    RunStyle,
    SlideBox,
    SlideParagraph,
    SlideRun,
    TextShape,
)
from handlers.render.plots.look.palette import LIGHT
from handlers.render.plots.look.style import style_of
from handlers.render.plots.look.type_metrics import FAMILY

LONGEST = 300
LETTER = 0.5
"""Width of a letter, as a share of its height."""


def chart_parts(shape: ChartShape) -> tuple[TextShape | None, SlideBox, TextShape | None, float]:
    """The text above, the place of the chart, the text below, and the points of its labels."""
    style = style_of(shape.drawn, "light")
    share = shape.box.width / max(1, shape.drawn)
    pad = style.padding * share
    box = SlideBox(
        shape.box.x + pad,
        shape.box.y,
        max(10, shape.box.width - 2 * pad),
        max(10, shape.box.height - pad / 2),
    )
    above = []
    for key, size, bold in (("title", style.title, True), ("subtitle", style.subtitle, False)):
        if words := _setting(shape, key) if shape.title else "":
            above.append((words, size * share, bold))
    head = _text(above, box.x, box.y + pad / 2, box.width) if above else None
    top = head.box.bottom + pad / 4 if head else box.y
    caption = _setting(shape, "caption") if shape.caption else ""
    foot = None
    bottom = box.bottom
    if caption:
        foot = _text([(caption, style.source * share, False)], box.x, 0, box.width)
        y = bottom - foot.box.height
        foot = _text([(caption, style.source * share, False)], box.x, y, box.width)
        bottom = y - pad / 4
    place = SlideBox(box.x, top, box.width, max(40, bottom - top))
    return head, place, foot, style.label * share * 0.75


def _setting(shape: ChartShape, key: str) -> str:
    return shape.plot.words(key)[:LONGEST]


def _text(lines: list[tuple[str, float, bool]], x: float, y: float, width: float) -> TextShape:
    paragraphs = []
    for words, size, bold in lines:
        color = (LIGHT.ink if bold else LIGHT.quiet)[1:].upper()
        line = size * 1.3
        rows = 1 + int(len(words) * size * LETTER / width)
        run = SlideRun(words, RunStyle(FAMILY, size, color, bold))
        paragraphs.append(SlideParagraph((run,), SlideBox(x, y, width, line * rows), line, rows))
        y += line * rows
    height = paragraphs[-1].box.bottom - paragraphs[0].box.y
    return TextShape(SlideBox(x, paragraphs[0].box.y, width, height), tuple(paragraphs))
