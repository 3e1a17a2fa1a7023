"""Grids as fragments of HTML: proportions as drawn at any width, cells below each other on narrow pages."""

from __future__ import annotations

from handlers.render.grids.cell_plots import Box, PixelCells, svg_size
from handlers.render.grids.drawn_grid import DrawnGrid, GridLook, GridParts
from handlers.render.grids.picture import CORNER, has_ground, number, plain
from handlers.render.grids.placement import PlacedCell, Placement
from handlers.render.plots.look.palette import MODES
from handlers.render.plots.look.type_metrics import STACK, prefix_ids

NARROW = 560
"""Pixels below which cells stand one below the other."""
_ASPECTS = {"top": "xMinYMin", "middle": "xMinYMid", "bottom": "xMinYMax"}


def grid_html(grid: DrawnGrid, parts: GridParts, look: GridLook, description: str, name: str) -> str:
    """The grid as a fragment; `name` sets its style and ids apart from those of other fragments on a page."""
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


def _share(box: Box, whole: Placement) -> str:
    """A box as shares of the whole, to the millionth."""
    sides = zip(("left", "top", "width", "height"), box, (whole.width, whole.height) * 2, strict=True)
    return ";".join(f"{side}:{number(value / of * 100)}%" for side, value, of in sides)


def _cell_html(
    grid: DrawnGrid, cell: PlacedCell, share: str, parts: GridParts, look: GridLook, name: str
) -> str:
    options = grid.options(cell.label)
    if (part := parts.contents.get(cell.number)) is not None and (size := svg_size(part)):
        mode = options.mode or look.mode
        ground = f";background:{MODES[mode].paper}" if has_ground(options, look) else ""
        start = part.index("<svg")
        inner = prefix_ids(part[part.index(">", start) + 1 :], f"{name}-{cell.number}")
        aspect = _ASPECTS[cell.position]
        view = f'viewBox="0 0 {number(size[0])} {number(size[1])}" preserveAspectRatio="{aspect}"'
        return f'<div style="{share}{ground}"><svg role="img" {view}>{inner}</div>'
    if reason := grid.fault or parts.reasons.get(cell.number, ""):
        return f'<div class="reason" style="{share}">{plain(reason)}</div>'
    return ""
