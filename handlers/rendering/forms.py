"""Forms: the forms of each kind of visual, and the functions that make them from an order."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from io import BytesIO

from PIL import Image

from handlers.render.documents.pdf.paper import drawing_pdf
from handlers.render.grids.cell_plots import svg_size
from handlers.render.grids.picture import describe_grid, grid_html, grid_svg
from handlers.render.grids.placement import DrawnGrid, GridLook, GridParts, grid_look, read_grid
from handlers.render.grids.terminal import grid_text
from handlers.render.missing_letters import svg_notes
from handlers.render.output_room import MOST_TEXT, OutputTooLarge, output_room, too_large
from handlers.render.plots.data.data_check import check_data
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.table_text import TooManyCells, reading_of
from handlers.render.plots.data.type_columns import plot_frame
from handlers.render.plots.forms.drawing import (
    USUAL_WIDTH,
    Look,
    Picture,
    describe,
    draw,
    draw_reason,
    left_out,
    png,
)
from handlers.render.plots.forms.embedded_fonts import with_fonts, without_fonts
from handlers.render.plots.forms.fragment import fragment, standing_page
from handlers.render.plots.forms.slide import pptx
from handlers.render.plots.forms.terminal.chart import ALL_ROWS, terminal_chart
from handlers.render.plots.forms.workbook import csv_text, xlsx
from handlers.render.plots.look.style import LEAST_LETTER
from handlers.render.terminal_picture import terminal_svg
from handlers.rendering.connection import LARGEST_BODY
from handlers.rendering.document_forms import DOCUMENT_FORMS, MAIL_FORMS, Made, Make
from handlers.rendering.port import Rendering, RenderOrder, RenderTooLarge
from handlers.rendering.render_kinds import (
    DOCUMENT,
    GRID,
    MAIL,
    MEDIA_TYPES,
    PLACEHOLDER,
    PLOT,
    TERMINAL,
)
from handlers.words.language import writing_in
from handlers.words.plot import Plot
from handlers.words.terminal_signs import safe_colors, safe_text

MOST_PIXELS = 32_000_000
"""Maximum pixels of a picture of a grid; a larger one gets a lower scale than requested."""
LIST_WIDTH = 320
"""Maximum width of the pictures of lists."""
# Not allowed in XML 1.0 (section 2.2), the format of pictures and slides.
UNDRAWABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# Terminal codes, which are not drawn.
UNDRAWABLE_BUT_CODES = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\ud800-\udfff\ufffe\uffff]")

SAFE: Mapping[str, Callable[[str], str]] = {
    "txt": safe_text,
    "ansi": safe_colors,
    "md": safe_text,
    "csv": safe_text,
}
"""Filters for text forms: they remove all terminal codes, except colours of this program."""


def render_order(order: RenderOrder) -> Rendering:
    """Render an order.

    Raises KeyError for an unknown kind or form, RenderTooLarge if the result is too large.
    """
    undrawable = UNDRAWABLE if order.kind != TERMINAL.name else UNDRAWABLE_BUT_CODES
    texts = {path: undrawable.sub("\ufffd", text) for path, text in order.texts.items()}
    make = FORMS[order.kind][order.form]
    # The default language of an order is that of the document or of the account.
    language = order.texts.get("config/lang", "").strip() or str(order.options.get("language", ""))
    try:
        with output_room(), writing_in(language):
            body, notes = make(replace(order, texts=texts))
    except OutputTooLarge:
        raise RenderTooLarge(too_large(MOST_TEXT)) from None
    if isinstance(body, str) and order.form in SAFE:
        body = SAFE[order.form](body)
    made = body.encode() if isinstance(body, str) else body
    if len(made) > LARGEST_BODY:
        raise RenderTooLarge(too_large(LARGEST_BODY))
    return Rendering(made, MEDIA_TYPES[order.form], notes)


def warm_up() -> None:
    """Load everything that is loaded only once for drawing."""
    order = RenderOrder(PLOT.name, "svg", {"data": "a,b\nx,1\n", "config/title": "a"})
    for form in FORMS[PLOT.name]:
        render_order(RenderOrder(order.kind, form, order.texts))
    for form in FORMS[DOCUMENT.name]:
        text = "# a\n\n*b* $x$ `c`\n\n```python\nd\n```\n"
        render_order(RenderOrder(DOCUMENT.name, form, {"content": text}))


def _plot(order: RenderOrder) -> Plot:
    return Plot.of(order.texts, called=str(order.options.get("called", "")))


def _look(order: RenderOrder) -> Look:
    options = order.options
    height = int(options.get("height", 0))
    return Look(
        mode=str(options.get("mode", "light")),
        width=int(options.get("width", 900)),
        height=height or None,
        header=bool(options.get("include_header", True)),
        titled=bool(options.get("include_title", True)),
        caption=bool(options.get("include_caption", True)),
        transparent=bool(options.get("transparent_background", False)),
        trim=bool(options.get("trim", False)),
        type_width=int(options.get("type_width", 0)),
        least=int(options.get("least", LEAST_LETTER)),
        head=int(options.get("head", 0)),
        centred=bool(options.get("centred", False)),
    )


def _frame(order: RenderOrder) -> Frame:
    try:
        return plot_frame(_plot(order))
    except TooManyCells:
        return Frame(())


def _plot_picture(order: RenderOrder) -> Picture:
    picture = draw(_plot(order), _look(order))
    return replace(picture, notes=(*picture.notes, *svg_notes(picture.svg)))


def _grid_picture(order: RenderOrder) -> Picture:
    grid, parts, look, description = _grid(order)
    svg = grid_svg(grid, parts, look, description)
    return Picture(svg, description, (*_grid_notes(grid, parts), *svg_notes(svg)))


def _text_picture(order: RenderOrder) -> Picture:
    """Return the picture of a text as a terminal shows it."""
    return Picture(terminal_svg(order.texts.get("text", ""), str(order.options.get("mode", "light"))), "")


DRAWN: Mapping[str, Callable[[RenderOrder], Picture]] = {
    PLOT.name: _plot_picture,
    GRID.name: _grid_picture,
    TERMINAL.name: _text_picture,
    PLACEHOLDER.name: lambda order: draw_reason(order.texts["reason"], _look(order)),
}
"""Functions that draw each kind that is a picture."""


def _svg(order: RenderOrder) -> Made:
    picture = DRAWN[order.kind](order)
    return with_fonts(picture.svg) if order.options.get("fonts", True) else picture.svg, picture.notes


def _png(order: RenderOrder) -> Made:
    picture, scale = DRAWN[order.kind](order), int(order.options.get("scale", 1))
    made = png(picture.svg, scale if order.kind == PLOT.name else bounded_scale(picture.svg, scale))
    return _in_palette(order, made), picture.notes


def _pdf(order: RenderOrder) -> Made:
    picture = DRAWN[order.kind](order)
    return drawing_pdf(picture.svg, picture.description), picture.notes


def _in_palette(order: RenderOrder, made: bytes) -> bytes:
    """Return a picture for lists in 256 colours, which halves its size; others are unchanged."""
    width = int(order.options.get("width", USUAL_WIDTH))
    if width > LIST_WIDTH or order.options.get("transparent_background"):
        return made
    smaller = BytesIO()
    with Image.open(BytesIO(made)) as picture:
        picture.convert("RGB").quantize().save(smaller, "PNG", optimize=True)
    return smaller.getvalue()


def _terminal(order: RenderOrder) -> Made:
    columns, rows = int(order.options.get("cols", 80)), int(order.options.get("rows", ALL_ROWS))
    titles, caption = (bool(order.options.get(f"include_{part}", True)) for part in ("header", "caption"))
    plot = _plot(order).showing(titles=titles, caption=caption)
    return terminal_chart(plot, columns, rows, colored=order.form == "ansi"), ()


def _check(order: RenderOrder) -> Made:
    plot = _plot(order)
    check = check_data(plot.data, plot.type, reading_of(plot.config))
    check["notes"] += left_out(plot, _frame(order))
    return json.dumps(check) + "\n", ()


def _html(order: RenderOrder) -> Made:
    plot, frame = _plot(order), _frame(order)
    shown = fragment(plot, frame, _look(order), f"p{order.digest[:12]}")
    title = plot.words("title") or plot.name.strip() or describe(plot, frame)
    return standing_page(shown, title), ()


def _grid(order: RenderOrder) -> tuple[DrawnGrid, GridParts, GridLook, str]:
    """Return a grid with the parts of its cells, its options and description."""
    options, texts = order.options, order.texts
    grid = read_grid(texts.get("layout", ""), texts.get("mapping", ""))
    reasons = _by_number(texts, "reason/")
    needs = {number: float(need) for number, need in _by_number(texts, "need/").items()}
    parts = GridParts(
        {int(number): without_fonts(part) for number, part in order.parts.items()}, reasons, needs
    )
    description = describe_grid(texts.get("name", "").strip(), texts.get("summary", "").strip(), parts)
    return grid, parts, grid_look(order.form, options), description


def _by_number(texts: Mapping[str, str], folder: str) -> dict[int, str]:
    """Return the texts of cells below a folder, by the cells' numbers."""
    return {int(path.removeprefix(folder)): text for path, text in texts.items() if path.startswith(folder)}


