"""Laid-out tables as tables of slides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from handlers.render.documents.slides.laid_text import (
    SIDES,
    NotWords,
    color_of,
    is_plain_box,
    painted_areas,
    read_paragraph,
)
from handlers.render.documents.slides.slide_shapes import (
    CellEdge,
    SlideBox,
    SlideCell,
    SlideParagraph,
    TableShape,
)
from handlers.render.plots.look.type_metrics import text_width

MOST_CELLS = 2_000
WIDER = 1.22
"""Factor by which a substitute font may be wider than the font of the page."""
BOLD = 700
SHORT, LONGEST = 18, 40
"""Most letters of a line, and of a word, that stays on one line."""
ANCHORS = {"middle": "ctr", "bottom": "b"}


def read_table(table: Any) -> TableShape | None:
    """Return a table as a shape; None without cells. Raises NotWords."""
    rows = [row for group in table.children for row in group.children if row.children]
    if not rows:
        return None
    count = len(rows[0].children)
    cells = [cell for row in rows for cell in row.children]
    if len(cells) > MOST_CELLS or any(len(row.children) != count for row in rows):
        raise NotWords
    if any(cell.colspan > 1 or cell.rowspan > 1 or not is_plain_box(cell) for cell in cells):
        raise NotWords
    ordered = [sorted(row.children, key=lambda cell: float(cell.position_x)) for row in rows]
    edges = [float(cell.position_x) for cell in ordered[0]]
    edges.append(float(ordered[0][-1].position_x) + ordered[0][-1].margin_width())
    laid = [max(1.0, right - left) for left, right in pairwise(edges)]
    heights = tuple(float(row.height) for row in rows)
    lines = tuple(tuple(_cell(cell, row) for cell in line) for line, row in zip(ordered, rows, strict=True))
    widths = roomy_widths(laid, lines)
    box = SlideBox(edges[0], float(rows[0].position_y), sum(widths), sum(heights))
    return TableShape(box, widths, heights, lines)


def _cell(cell: Any, row: Any) -> SlideCell:
    style = cell.style
    paddings = (style[f"padding_{side}"] for side in ("left", "top", "right", "bottom"))
    left, top, right, bottom = (float(getattr(padding, "value", 0)) for padding in paddings)
    edges = tuple(_edges(cell, row))
    color = color_of(style, "background_color") or color_of(row.style, "background_color")
    anchor = ANCHORS.get(str(style["vertical_align"]), "t")
    return SlideCell(tuple(_paragraphs(cell)), (left, top, right, bottom), edges, color, anchor)


def _edges(cell: Any, row: Any) -> Iterator[CellEdge]:
    """Yield the lines at the sides of a cell, or of its row."""
    for letter, side in SIDES:
        for style in (cell.style, row.style):
            width = float(style[f"border_{side}_width"])
            color = color_of(style, f"border_{side}_color")
            if width > 0 and style[f"border_{side}_style"] not in ("none", "hidden") and color:
                yield CellEdge(letter, width, color)
                break


def _paragraphs(box: Any, depth: int = 0) -> Iterator[SlideParagraph]:
    lines = [child for child in box.children if type(child).__name__ == "LineBox"]
    if lines:
        if (paragraph := read_paragraph(box, lines)) is not None:
            yield paragraph
        return
    for child in box.children:
        is_text = type(child).__name__ == "BlockBox" and child.element_tag != "li" and is_plain_box(child)
        if depth > 9 or not is_text or any(painted_areas(child)):
            raise NotWords
        yield from _paragraphs(child, depth + 1)


def roomy_widths(laid: Sequence[float], rows: Sequence[Sequence[SlideCell]]) -> tuple[float, ...]:
    """Return the widths of columns; narrow ones take space from those wider than their words need.

    This way the longest words fit in any font that a program uses.
    """
    needs = [max((_need(row[index]) for row in rows), default=0.0) for index in range(len(laid))]
    missing = [max(0.0, need - width) for need, width in zip(needs, laid, strict=True)]
    spare = [max(0.0, width - max(1.0, need)) for need, width in zip(needs, laid, strict=True)]
    given = min(sum(missing), sum(spare))
    if given <= 0:
        return tuple(laid)
    return tuple(
        width + given * (lack / sum(missing) - more / sum(spare))
        for width, lack, more in zip(laid, missing, spare, strict=True)
    )


def _need(cell: SlideCell) -> float:
    """Return the width in which no word of a cell is broken."""
    left, _, right, _ = cell.padding
    return left + right + WIDER * max(_words(cell), default=0.0)


def _words(cell: SlideCell) -> Iterator[float]:
    for paragraph in cell.paragraphs:
        size = max((run.style.size for run in paragraph.runs), default=0.0)
        weight = BOLD if any(run.style.bold for run in paragraph.runs) else 400
        # A short line of the page stays one line.
        whole = paragraph.lines == 1 and len(paragraph.words) <= SHORT
        for word in [paragraph.words] if whole else paragraph.words.split():
            yield text_width(word[:LONGEST], size, weight)
