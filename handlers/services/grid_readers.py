"""Readers of grids: plots that are drawn for them in a grid, and that they could not open by themselves."""

from __future__ import annotations

from collections.abc import Iterator

from handlers.services.access import item_access
from handlers.services.grid_cells import GridRecipe, reference_text
from handlers.services.rights import NEEDS
from handlers.services.world import World
from vfs.access import Caller
from vfs.ports.world import Item

PUBLIC = "public"


def closed_plots(world: World, recipe: GridRecipe, grid: Item) -> Iterator[str]:
    """A sentence for each plot of a grid that people with whom the grid is shared could not open.

    Of a plot of somebody else nobody is told with whom it is shared, but for the public.
    """
    plots = recipe.grid_plots(world, grid)
    shown: dict[int, tuple[str, Item]] = {}
    for label, plot in plots.plots.items():
        shown.setdefault(plot.id, (label, plot))
    own = [id for id, (_, plot) in shown.items() if plot.owner == grid.owner]
    targets = world.grants.targets([grid.id, *own])
    readers = targets.get(grid.id, ())
    if not readers or not shown:
        return
    others = [(plot.owner, plot.name) for _, plot in shown.values() if plot.owner != grid.owner]
    open_to_all = world.items.all_named("plot", others, (), None) if others else ()
    public = {one.item.id for one in open_to_all if NEEDS["x"] in item_access(world, one, Caller(None))}
    for id, (label, plot) in shown.items():
        known = targets.get(id, ()) if id in own else (PUBLIC,) if id in public else ()
        closed = [] if PUBLIC in known else [target for target in readers if target not in known]
        if not closed:
            continue
        place = reference_text(plots.grid.bindings[label].ref, grid.owner)
        if id in own:
            yield f"{label}: {place} is not shared with {', '.join(closed)}, to whom this grid shows it."
        else:
            yield f"{label}: {place} is @{plot.owner}'s; who sees it in this grid may not be able to open it."