def bounded_scale(svg: str, scale: int) -> int:
    """Return the scale of a picture, reduced until it is not too large."""
    width, height = svg_size(svg) or (1.0, 1.0)
    return next((one for one in range(scale, 1, -1) if width * height * one**2 <= MOST_PIXELS), 1)


def _grid_html(order: RenderOrder) -> Made:
    grid, parts, look, description = _grid(order)
    name = f"g{order.digest[:12]}"
    return standing_page(grid_html(grid, parts, look, description, name), description), _grid_notes(
        grid, parts
    )


def _grid_text(order: RenderOrder) -> Made:
    grid, parts, look, _ = _grid(order)
    return grid_text(grid, parts, look, colored=order.form == "ansi"), _grid_notes(grid, parts)


def _grid_notes(grid: DrawnGrid, parts: GridParts) -> tuple[str, ...]:
    return (grid.fault,) if grid.fault else tuple(dict.fromkeys(parts.reasons.values()))


FORMS: Mapping[str, Mapping[str, Make]] = {
    PLACEHOLDER.name: {
        **dict.fromkeys(("svg", "html"), _svg),
        "png": _png,
        "pdf": _pdf,
        **dict.fromkeys(("txt", "ansi"), lambda order: (f"{order.texts['reason']}\n", ())),
    },
    TERMINAL.name: {"png": _png},
    PLOT.name: {
        "svg": _svg,
        "png": _png,
        "pdf": _pdf,
        "txt": _terminal,
        "ansi": _terminal,
        "html": _html,
        "check": _check,
        "csv": lambda order: (csv_text(_frame(order)), ()),
        "xlsx": lambda order: (xlsx(_plot(order), _frame(order)), ()),
        "pptx": lambda order: (pptx(_plot(order), _frame(order)), ()),
    },
    GRID.name: {
        "svg": _svg,
        "png": _png,
        "pdf": _pdf,
        "txt": _grid_text,
        "ansi": _grid_text,
        "html": _grid_html,
    },
    DOCUMENT.name: DOCUMENT_FORMS,
    MAIL.name: MAIL_FORMS,
}
"""Functions that make the forms of each kind; their media types are those of the kind."""
