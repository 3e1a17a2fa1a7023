"""PlotDraft: the content of a plot's editor, stored or typed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from handlers.pages.charts.cell_table import MOST_COLUMNS, MOST_ROWS, CellTable, as_rows, table_of, table_sent
from handlers.pages.charts.editor_facts import LARGEST_SHOWN
from handlers.pages.charts.plot_words import OTHER, PICKED_WORDS, with_words
from handlers.pages.editing.edited_texts import ShownText, edited_texts, lines_of, seen_texts
from handlers.pages.forms import SentForm, text_of
from handlers.rendering.interface import Understood, reading_of, understand
from vfs.errors import TooLarge
from vfs.nodes import MIB

DATA, NAME, TYPE = "data", "name", "config/type"
DEFAULT_TYPE = "bar"
TABLE, TEXT, FILE = "table", "text", "file"
"""Ways to show the data: as cells, as text, or, if they are large, not at all."""
LARGEST_FILE = 32 * MIB
UPLOAD = "file"
MOST_PARTS = 6 * MOST_ROWS * MOST_COLUMNS
"""Maximum parts of a form: cells, settings, versions and one file."""


def understand_texts(texts: Mapping[str, str]) -> Understood:
    """Return how the data in the texts of a plot are read, if they are small enough."""
    config = {rel.removeprefix("config/"): text for rel, text in texts.items()}
    data = texts.get(DATA, "")
    return understand(data, reading_of(config)) if len(data) <= LARGEST_SHOWN else Understood("", ())


@dataclass(frozen=True, slots=True)
class PlotDraft:
    """The texts of a plot in its editor, those that it had shown (`seen`), and how the data are shown.

    Its texts are the data, the settings and the title (`name`). `cells` are those that were typed; None if
    the text contains them.
    """

    texts: Mapping[str, str]
    seen: Mapping[str, ShownText]
    shown: str
    cells: CellTable | None = None

    @property
    def type(self) -> str:
        """The type of the plot."""
        return self.texts.get(TYPE, "").strip() or DEFAULT_TYPE

    @property
    def understood(self) -> Understood:
        """The reading of the data, if they are small enough to be read for a page."""
        return understand_texts(self.texts)

    @property
    def table(self) -> CellTable | None:
        """The cells, if the data are small enough."""
        return self.cells or table_of(self.texts.get(DATA, ""))


def stored_draft(stored: Mapping[str, ShownText]) -> PlotDraft:
    """Return the draft of the stored texts."""
    texts = {rel: one.text for rel, one in stored.items()}
    return PlotDraft(texts, stored, _way_of(texts[DATA]))


def sent_draft(form: SentForm, stored: Mapping[str, ShownText]) -> PlotDraft:
    """Return the draft that was typed; `with_file` adds an uploaded file."""
    fields = {name: lines_of(value) for name, value in form.fields.items()}
    seen = seen_texts(form, stored)
    shown = {rel: one.text for rel, one in seen.items()}
    typed = {one.rel: one.text for one in edited_texts(form, stored)}
    texts = with_words({**shown, **typed}, fields, shown)
    texts[TYPE] = sent_type(fields, texts[TYPE])
    way = fields.get("as", "")
    draft = PlotDraft(texts, seen, way if way in (TABLE, TEXT, FILE) else _way_of(texts[DATA]))
    return _with_cells(draft, table_sent(fields)) if way == TABLE and "h1" in fields else draft


def with_rows(draft: PlotDraft) -> PlotDraft:
    """Return the draft with data as CSV if they were typed as JSON. Raises Invalid for JSON without rows."""
    rows = as_rows(draft.texts[DATA]) if draft.shown == TEXT else draft.texts[DATA]
    return draft if rows == draft.texts[DATA] else replace(draft, texts={**draft.texts, DATA: rows})


def with_file(draft: PlotDraft, form: SentForm) -> PlotDraft:
    """Return the draft with the data of the uploaded file. Raises Invalid if it is not text, TooLarge."""
    uploaded = file_rows(form)
    if uploaded is None:
        return with_rows(draft)
    return replace(draft, texts={**draft.texts, DATA: uploaded}, cells=None, shown=_way_of(uploaded))


def renew(draft: PlotDraft, now: Mapping[str, ShownText]) -> PlotDraft:
    """Return the draft, with the texts that were not typed in replaced by the stored ones."""
    untouched = {rel: one.text for rel, one in now.items() if draft.texts[rel] == draft.seen[rel].text}
    cells = None if DATA in untouched else draft.cells
    return replace(draft, texts={**draft.texts, **untouched}, seen=now, cells=cells)


def _way_of(data: str) -> str:
    """Return how data are shown initially: TABLE, TEXT or FILE."""
    if len(data) > LARGEST_SHOWN:
        return FILE
    return TABLE if data.strip() and table_of(data) is not None else TEXT


def sent_type(fields: Mapping[str, str], typed: str) -> str:
    """Return the selected type, or the typed word if that was changed."""
    picked, word, was = (
        fields.get("type", ""),
        fields.get("type-word", "").strip(),
        fields.get("type-was", ""),
    )
    is_word = picked in ("", OTHER) or (picked == was and word not in ("", was))
    if is_word and word:
        return word
    return picked if picked in PICKED_WORDS else typed


def _with_cells(draft: PlotDraft, cells: CellTable) -> PlotDraft:
    """Return the draft with the typed cells; keep the text if the cells are the same."""
    before = table_of(draft.texts.get(DATA, ""))
    if before is not None and (before.heads, before.rows) == (cells.heads, cells.rows):
        return replace(draft, cells=cells)
    return replace(draft, texts={**draft.texts, DATA: cells.text}, cells=cells)


def file_rows(form: SentForm) -> str | None:
    """Return the rows of the uploaded file; None without one. Raises Invalid, TooLarge."""
    with form.unpack(MOST_PARTS) as files:
        for name, path in files.items():
            if path.stat().st_size > LARGEST_FILE:
                raise TooLarge(f'"{name[:80]}" is larger than the {LARGEST_FILE >> 20} MiB of a plot\'s data')
            return as_rows(lines_of(text_of(name, path)))
    return None
