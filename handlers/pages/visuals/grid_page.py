"""The page of grids: the picture, the plots in its cells, and its downloads."""

from __future__ import annotations

from typing import Any

from handlers.pages.job_parts import SIGNED, Command
from handlers.pages.request import PageRequest
from handlers.pages.visuals.picture_page import PICTURES, PictureContent, PicturePage, picture_commands
from handlers.pages.visuals.pictures import Window
from handlers.pages.visuals.shown_plots import plots_in
from handlers.pages.visuals.visual_page import TEXT, Onlooker, VisualPage
from handlers.pages.visuals.visual_path import VisualPath
from handlers.trees.visuals.grids import DEFAULTS, KIND

WINDOWS = (Window(480, 390), Window(900, 1000), Window(0, 1152))
"""Plots stand one below the other in a picture as narrow as a phone."""
LAYOUT = r"printf '+-----+-----+\n| {A} | {B} |\n+-----+-----+\n'"


def grid_content(at: VisualPath, request: PageRequest, facts: dict[str, Any]) -> PictureContent:
    """The plots in the cells of a grid that the caller may look at."""
    cells = plots_in(at, request) if facts["looks"] else []
    return PictureContent(
        noun="grid" + (f" of {', '.join(cell.title for cell in cells)}" if cells else ""),
        cells=cells,
        empty=facts["reads"] and not request.peek(at.api / "layout", "").strip(),
    )


def first_layout(one: Onlooker) -> list[Command]:
    """The lines that give a new grid two cells with plots in them."""
    cells, sent = r"printf 'A => /p/NAME\nB => /p/NAME\n'", f"{SIGNED} {TEXT} --data-binary @-"
    return [
        Command("Draw its boxes", f"{LAYOUT} | {sent} {one.folder}/layout"),
        Command("Set plots into them", f"{cells} | {sent} {one.folder}/mapping"),
    ]


def grid_commands(one: Onlooker) -> list[Command]:
    """The lines that show a grid and change its boxes and plots."""
    shown = picture_commands(one)
    if one.reads:
        both = f"{one.curl} {one.folder}/layout {one.folder}/mapping"
        shown.append(Command("Its boxes and its plots", both))
    if one.writes:
        sent = f"{SIGNED} {TEXT} --data-binary"
        shown.append(Command("Write other boxes", f"{sent} @layout.txt {one.folder}/layout"))
        shown.append(Command("Set other plots into them", f"{sent} @mapping.txt {one.folder}/mapping"))
    return shown


GRID_PAGE = VisualPage(
    kind=KIND,
    words=(),
    source="layout",
    downloads=PICTURES,
    commands=grid_commands,
    first=first_layout,
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
