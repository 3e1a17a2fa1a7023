"""The editor of a grid: its drawing, what stands in its boxes, and a preview of both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from handlers.pages.charts import tried
from handlers.pages.charts.editor_facts import Around, editor_facts, refuse_strangers
from handlers.pages.charts.grid_boxes import PATTERNS, box_rows, with_boxes, with_plot
from handlers.pages.charts.saving import VERSION, StoredTexts, changes, lines_of, read_stored, save
from handlers.pages.forms import SentForm
from handlers.pages.request import PageRequest
from handlers.pages.result import Answered, Page, Piece, Redirect
from handlers.pages.visuals.visual_path import VisualPath
from handlers.rules.addresses import API
from handlers.trees.visuals.plots import KIND as PLOT
from vfs.errors import Invalid, Outdated

LAYOUT, MAPPING = "layout", "mapping"
FILES = (LAYOUT, MAPPING)
SAVED = "grid-saved"
MOST_SUGGESTED = 100


class Suggestion(NamedTuple):
    """A plot that may be put into a box: its reference, and what it is called."""

    ref: str
    title: str


@dataclass(frozen=True, slots=True)
class GridDraft:
    """The two texts of a grid in its editor, with the versions that were seen."""

    texts: Mapping[str, str]
    seen: Mapping[str, str]


def show(at: VisualPath, request: PageRequest) -> Page:
    """The editor with what is stored. Raises Denied for whoever may not write, and as an entry does."""
    refuse_strangers(request, at, LAYOUT)
    return _page(at, request, _stored_draft(_read(request, at)))


def act(at: VisualPath, request: PageRequest, form: SentForm) -> Answered:
    """Save what was typed, or show it otherwise. Raises vfs.errors."""
    refuse_strangers(request, at, LAYOUT)
    stored, draft = _read(request, at), _sent_draft(form)
    if form["do"]:
        return _page(at, request, _shown_otherwise(draft, form), unsaved=True)
    try:
        save(request, at.api, stored, changes(stored, draft.texts, draft.seen), draft.seen)
    except (Invalid, Outdated) as error:
        now = _stored_draft(_read(request, at)) if isinstance(error, Outdated) else draft
        return _page(at, request, replace(draft, seen=now.seen), unsaved=True, error=error)
    return Redirect(str(at.page), done=SAVED)


def preview(at: VisualPath, request: PageRequest, form: SentForm) -> Piece:
    """The picture of what was typed. Raises vfs.errors."""
    refuse_strangers(request, at, LAYOUT)
    return tried.preview(request, at.api, _sent_draft(form).texts)


def _read(request: PageRequest, at: VisualPath) -> StoredTexts:
    return read_stored(request, at.api, FILES)


def _stored_draft(stored: StoredTexts) -> GridDraft:
    texts = {name: stored.texts[name] for name in FILES}
    return GridDraft(texts, {name: stored.version(name) for name in FILES})


def _sent_draft(form: SentForm) -> GridDraft:
    fields = {name: lines_of(value) for name, value in form.fields.items()}
    texts = {LAYOUT: fields.get(LAYOUT, ""), MAPPING: with_boxes(fields.get(MAPPING, ""), fields)}
    return GridDraft(texts, {name: fields.get(f"{VERSION}{name}", "") for name in FILES})


def _shown_otherwise(draft: GridDraft, form: SentForm) -> GridDraft:
    """The draft after a button that puts something in."""
    texts = dict(draft.texts)
    if form["do"] == "pattern":
        texts[LAYOUT] = next((one.drawing for one in PATTERNS if one.word == form["pattern"]), texts[LAYOUT])
    elif form["do"] == "put":
        texts[MAPPING] = with_plot(texts[LAYOUT], texts[MAPPING], form["plot"].strip())
    return replace(draft, texts=texts)


def _page(
    at: VisualPath,
    request: PageRequest,
    draft: GridDraft,
    *,
    unsaved: bool = False,
    error: Invalid | Outdated | None = None,
) -> Page:
    around = Around(at=at, title="", unsaved=unsaved, error=error)
    facts = {
        **editor_facts(request, around),
        "draft": draft,
        "versions": FILES,
        "rows": box_rows(draft.texts[LAYOUT], draft.texts[MAPPING]),
        "patterns": PATTERNS,
        "plots": _suggestions(request, at),
    }
    return Page("grid_edit.html", facts, error, frames=True, document=True)


def _suggestions(request: PageRequest, at: VisualPath) -> list[Suggestion]:
    """The plots of the grid's owner and of the writer that the writer sees, by what a mapping calls them."""
    found: list[Suggestion] = []
    for user in dict.fromkeys((at.user, request.caller.name or at.user)):
        start = f"/{PLOT.letter}" if user == at.user else f"/u/{user}/{PLOT.letter}"
        rows = request.peek(API / ("users", user, PLOT.family, PLOT.folder), ())
        found.extend(Suggestion(f"{start}/{row.name}", row.name) for row in rows[:MOST_SUGGESTED])
    return found
