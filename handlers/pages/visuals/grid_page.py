"""The page of grids: the picture, the plots in its cells, and its downloads."""

from __future__ import annotations

from typing import Any

from handlers.pages.items.item_path import ItemPath
from handlers.pages.request import PageRequest
from handlers.pages.visuals.picture_page import PICTURE_LINES, PICTURES, PictureContent, PicturePage
from handlers.pages.visuals.pictures import Window
from handlers.pages.visuals.shown_plots import plots_in
from handlers.pages.visuals.visual_page import READS, CurlLine, VisualPage
from handlers.trees.visuals.grids import DEFAULTS, KIND

WINDOWS = (Window(480, 390), Window(900, 1000), Window(0, 1152))
"""Plots stand one below the other in a picture as narrow as a phone."""
LAYOUT = r"printf '+-----+-----+\n| {{A}} | {{B}} |\n+-----+-----+\n'"
CELLS = r"printf 'A => /p/NAME\nB => /p/NAME\n'"


def grid_content(at: ItemPath, request: PageRequest, facts: dict[str, Any]) -> PictureContent:
    """The plots in the cells of a grid that the caller may look at."""
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
