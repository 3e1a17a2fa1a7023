"""The editor of a plot: data, type and settings, with a preview of what is typed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from handlers.pages.acting.fields import at_field
from handlers.pages.charts import chart_types, plot_words, tried
from handlers.pages.charts.cell_table import MOST_COLUMNS, MOST_ROWS, CellTable
from handlers.pages.charts.editor_facts import Around, editor_facts, refuse_strangers
from handlers.pages.charts.plot_draft import (
    DATA,
    FILE,
    TABLE,
    TEXT,
    TYPE,
    UPLOAD,
    PlotDraft,
    sent_draft,
    stored_draft,
)
from handlers.pages.charts.saving import changes, read_stored, save
from handlers.pages.forms import SentForm
from handlers.pages.request import PageRequest
from handlers.pages.result import Answered, Page, Piece, Redirect
from handlers.pages.visuals.visual_path import VisualPath
from handlers.render.plots.vocabulary import heeds
from handlers.trees.visuals.plots import CONFIG
from vfs.errors import Invalid, Outdated
from vfs.nodes import Dir, File

FILES = (DATA,)
SAVED = "plot-saved"
UNHEEDED = "kept, with no say in the drawing"


class RawField(NamedTuple):
    """A file of settings as it is: its path, what it takes, and its text."""

    rel: str
    about: str
    text: str


def show(at: VisualPath, request: PageRequest) -> Page:
    """The editor with what is stored. Raises Denied for whoever may not write, and as an entry does."""
    refuse_strangers(request, at, DATA)
    stored = read_stored(request, at.api, FILES)
    return _page(at, request, stored_draft(stored))


def act(at: VisualPath, request: PageRequest, form: SentForm) -> Answered:
    """Save what was typed, or show it otherwise. Raises vfs.errors."""
    refuse_strangers(request, at, DATA)
    stored = read_stored(request, at.api, FILES)
    with at_field(UPLOAD):
        draft = sent_draft(form, stored)
    if form["do"]:
        return _page(at, request, _shown_otherwise(draft, form["do"]), unsaved=True)
    try:
        save(request, at.api, stored, changes(stored, draft.texts, draft.seen), draft.seen)
    except (Invalid, Outdated) as error:
        now = stored_draft(read_stored(request, at.api, FILES)) if isinstance(error, Outdated) else draft
        return _page(at, request, replace(draft, seen=now.seen, stored=now.stored), unsaved=True, error=error)
    return Redirect(str(at.page), done=SAVED)


def preview(at: VisualPath, request: PageRequest, form: SentForm) -> Piece:
    """The picture of what was typed. Raises vfs.errors."""
    refuse_strangers(request, at, DATA)
    stored = read_stored(request, at.api, FILES)
    draft = sent_draft(form, stored)
    changed = {rel: text for rel, text in draft.texts.items() if text != stored.texts.get(rel)}
    return tried.preview(request, at.api, changed)


def _shown_otherwise(draft: PlotDraft, do: str) -> PlotDraft:
    """The draft as a button of the table shows it. Raises Invalid for data that are no few cells."""
    table = draft.table
    if do == TEXT:
        return replace(draft, shown=TEXT if draft.shown != FILE else FILE, cells=None)
    if table is None:
        raise Invalid(
            f"only data of up to {MOST_ROWS} rows and {MOST_COLUMNS} columns are shown as cells: "
            "go on with the text, or choose a file"
        )
    grown: CellTable = {"row": table.with_row, "column": table.with_column}.get(do, lambda: table)()
    return replace(draft, shown=TABLE, cells=grown)


def _page(
    at: VisualPath,
    request: PageRequest,
    draft: PlotDraft,
    *,
    unsaved: bool = False,
    error: Invalid | Outdated | None = None,
) -> Page:
    around = Around(at=at, title=draft.texts.get("config/title", ""), unsaved=unsaved, error=error)
    facts: dict[str, Any] = {
        **editor_facts(request, around),
        "draft": draft,
        "table": draft.table if draft.shown == TABLE else None,
        "can_be_table": draft.shown != FILE and draft.table is not None,
        "types": chart_types.PICKED,
        "further": chart_types.FURTHER,
        "other": chart_types.OTHER,
        "picked": draft.type if draft.type in chart_types.PICKED_WORDS else chart_types.OTHER,
        "words": plot_words.shown_fields(plot_words.WORDS, draft.texts, draft.stored),
        "axes": plot_words.shown_fields(plot_words.AXES, draft.texts, draft.stored)
        if heeds(draft.type, "axis")
        else [],
        "looks": plot_words.shown_fields(
            [one for one in plot_words.LOOKS if heeds(draft.type, one.rel.split("/")[1])],
            draft.texts,
            draft.stored,
        ),
        "raw": (raw := _raw_fields(draft)),
        "versions": list(
            dict.fromkeys([DATA, TYPE, *(one.rel for one in plot_words.FIELDS), *(one.rel for one in raw)])
        ),
        "most": {"rows": MOST_ROWS, "columns": MOST_COLUMNS},
    }
    return Page("plot_edit.html", facts, error, frames=True, document=True)


def _raw_fields(draft: PlotDraft) -> Sequence[RawField]:
    """The files of settings without a field of their own, which the type heeds or which say anything."""
    whole = {one.rel for one in plot_words.FIELDS if not one.axis}
    found = []
    for rel, about in _settings(CONFIG, "config/"):
        text = draft.texts.get(rel, "")
        folder = rel.split("/")[1]
        heeded = rel.count("/") > 1 and heeds(draft.type, folder) and about != UNHEEDED
        if rel not in whole and (heeded or (text.strip() and rel.count("/") > 1)):
            found.append(RawField(rel, about, text))
    return found


def _settings(folder: Dir, path: str) -> list[tuple[str, str]]:
    """The files below a folder of settings, with their lines of help."""
    found = []
    for name, node in folder.children.items():
        if isinstance(node, Dir):
            found += _settings(node, f"{path}{name}/")
        elif isinstance(node, File):
            found.append((f"{path}{name}", node.about))
    return found
