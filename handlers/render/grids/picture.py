"""Pictures and pages of grids: plots in the boxes of a layout."""

from __future__ import annotations

import re
from html import escape, unescape

from chains.language.mapping import PlotOptions
from handlers.render.grids.cell_plots import PixelCells, svg_size
from handlers.render.grids.placement import Area, DrawnGrid, GridLook, GridParts, PlacedCell, Placement
from handlers.render.plots.look.palette import MODES
from handlers.render.plots.look.style import style_of
from handlers.render.plots.look.type_metrics import STACK, prefix_ids, wrap
from handlers.words.terminal_signs import xml_text

ALIGN = {"top": 0.0, "middle": 0.5, "bottom": 1.0}
CORNER = 4
LONGEST = 1_000
_TITLE = re.compile("<title>([^<]*)</title>")


def grid_svg(grid: DrawnGrid, parts: GridParts, look: GridLook, description: str) -> str:
    """Return the grid as one SVG document, with a nested document clipped to each cell that is not empty."""
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
    """Return the text alternative of a grid: name and summary, or the descriptions of its plots."""
    titles = (found[1] for part in parts.contents.values() if (found := _TITLE.search(part)))
    said = summary or unescape("; ".join(titles))
    described = f"{name}: {said}" if name and said else said or name or "grid"
    return described if len(described) <= LONGEST else f"{described[: LONGEST - 1]}…"


def cell_svg(grid: DrawnGrid, cell: PlacedCell, box: Area, parts: GridParts, look: GridLook) -> str:
    """Return a cell with its plot, or a grey box with the reason why there is none; "" if it is empty."""
    options = grid.options(cell.label)
    mode = options.mode or look.mode
    if (part := parts.contents.get(cell.number)) is not None and (size := svg_size(part)):
        ground = _rect(box, MODES[mode].paper) if has_ground(options, look) else ""
        shown = ground + _plot_svg(part, size, box, cell)
    elif reason := grid.fault or parts.reasons.get(cell.number, ""):
        shown = _reason_svg(box, reason, look)
    else:
        return ""
    view = " ".join(map(number, cell.area))
    return f'<svg id="cell{cell.number}" {_place(cell.area)} viewBox="{view}">{shown}</svg>'


def has_ground(options: PlotOptions, look: GridLook) -> bool:
    """Return whether a plot has a background: as configured, else if its mode differs from the grid's."""
    if options.transparent_background is None:
        return options.mode not in (None, look.mode)
    return not options.transparent_background


def fit(size: tuple[float, float], box: Area, position: str) -> Area:
    """Return the box of a picture in its cell: as large as fits, at the left, with the vertical position."""
    x, y, width, height = box
    scale = min(width / size[0], height / size[1])
    wide, high = size[0] * scale, size[1] * scale
    return x, y + (height - high) * ALIGN[position], wide, high


def number(value: float) -> str:
    """Return a length, rounded to a ten-thousandth, without trailing zeros."""
    return f"{value:.4f}".rstrip("0").rstrip(".")


def plain(text: str) -> str:
    """Return a text escaped for SVG and HTML, without characters that no document may contain."""
    return escape(xml_text(text))


def _plot_svg(part: str, size: tuple[float, float], box: Area, cell: PlacedCell) -> str:
    place, inner = _place(fit(size, box, cell.position)), _inner(part, f"cell{cell.number}")
    return f'<svg role="img" {place} viewBox="0 0 {number(size[0])} {number(size[1])}">{inner}</svg>'


def _inner(part: str, prefix: str) -> str:
    """Return the elements of a plot, with a prefix before their ids."""
    start = part.index(">", part.index("<svg")) + 1
    return prefix_ids(part[start : part.rindex("</svg>")], prefix)


def _reason_svg(box: Area, reason: str, look: GridLook) -> str:
    """Return a grey box with the reason, which is a tooltip, and also text if it fits."""
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
    return f"<title>{plain(reason)}</title>{_rect(box, style.palette.panel)}{texts}"


def _rect(box: Area, color: str) -> str:
    return f'<rect {_place(box)} rx="{CORNER}" fill="{color}"/>'


def _place(box: Area) -> str:
    x, y, width, height = (number(value) for value in box)
    return f'x="{x}" y="{y}" width="{width}" height="{height}"'


NARROW = 560
"""Width in pixels up to which cells are one below the other."""
_ASPECTS = {"top": "xMinYMin", "middle": "xMinYMid", "bottom": "xMinYMax"}


def grid_html(grid: DrawnGrid, parts: GridParts, look: GridLook, description: str, name: str) -> str:
    """Return the grid as a fragment; `name` makes its style and ids unique among fragments on a page."""
    cells = PixelCells(look)
    placement = cells.place(grid, parts.needs)
    inner = "".join(
        _cell_html(grid, cell, _share(cells.plot_box(cell), placement), parts, look, name)
        for cell in placement.cells
    )
    return (
        f'<figure id="{name}" role="group" aria-label="{plain(description)}">'
        f"<style>{_style(name, placement, look)}</style><div>{inner}</div></figure>\n"
    )


def _style(name: str, placement: Placement, look: GridLook) -> str:
    palette = MODES[look.mode]
    ground = "" if look.transparent else f"background:{palette.paper};"
    cell = f"#{name}>div>div"
    return (
        f"#{name}{{margin:0;container-type:inline-size;{ground}color:{palette.ink};font-family:{STACK}}}"
        f"#{name}>div{{position:relative;aspect-ratio:{number(placement.width)}/{number(placement.height)}}}"
        f"{cell}{{position:absolute;overflow:hidden;border-radius:{CORNER}px}}"
        f"{cell}>svg{{display:block;width:100%;height:100%}}"
        f"{cell}.reason{{display:flex;align-items:center;justify-content:center;text-align:center;padding:8px;"
        f"box-sizing:border-box;font-size:13px;line-height:1.25;background:{palette.panel};color:{palette.quiet}}}"
        f"@container (max-width:{NARROW}px){{#{name}>div{{aspect-ratio:auto;padding:4px}}"
        f"{cell}{{position:static;width:auto!important;height:auto!important;margin:4px 0}}"
        f"{cell}>svg{{height:auto}}}}"
    )


def _share(box: Area, whole: Placement) -> str:
    """Return a box in CSS, in shares of the whole, rounded to a millionth."""
    sides = zip(("left", "top", "width", "height"), box, (whole.width, whole.height) * 2, strict=True)
    return ";".join(f"{side}:{number(value / of * 100)}%" for side, value, of in sides)


def _cell_html(
    grid: DrawnGrid, cell: PlacedCell, share: str, parts: GridParts, look: GridLook, name: str
) -> str:
    options = grid.options(cell.label)
    if (part := parts.contents.get(cell.number)) is not None and (size := svg_size(part)):
        mode = options.mode or look.mode
        ground = f";background:{MODES[mode].paper}" if has_ground(options, look) else ""
        inner, aspect = _inner(part, f"{name}-{cell.number}"), _ASPECTS[cell.position]
        view = f'viewBox="0 0 {number(size[0])} {number(size[1])}" preserveAspectRatio="{aspect}"'
        return f'<div style="{share}{ground}"><svg role="img" {view}>{inner}</svg></div>'
    if reason := grid.fault or parts.reasons.get(cell.number, ""):
        return f'<div class="reason" style="{share}">{plain(reason)}</div>'
    return ""
