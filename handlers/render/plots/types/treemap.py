"""Treemaps: tiles as large as the parts of a whole."""

from __future__ import annotations

from handlers.render.plots.charts.parts.treemaps import draw_treemap
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.numbers import alone
from handlers.render.plots.drawn.tiles import tile_roles, tiles_of, treemap_frame
from handlers.render.plots.forms.terminal import parts as terminal
from handlers.render.plots.plot_type import PlotType
from handlers.render.plots.shown.description import LONGEST
from handlers.render.plots.types.shares import lacks_positive


def _tell_tiles(frame: Frame, unit: str) -> list[str]:
    """The whole, and its largest part with its share."""
    tiles = tiles_of(frame)
    total, top = sum(tile.value for tile in tiles), tiles[0]
    group = f" in {top.group[:LONGEST]}" if top.group else ""
    return [f"sum {alone(total, unit)}", f"largest {top.name[:LONGEST]}{group} with {top.value / total:.0%}"]


TYPES = (
    PlotType(
        word="treemap",
        noun="treemap",
        title="Tiles",
        order=9.2,
        example="kind,use,ha\nBuilt,Homes,24\nBuilt,Trade,8\nGreen,Woods,13\nGreen,Parks,5\n",
        drawing=(
            '<path class="p1" d="M3 3h19v22H3z"/><path class="p2" d="M23 3h14v12H23zM23 16h8v9h-8zM32'
            ' 16h5v9h-5z"/>'
        ),
        draw=draw_treemap,
        terminal=terminal.draw_tiles,
        tells=_tell_tiles,
        reads=frozenset(("legend",)),
        steps=(treemap_frame,),
        asks=lambda frame: "" if tile_roles(frame) else "names and values, such as group,name,value",
        lacks=lacks_positive,
        sorted="parts",
        rows=True,
    ),
)
