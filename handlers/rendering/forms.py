"""Forms: what each kind of visualisation is rendered as, and the functions that make it of an order."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from handlers.render.grids.drawn_grid import DrawnGrid, GridLook, GridParts, grid_look, read_grid
from handlers.render.grids.page import grid_html
from handlers.render.grids.picture import grid_svg
from handlers.render.grids.terminal import grid_text
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.table_text import TooManyCells, read_frame
from handlers.render.plots.forms.drawing import Look, Plot, draw, draw_reason
from handlers.render.plots.forms.fragment import fragment
from handlers.render.plots.forms.raster import pdf, png
from handlers.render.plots.forms.slide import pptx
from handlers.render.plots.forms.terminal import terminal_chart
from handlers.render.plots.forms.workbook import csv_text, xlsx
from handlers.rendering.port import MEDIA, PICTURES, Rendering, RenderOrder

Make = Callable[[RenderOrder], tuple[bytes | str, tuple[str, ...]]]


def render_order(order: RenderOrder) -> Rendering:
    """Make what is ordered. Raises KeyError for a kind or form that there is not."""
    body, notes = FORMS[order.kind][order.form](order)
    media = MEDIA[order.kind][order.form]
    return Rendering(body.encode() if isinstance(body, str) else body, media, notes)


def warm_up() -> None:
    """Load everything that drawing loads but once."""
    order = RenderOrder("plot", "svg", {"data": "a,b\nx,1\n", "config/title": "a"})
    for form in FORMS["plot"]:
        render_order(RenderOrder(order.kind, form, order.texts))


def _plot(order: RenderOrder) -> Plot:
    config = {
        path.removeprefix("config/"): text for path, text in order.texts.items() if path.startswith("config/")
    }
    texts = order.texts
    return Plot(texts.get("data", ""), config, texts.get("name", ""), texts.get("summary", ""))


def _look(order: RenderOrder) -> Look:
    options = order.options
    height = int(options.get("height", 0))
    return Look(
        mode=str(options.get("mode", "light")),
        width=int(options.get("width", 900)),
        height=height or None,
        header=bool(options.get("include_header", True)),
        caption=bool(options.get("include_caption", True)),
        transparent=bool(options.get("transparent_background", False)),
    )


def _frame(order: RenderOrder) -> Frame:
    try:
        return read_frame(order.texts.get("data", ""))
    except TooManyCells:
        return Frame(())


def _svg(order: RenderOrder) -> tuple[str, tuple[str, ...]]:
    picture = draw(_plot(order), _look(order))
    return picture.svg, picture.notes


def _png(order: RenderOrder) -> tuple[bytes, tuple[str, ...]]:
    picture = draw(_plot(order), _look(order))
    return png(picture.svg, int(order.options.get("scale", 1))), picture.notes


def _pdf(order: RenderOrder) -> tuple[bytes, tuple[str, ...]]:
    picture = draw(_plot(order), _look(order))
    return pdf(picture.svg, picture.description), picture.notes


def _terminal(order: RenderOrder) -> tuple[str, tuple[str, ...]]:
    columns, rows = int(order.options.get("cols", 80)), int(order.options.get("rows", 20))
    return terminal_chart(_plot(order), columns, rows, colored=order.form == "ansi"), ()


def _html(order: RenderOrder) -> tuple[str, tuple[str, ...]]:
    return fragment(_plot(order), _frame(order), _look(order), f"p{order.digest[:12]}"), ()


def _grid(order: RenderOrder) -> tuple[DrawnGrid, GridParts, GridLook, str]:
    """A grid with the parts of its cells, its options and description."""
    options, texts = order.options, order.texts
    grid = read_grid(texts.get("layout", ""), texts.get("mapping", ""))
    reasons = {
        int(path.removeprefix("reason/")): text for path, text in texts.items() if path.startswith("reason/")
    }
    needs = {int(number): float(need) for number, need in json.loads(texts.get("needs", "{}")).items()}
    parts = GridParts({int(number): part for number, part in order.parts.items()}, reasons, needs)
    description = texts.get("summary", "").strip() or texts.get("name", "").strip() or "grid"
    return grid, parts, grid_look(order.form, options), description


def _grid_png(order: RenderOrder) -> tuple[bytes, tuple[str, ...]]:
    return png(grid_svg(*_grid(order)), int(order.options.get("scale", 1))), ()


def _grid_pdf(order: RenderOrder) -> tuple[bytes, tuple[str, ...]]:
    grid = _grid(order)
    return pdf(grid_svg(*grid), grid[3]), ()


def _grid_text(order: RenderOrder) -> tuple[str, tuple[str, ...]]:
    grid, parts, look, _ = _grid(order)
    return grid_text(grid, parts, look, colored=order.form == "ansi"), ()


def _reason(order: RenderOrder) -> tuple[bytes | str, tuple[str, ...]]:
    """The form of a picture that could not be drawn."""
    reason = order.texts["reason"]
    picture = draw_reason(reason, _look(order))
    match order.form:
        case "png":
            return png(picture.svg, int(order.options.get("scale", 1))), ()
        case "pdf":
            return pdf(picture.svg, reason), ()
        case "txt" | "ansi":
            return f"{reason}\n", ()
        case _:
            return picture.svg, ()


FORMS: Mapping[str, Mapping[str, Make]] = {
    "placeholder": dict.fromkeys(PICTURES, _reason),
    "plot": {
        "svg": _svg,
        "png": _png,
        "pdf": _pdf,
        "txt": _terminal,
        "ansi": _terminal,
        "html": _html,
        "csv": lambda order: (csv_text(_frame(order)), ()),
        "xlsx": lambda order: (xlsx(_plot(order), _frame(order)), ()),
        "pptx": lambda order: (pptx(_plot(order), _frame(order)), ()),
    },
    "grid": {
        "svg": lambda order: (grid_svg(*_grid(order)), ()),
        "png": _grid_png,
        "pdf": _grid_pdf,
        "txt": _grid_text,
        "ansi": _grid_text,
        "html": lambda order: (grid_html(*_grid(order), f"g{order.digest[:12]}"), ()),
    },
}
"""Functions that make the forms of each kind; their media types stand in the port."""
