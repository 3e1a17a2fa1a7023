"""Marks in the cells of a table in a picture: grounds, texts and bars."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape

from handlers.render.plots.charts.cells.table_boxes import TableBox
from handlers.render.plots.charts.cells.table_columns import BRACKET, STEP
from handlers.render.plots.charts.sheet import text_line
from handlers.render.plots.look.style import Style
from handlers.render.plots.look.type_metrics import text_width
from handlers.render.plots.tables.table_cell import Bar, TableCell

SLANT = -10
LONGEST_TITLE = 1_000
"""Signs of a text that a pointer is told where it is cut."""


def ground_svg(one: TableBox, x: Sequence[float], y: Sequence[float]) -> str:
    """The ground of a box; empty without one."""
    if one.cell.ground is None:
        return ""
    top, height = y[one.row], y[one.row + one.span.rows] - y[one.row]
    return (
        f'<rect x="{x[one.column]:g}" y="{top:g}" width="{one.width:g}" height="{height:g}"'
        f' fill="{one.cell.ground}"/>'
    )


def label_widths(style: Style, placed: Sequence[TableBox]) -> dict[int, float]:
    """The room beside the bars of a column for their numbers, with the air before it."""
    widths: dict[int, float] = {}
    for one in placed:
        if one.cell.bar is not None and one.cell.bar.label:
            width = text_width(one.cell.bar.label, style.label) + style.label * 0.6
            widths[one.column] = max(widths.get(one.column, 0.0), width)
    return widths


def content_svg(
    style: Style, one: TableBox, x: Sequence[float], y: Sequence[float], label: float, lift: float = 0.0
) -> str:
    """The bar or the text of a box; `label` is the room beside a bar, `lift` the air that it lost."""
    cell, left = one.cell, x[one.column]
    top, bottom = y[one.row], y[one.row + one.span.rows]
    if cell.bar is not None:
        ends = (left + one.left, left + one.width - one.right)
        return _bar(style, cell, cell.bar, ends, (top + bottom) / 2, label)
    size = style.label * cell.look.scale
    step = size * 1.25
    block = (len(one.lines) - 1) * step
    air = style.label * 0.5
    first = {
        "top": top - lift + style.label + STEP * cell.look.space.get("t", 0) + size * 0.35,
        "middle": (top + bottom) / 2 - block / 2 + size * 0.35,
        "bottom": bottom + lift - air - STEP * cell.look.space.get("b", 0) - block - size * 0.12,
    }[cell.look.vertical]
    at, anchor = {
        "left": (left + one.left, "start"),
        "center": (left + (one.left + one.width - one.right) / 2, "middle"),
        "right": (left + one.width - one.right - text_width(BRACKET * cell.hangs, size), "end"),
    }[cell.look.horizontal]
    svg = "".join(
        _text(style, cell, at, first + index * step, line, anchor) for index, line in enumerate(one.lines)
    )
    return f"<g><title>{escape(cell.text[:LONGEST_TITLE])}</title>{svg}</g>" if one.is_cut else svg


def _text(style: Style, cell: TableCell, x: float, y: float, line: str, anchor: str) -> str:
    """One line of a cell; the bundled typeface has no italics, so they are slanted."""
    color = cell.ink or (style.palette.quiet if cell.head else style.palette.ink)
    weight = 600 if "b" in cell.look.emphasis else 400
    size = style.label * cell.look.scale
    slanted = "i" in cell.look.emphasis
    svg = text_line(0 if slanted else x, 0 if slanted else y, line, size, color, weight=weight, anchor=anchor)
    marks = [
        word for letter, word in (("u", "underline"), ("s", "line-through")) if letter in cell.look.emphasis
    ]
    if marks:
        svg = svg.replace("<text ", f'<text text-decoration="{" ".join(marks)}" ', 1)
    return f'<g transform="translate({x:g},{y:g}) skewX({SLANT})">{svg}</g>' if slanted else svg


def _bar(
    style: Style, cell: TableCell, bar: Bar, sides: tuple[float, float], middle: float, label: float
) -> str:
    """A bar between its ends, its middle line, and its number at the right."""
    left, right = sides
    room = max(4.0, right - left - label)
    ends = sorted((left + bar.start * room, left + bar.end * room))
    height = style.label * 0.85
    color = cell.ink or style.category(1 if bar.negative else 0)
    width = max(ends[1] - ends[0], 1.0 if bar.start != bar.end else 0.0)
    parts = []
    if bar.points:
        spots = [(left + x * room, middle + height * (0.5 - y)) for x, y in bar.points]
        path = "L".join(f"{x:.2f},{y:.2f}" for x, y in spots)
        tone, (x, y) = cell.ink or style.category(0), spots[-1]
        parts.append(
            f'<path d="M{path}" fill="none" stroke="{tone}" stroke-width="1.5" stroke-linejoin="round"/>'
        )
        parts.append(f'<circle cx="{x:.2f}" cy="{y:.2f}" r="2" fill="{tone}"/>')
    if width:
        parts.append(
            f'<rect x="{ends[0]:.2f}" y="{middle - height / 2:.2f}" width="{width:.2f}"'
            f' height="{height:.2f}" fill="{color}"/>'
        )
    if bar.middle is not None:
        x = left + bar.middle * room
        path = f"M{x:.2f} {middle - height * 0.8:.2f}v{height * 1.6:.2f}"
        parts.append(f'<path d="{path}" stroke="{style.palette.zero}"/>')
    if bar.label:
        baseline = middle + style.label * 0.35
        parts.append(text_line(right, baseline, bar.label, style.label, style.palette.ink, anchor="end"))
    return "".join(parts)
