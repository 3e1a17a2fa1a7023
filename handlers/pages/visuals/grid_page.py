"""The page of grids: the picture, the plots in its cells that the caller may see, and its downloads."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from math import ceil
from typing import Any

from handlers.pages.items.item_path import ItemPath, item_of
from handlers.pages.request import PageRequest
from handlers.pages.visuals.picture_page import PICTURE_LINES, PICTURES, PictureContent, PicturePage
from handlers.pages.visuals.pictures import ShownPlot, Window
from handlers.pages.visuals.visual_page import READS, CurlLine, VisualPage
from handlers.rendering.interface import DrawnGrid, PixelCells, grid_look
from handlers.rules.kinds import Kinds
from handlers.services.grid_cells import GridPlots
from handlers.services.rights import item_access
from handlers.trees.visuals.grids import DEFAULTS, KIND, RECIPE
from handlers.words.plot import plain_words
from vfs.access import Access
from vfs.ports.items import Found

LOOKS = Access.READ | Access.EXECUTE


def shown_in(at: ItemPath, request: PageRequest) -> GridPlots | None:
    """Return the boxes of a grid with their plots; None if the caller sees no such grid."""
    grid = item_of(request, at)
    return RECIPE.grid_plots(request.world, grid) if grid is not None else None


def plots_in(request: PageRequest, shown: GridPlots) -> list[ShownPlot]:
    """Return the plots of a grid that the caller may see, each once, without a limit."""
    world, caller = request.world, request.caller
    labels: dict[int, list[str]] = {}
    for label, plot in shown.plots.items():
        labels.setdefault(plot.id, []).append(label)
    found = world.items.all_at(labels, caller.name)
    seen = {id: found[id] for id in labels if id in found}
    visible = {id: one for id, one in seen.items() if item_access(world, one, caller) & LOOKS}
    titles = _titles(request, visible)
    return [_shown_plot(world.service.kinds, one, titles[id], labels[id]) for id, one in visible.items()]


def _shown_plot(kinds: Kinds, found: Found, title: str, labels: list[str]) -> ShownPlot:
    plot = ItemPath(kinds[found.item.kind], found.item.owner, found.item.name)
    return ShownPlot(plot.page, title, tuple(labels))


def _titles(request: PageRequest, plots: Mapping[int, Found]) -> Mapping[int, str]:
    """Return the titles of plots that the caller may read; names for the others."""
    texts = request.world.leaves.texts_of(list(plots), ("config/title", "name"))
    titles = {}
    for id, found in plots.items():
        said = texts.get(id, {})
        reads = Access.READ in item_access(request.world, found, request.caller)
        title = plain_words(said.get("config/title", ""))
        titles[id] = said.get("name") or (reads and title) or found.item.name
    return titles


WINDOWS = (Window(480, 390), Window(900, 1000), Window(0, 1152))
"""Windows of phones, whose picture has the plots below each other, small windows, and all others."""
FIGURE = "value"
LOWEST, MOST_TIMES, TALLEST = 220, 3, 4000
"""Minimum height of a box with a chart; maximum factor by which its picture grows; maximum height."""
USUAL_PART = 0.8
"""Usual width of a window as a fraction of the widest that has the same picture."""


def height_of(grid: DrawnGrid, window: Window, figures: Collection[str] = ()) -> int:
    """Return the height of a grid's picture on a page.

    A picture whose boxes are too low for charts is drawn higher, with all boxes in proportion. Boxes with
    the labels `figures` show single figures, which need no minimum height.
    """
    drawn = PixelCells(grid_look("svg", {"width": window.picture})).place(grid)
    heights = [
        cell.height for cell in drawn.cells if cell.label and cell.label not in figures and not cell.floating
    ]
    least = LOWEST * window.picture / (window.most * USUAL_PART or window.picture)
    higher = least / min(heights, default=least)
    return ceil(drawn.height) if higher <= 1 else min(ceil(drawn.height * min(higher, MOST_TIMES)), TALLEST)


def figures_in(request: PageRequest, shown: GridPlots) -> frozenset[str]:
    """Return the labels of the plots that are single figures."""
    types = request.world.leaves.texts_of([plot.id for plot in shown.plots.values()], ("config/type",))
    said = {label: types.get(plot.id, {}).get("config/type", "") for label, plot in shown.plots.items()}
    return frozenset(label for label, word in said.items() if word.strip() == FIGURE)


def windows_of(request: PageRequest, shown: GridPlots) -> tuple[Window, ...]:
    """Return the windows of a grid's picture, each with its height; on a phone each plot has its own."""
    figures = figures_in(request, shown)
    phone, *others = WINDOWS
    return (phone, *(replace(one, height=height_of(shown.grid, one, figures)) for one in others))


LAYOUT = r"printf '+-----+-----+\n| {{A}} | {{B}} |\n+-----+-----+\n'"
CELLS = r"printf 'A => /p/NAME\nB => /p/NAME\n'"


def grid_content(at: ItemPath, request: PageRequest, facts: dict[str, Any]) -> PictureContent:
    """Return the plots of a grid that the caller may see."""
    shown = shown_in(at, request) if facts["looks"] else None
    cells = plots_in(request, shown) if shown else []
    return PictureContent(
        noun="grid" + (f" of {', '.join(cell.title for cell in cells)}" if cells else ""),
        cells=cells,
        windows=windows_of(request, shown) if shown else (),
        empty=facts["reads"] and not request.peek(at.api / "layout", "").strip(),
    )


GRID_PAGE = VisualPage(
    kind=KIND,
    words=(),
    source="layout",
    downloads=PICTURES,
    commands=(
        *PICTURE_LINES,
        CurlLine("Its boxes and its plots", "{curl} {folder}/layout {folder}/mapping", READS),
        CurlLine("Write other boxes", "{sent} --data-binary @layout.txt {folder}/layout"),
        CurlLine("Change the plots", "{sent} --data-binary @mapping.txt {folder}/mapping"),
    ),
    first=(
        CurlLine("Draw its boxes", f"{LAYOUT} | {{sent}} --data-binary @- {{folder}}/layout"),
        CurlLine("Put plots into the boxes", f"{CELLS} | {{sent}} --data-binary @- {{folder}}/mapping"),
    ),
    show=PicturePage(
        windows=WINDOWS,
        content=grid_content,
        nothing="This grid has no boxes yet.",
        hint=(
            "Its layout is drawn with <code>+</code>, <code>-</code> and <code>|</code>, and its mapping "
            "says which plot stands in which box. The lines below write both; this page then shows them by "
            "itself."
        ),
    ).show,
    defaults=DEFAULTS,
)
