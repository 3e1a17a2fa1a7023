"""Plots in the cells of a grid, as its page lists those that the caller may see."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice

from chains.language import mapping
from chains.language.mapping import PlotRef
from chains.language.mistake import Mistake
from handlers.pages.request import PageRequest
from handlers.pages.visuals.pictures import PictureSet, small_picture
from handlers.pages.visuals.visual_path import VisualPath
from handlers.services.access import item_access
from vfs.access import Access
from vfs.ports.world import Found

MOST = 24


@dataclass(frozen=True, slots=True)
class CellPlot:
    """A plot that a grid shows, in which cells, and its small picture."""

    at: VisualPath
    title: str
    labels: tuple[str, ...]
    picture: PictureSet


def plots_in(at: VisualPath, request: PageRequest) -> list[CellPlot]:
    """The plots in the cells of a grid that the caller may look at, each once, of its first references."""
    cells: dict[int, tuple[Found, list[str]]] = {}
    for ref, labels in islice(_references(at, request).items(), MOST):
        found = _find(at, request, ref)
        if found is not None:
            cells.setdefault(found.item.id, (found, []))[1].extend(labels)
    titles = _titles(request, [found for found, _ in cells.values()])
    return [
        CellPlot(
            plot := VisualPath(found.item.kind, found.item.owner, found.item.name),
            titles[id],
            tuple(labels),
            small_picture(plot, found.item.last_modified),
        )
        for id, (found, labels) in cells.items()
    ]


def _references(at: VisualPath, request: PageRequest) -> Mapping[PlotRef, list[str]]:
    """The references of the cells with their labels, for whoever may read them."""
    said = request.peek(at.api / "mapping", "")
    drawn = request.peek(at.api / ("json", "meta_data.json"), "")
    try:
        bound = mapping.parse(said)
        labels = [ref["label"] for ref in json.loads(drawn or '{"refs": []}')["refs"]]
    except Mistake:
        return {}
    found: dict[PlotRef, list[str]] = {}
    for label in labels:
        if label in bound:
            found.setdefault(bound[label].ref, []).append(label)
    return found


def _find(at: VisualPath, request: PageRequest, ref: PlotRef) -> Found | None:
    """The plot of a reference, where the caller may look at it."""
    if ref.origin not in ("", request.origin):
        return None
    items, caller = request.world.items, request.caller.name
    found = (
        items.by_shortname(ref.name, caller)
        if ref.short
        else items.find("plot", ref.owner or at.user, ref.name, caller)
    )
    if found is None or found.item.kind != "plot":
        return None
    looks = Access.EXECUTE | Access.READ
    return found if item_access(request.world, found, request.caller) & looks else None


def _titles(request: PageRequest, plots: Iterable[Found]) -> Mapping[int, str]:
    """What to call plots: by their titles whoever may read those, else by their names."""
    items = {found.item.id: found for found in plots}
    texts = request.world.leaves.texts_of(list(items), ("config/title", "name"))
    titles = {}
    for id, found in items.items():
        said = texts.get(id, {})
        reads = Access.READ in item_access(request.world, found, request.caller)
        titles[id] = (reads and said.get("config/title")) or said.get("name") or found.item.name
    return titles
