"""Pictures of grids: plots set into the boxes of a layout, as one SVG document."""

from __future__ import annotations

import re
from html import escape, unescape

from chains.language.mapping import PlotOptions
from handlers.render.grids.cell_plots import Box, PixelCells, svg_size
from handlers.render.grids.drawn_grid import DrawnGrid, GridLook, GridParts
from handlers.render.grids.placement import PlacedCell
from handlers.render.plots.look.palette import MODES
from handlers.render.plots.look.style import style_of
from handlers.render.plots.look.type_metrics import STACK, prefix_ids, wrap

ALIGN = {"top": 0.0, "middle": 0.5, "bottom": 1.0}
CORNER = 4
LONGEST = 1_000
_TITLE = re.compile("<title>([^<]*)</title>")
_XML_LESS = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def grid_svg(grid: DrawnGrid, parts: GridParts, look: GridLook, description: str) -> str:
    """The grid as one SVG document: a nested one for each cell that shows something, never over its edge."""
    cells = PixelCells(look)
    placement = cells.place(grid, parts.needs)
    ground = "" if look.transparent else f'<rect width="100%" height="100%" fill="{MODES[look.mode].paper}"/>'
    inner = "".join(cell_svg(grid, cell, cells.plot_box(cell), parts, look) for cell in placement.cells)
    width, height = number(placement.width), number(placement.height)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'role="group" aria-label="{plain(description)}" '
        f'width="{width}" height="{height}" viewBox="0 0 {width} {height}" font-family="{STACK}">'
        f"<title>{plain(description)}</title>{ground}{inner}</svg>"
    )


def describe_grid(name: str, summary: str, parts: GridParts) -> str:
    """The text for those who do not see a grid: name and summary, or what its plots say of themselves."""
    titles = (found[1] for part in parts.contents.values() if (found := _TITLE.search(part)))
    said = summary or unescape("; ".join(titles))
    described = f"{name}: {said}" if name and said else said or name or "grid"
    return described if len(described) <= LONGEST else f"{described[: LONGEST - 1]}…"


def cell_svg(grid: DrawnGrid, cell: PlacedCell, box: Box, parts: GridParts, look: GridLook) -> str:
    """A cell with its plot, or a grey box with the reason for there being none; "" where nothing is shown."""
    options = grid.options(cell.label)
    mode = options.mode or look.mode
    if (part := parts.contents.get(cell.number)) is not None and (size := svg_size(part)):
        ground = _ground(box, mode) if has_ground(options, look) else ""
        shown = ground + _plot_svg(part, size, box, cell)
    elif reason := grid.fault or parts.reasons.get(cell.number, ""):
        shown = _reason_svg(box, reason, look)
    else:
        return ""
    x, y, width, height = number(cell.x), number(cell.y), number(cell.width), number(cell.height)
    view = f"{x} {y} {width} {height}"
    place = f'x="{x}" y="{y}" width="{width}" height="{height}" viewBox="{view}"'
    return f'<svg id="cell{cell.number}" {place}>{shown}</svg>'


def has_ground(options: PlotOptions, look: GridLook) -> bool:
    """Whether a plot brings a ground: as it says, or where its mode is not that of the grid."""
    if options.transparent_background is None:
        return options.mode not in (None, look.mode)
    return not options.transparent_background


def fit(size: tuple[float, float], box: Box, position: str) -> Box:
    """The box of a picture in that of its cell: as large as fits, at the left and at its position."""
    x, y, width, height = box
    scale = min(width / size[0], height / size[1])
    wide, high = size[0] * scale, size[1] * scale
    return x, y + (height - high) * ALIGN[position], wide, high


def number(value: float) -> str:
    """A length, to a ten-thousandth, without needless zeros."""
    return f"{value:.4f}".rstrip("0").rstrip(".")


def plain(text: str) -> str:
    """A text as it may stand in SVG and HTML, less what no document may hold."""
    return escape(_XML_LESS.sub("", text))


def _plot_svg(part: str, size: tuple[float, float], box: Box, cell: PlacedCell) -> str:
    x, y, width, height = fit(size, box, cell.position)
    start = part.index("<svg")
    inner = prefix_ids(part[part.index(">", start) + 1 : part.rindex("</svg>")], f"cell{cell.number}")
    place = f'x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}"'
    return f'<svg role="img" {place} viewBox="0 0 {number(size[0])} {number(size[1])}">{inner}</svg>'


def _ground(box: Box, mode: str) -> str:
    return f'<rect {_rect(box)} rx="{CORNER}" fill="{MODES[mode].paper}"/>'


def _reason_svg(box: Box, reason: str, look: GridLook) -> str:
    """A grey box with a sentence, which is left out where it would not fit, and told to who points at it."""
    x, y, width, height = box
    style = style_of(int(width), look.mode)
    room = int((height - 8) / style.line)
    lines = wrap(reason, style.label, width - 24, most=min(6, room)) if room > 0 and width > 90 else []
    first = y + height / 2 - (len(lines) - 1) * style.line / 2 + style.label * 0.35
    texts = "".join(
        f'<text x="{number(x + width / 2)}" y="{number(first + at * style.line)}" font-size="{style.label}" '
        f'text-anchor="middle" fill="{style.palette.quiet}">{plain(line)}</text>'
        for at, line in enumerate(lines)
    )
    rect = f'<rect {_rect(box)} rx="{CORNER}" fill="{style.palette.panel}"/>'
    return f"<title>{plain(reason)}</title>{rect}{texts}"


def _rect(box: Box) -> str:
    x, y, width, height = (number(value) for value in box)
    return f'x="{x}" y="{y}" width="{width}" height="{height}"'
