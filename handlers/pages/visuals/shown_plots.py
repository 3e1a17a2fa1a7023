"""Plots in the cells of a grid, as its page lists those that the caller may see by themselves, too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from handlers.pages.items.item_path import ItemPath
from handlers.pages.request import PageRequest
from handlers.pages.visuals.pictures import PictureSet, small_picture
from handlers.rules.kinds import Kinds
from handlers.services.access import item_access
from handlers.trees.visuals.grids import RECIPE
from handlers.words.marked_words import plain_words
from vfs.access import Access
from vfs.ports.items import Found

LOOKS = Access.READ | Access.EXECUTE


@dataclass(frozen=True, slots=True)
class ShownPlot:
    """A plot that a grid shows: its title, the labels of its cells, and its small picture."""

    at: ItemPath
    title: str
    labels: tuple[str, ...]
    picture: PictureSet


def plots_in(at: ItemPath, request: PageRequest) -> list[ShownPlot]:
    """The plots in the cells of a grid that the caller may look at, each once, whatever their number."""
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
    """The words that plots are called by: their titles for callers who may read those, else their names."""
    texts = request.world.leaves.texts_of(list(plots), ("config/title", "name"))
    titles = {}
    for id, found in plots.items():
        said = texts.get(id, {})
        reads = Access.READ in item_access(request.world, found, request.caller)
        title = plain_words(said.get("config/title", ""))
        titles[id] = (reads and title) or said.get("name") or found.item.name
    return titles
