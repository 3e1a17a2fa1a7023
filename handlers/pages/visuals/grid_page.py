"""The page of grids: the picture, the plots in its cells that the caller may see, and its downloads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from handlers.pages.items.item_path import ItemPath
from handlers.pages.request import PageRequest
from handlers.pages.visuals.picture_page import PICTURE_LINES, PICTURES, PictureContent, PicturePage
from handlers.pages.visuals.pictures import ShownPlot, Window, small_picture
from handlers.pages.visuals.visual_page import READS, CurlLine, VisualPage
from handlers.rules.kinds import Kinds
from handlers.services.rights import item_access
from handlers.trees.visuals.grids import DEFAULTS, KIND, RECIPE
from handlers.words.marked_words import plain_words
from vfs.access import Access
from vfs.ports.items import Found

LOOKS = Access.READ | Access.EXECUTE


def plots_in(at: ItemPath, request: PageRequest) -> list[ShownPlot]:
    """Return the plots of a grid that the caller may see, each once, without a limit."""
    world, caller = request.world, request.caller
    grid = world.items.find(at.kind.name, at.user, at.name, caller.name)
    if grid is None:
        return []
    labels: dict[int, list[str]] = {}
    for label, plot in RECIPE.grid_plots(world, grid.item).plots.items():
        labels.setdefault(plot.id, []).append(label)
    found = world.items.all_at(labels, caller.name)
    seen = {id: found[id] for id in labels if id in found}
    visible = {id: one for id, one in seen.items() if item_access(world, one, caller) & LOOKS}
    titles = _titles(request, visible)
    return [_shown_plot(world.service.kinds, one, titles[id], labels[id]) for id, one in visible.items()]


def _shown_plot(kinds: Kinds, found: Found, title: str, labels: list[str]) -> ShownPlot:
    plot = ItemPath(kinds[found.item.kind], found.item.owner, found.item.name)
    return ShownPlot(plot, title, tuple(labels), small_picture(plot, found.item.last_modified))


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
"""The plots are below each other in a picture as narrow as a phone."""
LAYOUT = r"printf '+-----+-----+\n| {{A}} | {{B}} |\n+-----+-----+\n'"
CELLS = r"printf 'A => /p/NAME\nB => /p/NAME\n'"


def grid_content(at: ItemPath, request: PageRequest, facts: dict[str, Any]) -> PictureContent:
    """Return the plots of a grid that the caller may see."""
    cells = plots_in(at, request) if facts["looks"] else []
    return PictureContent(
        noun="grid" + (f" of {', '.join(cell.title for cell in cells)}" if cells else ""),
        cells=cells,
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
        CurlLine("Set other plots into them", "{sent} --data-binary @mapping.txt {folder}/mapping"),
    ),
    first=(
        CurlLine("Draw its boxes", f"{LAYOUT} | {{sent}} --data-binary @- {{folder}}/layout"),
        CurlLine("Set plots into them", f"{CELLS} | {{sent}} --data-binary @- {{folder}}/mapping"),
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
