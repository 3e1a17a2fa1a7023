"""Composition of a grid: pictures, pages and texts of plots set into the cells of a layout."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape

from chains.language.layout import LayoutBox
from handlers.render.grids.placement import PlacedCell, Placement, place
from handlers.render.plots.look.palette import MODES
from handlers.render.plots.look.style import style_of
from handlers.render.plots.look.type_metrics import STACK, wrap

INSET = 8.0
"""Air between the edge of a cell and what it shows, in pixels."""
SIZE = re.compile(r'<svg\b[^>]*?\bwidth="([\d.]+)" height="([\d.]+)"')
IDENTITY = re.compile(r'(\bid="|url\(#|href="#)')
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
ALIGN = {"top": 0.0, "middle": 0.5, "bottom": 1.0}


@dataclass(frozen=True, slots=True)
class GridLook:
    """The options of a grid's picture."""

    mode: str = "light"
    width: int = 1200
    transparent: bool = False


@dataclass(frozen=True, slots=True)
class GridParts:
    """Content of the cells by label: SVG documents or texts, or the reason why there is none."""

    shown: Mapping[str, str]
    reasons: Mapping[str, str]


def grid_svg(box: LayoutBox, parts: GridParts, look: GridLook, description: str) -> str:
    """The grid as one SVG document, each plot inside its cell, never over its edge."""
    placement = place_parts(box, parts, look)
    palette = MODES[look.mode]
    ground = "" if look.transparent else f'<rect width="100%" height="100%" fill="{palette.paper}"/>'
    cells = "".join(_cell_svg(cell, index, parts, look) for index, cell in enumerate(placement.cells))
    width, height = f"{placement.width:g}", f"{placement.height:.2f}".rstrip("0").rstrip(".")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" role="img" '
        f'width="{width}" height="{height}" viewBox="0 0 {width} {height}" font-family="{STACK}">'
        f"<title>{escape(description)}</title>{ground}{cells}</svg>"
    )


def grid_html(box: LayoutBox, parts: GridParts, look: GridLook, description: str) -> str:
    """The grid as a fragment of HTML whose cells keep their proportions at any width."""
    placement = place_parts(box, parts, look)
    palette = MODES[look.mode]
    ground = "" if look.transparent else f"background:{palette.paper};"
    cells = "".join(_cell_html(cell, index, parts, placement) for index, cell in enumerate(placement.cells))
    return (
        f'<div role="group" aria-label="{escape(description)}" style="position:relative;width:100%;'
        f'aspect-ratio:{placement.width:g}/{placement.height:g};{ground}color:{palette.ink}">{cells}</div>\n'
    )


def grid_text(box: LayoutBox, parts: GridParts, columns: int, *, colored: bool) -> str:
    """The grid in a terminal of so many columns; a cell's text is cut at its edge."""
    placement = place(box, columns, row_units=0.5)
    canvas: list[list[tuple[int, int, str]]] = [[] for _ in range(max(1, round(placement.height)))]
    for cell in placement.cells:
        _set_lines(canvas, cell, _cell_lines(cell, parts))
    lines = [_line(pieces, columns) for pieces in canvas]
    text = "\n".join(line.rstrip() for line in lines).rstrip("\n") + "\n"
    return text if colored else ESCAPE.sub("", text)


def place_parts(box: LayoutBox, parts: GridParts, look: GridLook) -> Placement:
    """The placement, in which floating stacks follow the natural heights of their plots."""
    first = place(box, look.width)
    heights = {
        cell.label: size[1] * (cell.width - 2 * INSET) / size[0] + 2 * INSET
        for cell in first.cells
        if cell.floating and (size := svg_size(parts.shown.get(cell.label, ""))) and cell.width > 2 * INSET
    }
    return place(box, look.width, heights) if heights else first


def svg_size(svg: str) -> tuple[float, float] | None:
    """Width and height of an SVG document of ours; None where there is none."""
    found = SIZE.search(svg[:2000])
    return (float(found[1]), float(found[2])) if found and float(found[1]) else None


def _fit(cell: PlacedCell, size: tuple[float, float]) -> tuple[float, float, float, float]:
    """Box of a picture inside its cell: as wide as the cell unless it would be too high, at its position."""
    width, height = max(1.0, cell.width - 2 * INSET), max(1.0, cell.height - 2 * INSET)
    scale = min(width / size[0], height / size[1])
    wide, high = size[0] * scale, size[1] * scale
    x = cell.x + INSET + (width - wide) / 2
    return x, cell.y + INSET + (height - high) * ALIGN[cell.position], wide, high


