"""The editor of a grid: its layout, the plots in its boxes, and a preview."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from handlers.pages.charts import grid_edits
from handlers.pages.charts.editor_facts import (
    WIDTH,
    PreviewDraft,
    draw_preview,
    editor_facts,
    json_piece,
)
from handlers.pages.charts.editor_facts import act as save_or_show
from handlers.pages.charts.grid_edits import LAYOUT, MAPPING, box_rows, shape_of, with_boxes, with_plot
from handlers.pages.editing.edited_texts import (
    ShownText,
    edited_texts,
    made_texts,
    seen_texts,
    shown_texts,
)
from handlers.pages.editing.editor_frame import PREVIEW
from handlers.pages.examples import patterns
from handlers.pages.forms import SentForm
from handlers.pages.items.item_path import ItemPath, require_writer
from handlers.pages.request import PageRequest
from handlers.pages.result import Answered, Page, Piece
from handlers.pages.visuals.grid_page import WINDOWS, figures_in, height_of, shown_in
from handlers.pages.visuals.insertions import plots
from handlers.pages.visuals.pictures import Window
from handlers.rendering.interface import read_grid
from vfs.errors import Invalid, VfsError

OTHERWISE = ("pattern", "put")
"""Buttons that add something to the draft."""


@dataclass(frozen=True, slots=True)
class GridDraft:
    """The two texts of a grid in its editor, and those that the editor had shown."""

    texts: Mapping[str, str]
    seen: Mapping[str, ShownText]


def show(at: ItemPath, request: PageRequest) -> Page:
    """Return the editor with the stored texts. Raises as `require_writer` does."""
    require_writer(request, at)
    stored = _read(at, request)
    return _page(at, request, GridDraft({rel: one.text for rel, one in stored.items()}, stored))


def act(at: ItemPath, request: PageRequest, form: SentForm) -> Answered:
    """Save the input, or show it in another way. Raises vfs.errors."""
    require_writer(request, at)
    draft = _sent_draft(form, _read(at, request))
    if form["do"] in OTHERWISE:
        return _page(at, request, _shown_otherwise(draft, form), unsaved=True)
    made = made_texts(draft.texts, draft.seen)
    return save_or_show(
        request, at, form, made, lambda error: _page(at, request, draft, unsaved=True, error=error)
    )


def preview(at: ItemPath, request: PageRequest, form: SentForm) -> Piece:
    """Return the preview of the input, or its texts after an edit in the picture. Raises vfs.errors."""
    require_writer(request, at)
    texts = _sent_draft(form, _read(at, request)).texts
    if form["do"] in grid_edits.ACTS:
        try:
            texts = grid_edits.edit(texts, form)
        except Invalid as refusal:
            return json_piece({"trouble": refusal.detail})
        return json_piece({"texts": texts, "shape": _shape(request, at, texts)})
    shape = _shape(request, at, texts)
    ratio = shape["ratio"] if shape else 0.0
    words = {"shape": shape, "layout": texts[LAYOUT]}
    return draw_preview(request, at.api / PREVIEW, lambda: PreviewDraft(texts, words, ratio))


def _shape(request: PageRequest, at: ItemPath, texts: Mapping[str, str]) -> dict[str, Any] | None:
    """Return the boxes for the script, with the ratio of height to width of the grid page's picture."""
    shape = shape_of(texts)
    if shape is not None:
        shown = shown_in(at, request)
        figures = figures_in(request, shown) if shown else ()
        window = WINDOWS[-1]
        shape["ratio"] = height_of(read_grid(texts[LAYOUT], texts[MAPPING]), window, figures) / window.picture
    return shape


def _read(at: ItemPath, request: PageRequest) -> Mapping[str, ShownText]:
    found = shown_texts(request, at.api)
    return {rel: found[rel] for rel in (LAYOUT, MAPPING)}


def _sent_draft(form: SentForm, stored: Mapping[str, ShownText]) -> GridDraft:
    seen = seen_texts(form, stored)
    typed = {one.rel: one.text for one in edited_texts(form, stored)}
    texts = {rel: typed.get(rel, one.text) for rel, one in seen.items()}
    texts[MAPPING] = with_boxes(texts[MAPPING], form.fields)
    return GridDraft(texts, seen)


def _shown_otherwise(draft: GridDraft, form: SentForm) -> GridDraft:
    """Return the draft after a button that adds something."""
    if form["do"] == "pattern":
        return replace(draft, texts=grid_edits.edit(draft.texts, form))
    mapping = with_plot(draft.texts[LAYOUT], draft.texts[MAPPING], form["plot"].strip())
    return replace(draft, texts={**draft.texts, MAPPING: mapping})


def _page(
    at: ItemPath,
    request: PageRequest,
    draft: GridDraft,
    *,
    unsaved: bool = False,
    error: VfsError | None = None,
) -> Page:
    shape = _shape(request, at, draft.texts)
    window = Window(0, WIDTH, round(WIDTH * shape["ratio"]) if shape else 0)
    facts = {
        **editor_facts(request, at, draft.seen, unsaved=unsaved, error=error, window=window),
        "shape": shape,
        "draft": draft,
        "rows": box_rows(draft.texts[LAYOUT], draft.texts[MAPPING]),
        "patterns": patterns(),
        "plots": list(plots(at, request)),
    }
    return Page("grid_edit.html", facts, error, frames=True, document=True)
