"""The pages of the editors of plots and grids."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

from handlers.pages.acting.view import PagePart, View
from handlers.pages.charts import grid_editor, plot_editor
from handlers.pages.charts.tried import PREVIEW
from handlers.pages.forms import SentForm
from handlers.pages.items.item_head import EDIT
from handlers.pages.items.item_path import item_at
from handlers.pages.request import PageRequest
from handlers.pages.result import Answered, Page, Piece
from handlers.pages.visuals.visual_path import VisualPath
from handlers.rules.kinds import Kinds
from handlers.trees.visuals.grids import KIND as GRID
from handlers.trees.visuals.plots import KIND as PLOT
from vfs.nodes import MIB
from vfs.path import Path

LARGEST_FORM = 4 * MIB
"""Bytes of the fields of a form; data beyond it come as a file."""


class Editor(NamedTuple):
    """The editor of a kind: what shows it, takes its form, and draws what stands in it."""

    show: Callable[[VisualPath, PageRequest], Page]
    act: Callable[[VisualPath, PageRequest, SentForm], Answered]
    preview: Callable[[VisualPath, PageRequest, SentForm], Piece]


EDITORS: Mapping[str, Editor] = {
    PLOT.name: Editor(plot_editor.show, plot_editor.act, plot_editor.preview),
    GRID.name: Editor(grid_editor.show, grid_editor.act, grid_editor.preview),
}
"""Editors by the names of their kinds."""


def find(path: Path, kinds: Kinds) -> View | None:
    """The editor of a plot or a grid at a path, or its preview."""
    found = item_at(path, kinds)
    if found is None or found[0].kind.name not in EDITORS:
        return None
    item, rest = found
    at, editor = VisualPath(item.kind, item.user, item.name), EDITORS[item.kind.name]
    if rest == (EDIT,):
        return View(partial(editor.show, at), partial(editor.act, at), texts=LARGEST_FORM)
    if rest == (EDIT, PREVIEW):
        return View(None, partial(editor.preview, at), texts=LARGEST_FORM)
    return None


CHARTS = PagePart(
    find,
    {f"{name}-saved": f"The {name} is saved." for name in EDITORS},
)