def _cell_svg(cell: PlacedCell, index: int, parts: GridParts, look: GridLook) -> str:
    svg = parts.shown.get(cell.label, "")
    size = svg_size(svg)
    if size is None:
        return _reason_svg(cell, parts.reasons.get(cell.label, ""), look)
    x, y, width, height = _fit(cell, size)
    inner = svg[svg.index(">", svg.index("<svg")) + 1 : svg.rindex("</svg>")]
    body = IDENTITY.sub(lambda found: f"{found[1]}c{index}-", inner)
    return (
        f'<svg x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}" '
        f'viewBox="0 0 {size[0]:g} {size[1]:g}">{body}</svg>'
    )


def _reason_svg(cell: PlacedCell, reason: str, look: GridLook) -> str:
    """A grey box with the reason; nothing for a cell that is empty on purpose."""
    if not reason:
        return ""
    style = style_of(max(120, int(cell.width)), look.mode)
    x, y = cell.x + INSET, cell.y + INSET
    width, height = max(1.0, cell.width - 2 * INSET), max(1.0, cell.height - 2 * INSET)
    lines = wrap(reason, style.label, max(40.0, width - 16), most=max(1, int((height - 8) / style.line)))
    first = y + height / 2 - (len(lines) - 1) * style.line / 2 + style.label * 0.35
    texts = "".join(
        f'<text x="{x + width / 2:.2f}" y="{first + at * style.line:.2f}" font-size="{style.label}" '
        f'text-anchor="middle" fill="{style.palette.quiet}">{escape(line)}</text>'
        for at, line in enumerate(lines)
    )
    place_ = f'x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}"'
    return f'<rect {place_} rx="4" fill="{style.palette.panel}"/>{texts}'


def _cell_html(cell: PlacedCell, index: int, parts: GridParts, whole: Placement) -> str:
    def share(value: float, of: float) -> str:
        return f"{value / of * 100:.4f}%"

    svg = parts.shown.get(cell.label, "")
    align = {"top": "start", "middle": "center", "bottom": "end"}[cell.position]
    box = (
        f"position:absolute;left:{share(cell.x, whole.width)};top:{share(cell.y, whole.height)};"
        f"width:{share(cell.width, whole.width)};height:{share(cell.height, whole.height)};"
        f"box-sizing:border-box;padding:{INSET:g}px;display:flex;flex-direction:column;"
        f"justify-content:{align};overflow:hidden"
    )
    if svg_size(svg) is None:
        reason = escape(parts.reasons.get(cell.label, ""))
        return f'<div style="{box};text-align:center">{reason}</div>'
    body = IDENTITY.sub(lambda found: f"{found[1]}c{index}-", svg)
    shown = body.replace("<svg ", '<svg style="max-width:100%;max-height:100%;height:auto" ', 1)
    return f'<div style="{box}">{shown}</div>'


def _cell_lines(cell: PlacedCell, parts: GridParts) -> list[str]:
    text = parts.shown.get(cell.label)
    if text is not None:
        return text.rstrip("\n").split("\n")
    reason = parts.reasons.get(cell.label, "")
    width = max(1, round(cell.width) - 2)
    return [reason[at : at + width] for at in range(0, len(reason), width)]


def _set_lines(canvas: list[list[tuple[int, int, str]]], cell: PlacedCell, lines: list[str]) -> None:
    left, top = round(cell.x), round(cell.y)
    width = max(1, round(cell.x + cell.width) - left - 1)
    height = max(1, round(cell.y + cell.height) - top)
    shown = lines[:height]
    start = top + round((height - len(shown)) * ALIGN[cell.position])
    for at, line in enumerate(shown):
        if start + at < len(canvas):
            canvas[start + at].append((left, width, line))


def _line(pieces: list[tuple[int, int, str]], columns: int) -> str:
    """Pieces of one line, each padded or cut to its width; marks of colour take no width."""
    line, at = "", 0
    for left, width, text in sorted(pieces):
        line += " " * max(0, left - at) + _cut(text, min(width, columns - left))
        at = max(at, left) + min(width, columns - left)
    return line


def _cut(text: str, width: int) -> str:
    shown, used, open_ = "", 0, False
    for piece in _pieces(text):
        if piece.startswith("\x1b"):
            shown, open_ = shown + piece, piece != "\x1b[0m"
        elif used < width:
            shown, used = shown + piece, used + 1
    return shown + ("\x1b[0m" if open_ else "") + " " * (width - used)


def _pieces(text: str) -> Iterator[str]:
    at = 0
    for found in ESCAPE.finditer(text):
        yield from text[at : found.start()]
        yield found[0]
        at = found.end()
    yield from text[at:]
