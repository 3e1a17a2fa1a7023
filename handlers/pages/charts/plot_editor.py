"""The editor of a plot: data, type and settings, with a preview of the input."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from handlers.pages.acting.fields import FIELD, at_field, refused_fields
from handlers.pages.charts.cell_table import MOST_COLUMNS, MOST_ROWS, CellTable
from handlers.pages.charts.editor_facts import (
    LARGEST_SHOWN,
    PreviewDraft,
    draw_preview,
    editor_facts,
)
from handlers.pages.charts.editor_facts import act as save_or_show
from handlers.pages.charts.plot_draft import (
    DATA,
    FILE,
    NAME,
    TABLE,
    TEXT,
    TYPE,
    UPLOAD,
    PlotDraft,
    renew,
    sent_draft,
    stored_draft,
    with_file,
)
from handlers.pages.charts.plot_words import (
    READING,
    draft_words,
    every_field,
    shown_fields,
    type_choice,
    word_fields,
)
from handlers.pages.editing.edited_texts import ShownText, made_texts, shown_texts
from handlers.pages.editing.editor_frame import PREVIEW
from handlers.pages.forms import SentForm
from handlers.pages.items.item_path import ItemPath, require_writer
from handlers.pages.request import PageRequest
from handlers.pages.result import Answered, Page, Piece
from handlers.rendering.interface import reads_setting
from handlers.trees.visuals.plots import CONFIG
from vfs.errors import Invalid, Outdated, TooLarge, VfsError
from vfs.nodes import Dir, File

OTHERWISE = (TABLE, TEXT, "row", "column")
"""Buttons that show the same draft in another way."""
FILES = ("notes",)
UNHEEDED = "stored, but not used by this plot type"


class RawField(NamedTuple):
    """A settings file without a form field: its path, its help line, and its text."""

    rel: str
    about: str
    text: str


def show(at: ItemPath, request: PageRequest) -> Page:
    """Return the editor with the stored texts. Raises as `require_writer` does."""
    require_writer(request, at)
    return _page(at, request, stored_draft(_read(at, request)))


def act(at: ItemPath, request: PageRequest, form: SentForm) -> Answered:
    """Save the input, or show it in another way. Raises vfs.errors."""
    require_writer(request, at)
    typed = sent_draft(form, _read(at, request))
    try:
        with at_field(UPLOAD):
            draft = with_file(typed, form)
            if form["do"] in OTHERWISE and draft is not typed and draft.shown == FILE:
                raise Invalid("the file is too large to be shown here: choose it again, and press Save")
        if form["do"] in OTHERWISE:
            return _page(at, request, _shown_otherwise(draft, form["do"]), unsaved=True)
    except (Invalid, TooLarge) as error:
        return _page(at, request, typed, unsaved=True, error=error)
    made = made_texts(draft.texts, draft.seen)
    return save_or_show(request, at, form, made, lambda error: _again(at, request, typed, draft, error))


def preview(at: ItemPath, request: PageRequest, form: SentForm) -> Piece:
    """Return the picture of the input. Raises vfs.errors."""
    require_writer(request, at)
    stored = _read(at, request)

    def tried() -> PreviewDraft:
        draft = with_file(sent_draft(form, stored), form)
        changed = {rel: text for rel, text in draft.texts.items() if text != stored[rel].text}
        return PreviewDraft(changed, draft_words(draft.understood))

    return draw_preview(request, at.api / PREVIEW, tried)


def _read(at: ItemPath, request: PageRequest) -> Mapping[str, ShownText]:
    """Return the stored data and settings."""
    found = shown_texts(request, at.api)
    return {rel: one for rel, one in found.items() if rel in (DATA, NAME) or rel.startswith("config/")}


def _again(
    at: ItemPath, request: PageRequest, typed: PlotDraft, draft: PlotDraft, error: VfsError | None
) -> Page:
    """Return the editor with the input. A data file too large for a form must be chosen again."""
    is_lost = draft is not typed and draft.shown == FILE
    if is_lost and error is not None:
        error.members[FIELD] = UPLOAD
        error.detail = f"{error.detail}; nothing was saved, so choose the file again"
    shown = typed if is_lost else draft
    if isinstance(error, Outdated):
        shown = renew(shown, _read(at, request))
    return _page(at, request, shown, unsaved=True, error=error)


def _shown_otherwise(draft: PlotDraft, do: str) -> PlotDraft:
    """Return the draft after a button of the table. Raises Invalid for data that do not fit into cells."""
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
    at: ItemPath,
    request: PageRequest,
    draft: PlotDraft,
    *,
    unsaved: bool = False,
    error: VfsError | None = None,
) -> Page:
    raw, seen = _raw_fields(draft), draft.seen
    rels = [DATA, NAME, TYPE, *(one.rel for one in every_field()), *(one.rel for one in raw)]
    held = [rel for rel in rels if rel in seen and (rel != DATA or len(seen[rel].text) <= LARGEST_SHOWN)]
    shown = {rel: seen[rel] for rel in held}
    title = request.peek(at.api / NAME, "").strip() or draft.texts.get("config/title", "").strip()
    facts: dict[str, Any] = {
        **editor_facts(request, at, shown, title=title, unsaved=unsaved, error=error),
        **_fields(draft),
        "raw": raw,
    }
    wrong = refused_fields(error)
    return Page("plot_edit.html", facts, error, frames=True, document=True, wrong=wrong)


def _fields(draft: PlotDraft) -> Mapping[str, Any]:
    """Return the template values of the fields for the data, the type and the settings with words."""
    understood = draft.understood
    return {
        **type_choice(understood.types, draft.type),
        "understood": understood.words,
        "reading": shown_fields(word_fields(READING), draft.texts),
        "draft": draft,
        "table": draft.table if draft.shown == TABLE else None,
        "can_be_table": draft.shown != FILE and draft.table is not None,
        "words": shown_fields(word_fields("words"), draft.texts),
        "settings": [shown_fields(word_fields(part), draft.texts) for part in ("axes", "looks")],
        "most": {"rows": MOST_ROWS, "columns": MOST_COLUMNS},
    }


def _raw_fields(draft: PlotDraft) -> Sequence[RawField]:
    """Return the settings files without a form field that the type uses or that are not empty."""
    whole = {one.rel for one in every_field() if not one.axis}
    found = []
    for rel, about in _settings(CONFIG, "config/"):
        text = draft.texts.get(rel, "")
        folder = rel.split("/")[1]
        is_file = rel.count("/") > 1 or folder in FILES
        heeded = is_file and reads_setting(draft.type, folder) and about != UNHEEDED
        if rel not in whole and (heeded or (text.strip() and is_file)):
            found.append(RawField(rel, about, text))
    return found


def _settings(folder: Dir, path: str) -> list[tuple[str, str]]:
    """Return the files below a folder of settings, with their help lines."""
    found = []
    for name, node in folder.children.items():
        if isinstance(node, Dir):
            found += _settings(node, f"{path}{name}/")
        elif isinstance(node, File):
            found.append((f"{path}{name}", node.about))
    return found
