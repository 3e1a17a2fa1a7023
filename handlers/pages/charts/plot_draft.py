"""PlotDraft: what stands in the editor of a plot, from what is stored or from what was typed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from handlers.pages.charts.cell_table import MOST_COLUMNS, MOST_ROWS, CellTable, table_of, table_sent
from handlers.pages.charts.chart_types import OTHER, PICKED_WORDS
from handlers.pages.charts.plot_words import with_words
from handlers.pages.charts.saving import VERSION, StoredTexts, lines_of
from handlers.pages.forms import SentForm
from vfs.errors import Invalid, TooLarge
from vfs.nodes import MIB

DATA, TYPE = "data", "config/type"
DEFAULT_TYPE = "bar"
TABLE, TEXT, FILE = "table", "text", "file"
"""Ways in which data are shown: as cells, as text, or, if they are large, not at all."""
LARGEST_SHOWN = 256 * 1024
LARGEST_FILE = 32 * MIB
UPLOAD = "file"
MOST_PARTS = 4 * MOST_ROWS * MOST_COLUMNS
"""Parts of a form: cells, settings, versions and one file."""
BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class PlotDraft:
    """The texts of a plot in its editor, with the versions that were seen, and how the data are shown.

    `stored` are the texts that are stored, `cells` those that were typed; without these the text has them.
    """

    texts: Mapping[str, str]
    seen: Mapping[str, str]
    shown: str
    stored: Mapping[str, str]
    cells: CellTable | None = None

    @property
    def type(self) -> str:
        """The type of the plot."""
        return self.texts.get(TYPE, "").strip() or DEFAULT_TYPE

    @property
    def table(self) -> CellTable | None:
        """The cells, where the data are few enough to be some."""
        return self.cells or table_of(self.texts.get(DATA, ""))


def stored_draft(stored: StoredTexts) -> PlotDraft:
    """The draft of what is stored."""
    data = stored.texts.get(DATA, "")
    shown = FILE if len(data) > LARGEST_SHOWN else TABLE if table_of(data) is not None else TEXT
    return PlotDraft(stored.texts, {rel: stored.version(rel) for rel in stored.texts}, shown, stored.texts)


def sent_draft(form: SentForm, stored: StoredTexts) -> PlotDraft:
    """The draft that was typed. Raises Invalid for a file that is no text, TooLarge."""
    fields = {name: lines_of(value) for name, value in form.fields.items()}
    seen = {name.removeprefix(VERSION): value for name, value in fields.items() if name.startswith(VERSION)}
    known = {rel: fields[rel] for rel in stored.texts if rel in fields}
    texts = with_words({**stored.texts, **known}, fields)
    texts[TYPE] = _type(fields, stored)
    shown = fields.get("as", TEXT)
    shown = shown if shown in (TABLE, TEXT, FILE) else TEXT
    draft = PlotDraft(texts, seen, shown, stored.texts)
    if shown == TABLE:
        draft = _with_cells(draft, table_sent(fields))
    brought = _file(form)
    if brought is not None:
        draft = replace(draft, texts={**draft.texts, DATA: brought}, cells=None)
        draft = replace(draft, shown=stored_draft(StoredTexts({DATA: brought})).shown)
    return draft


def _type(fields: Mapping[str, str], stored: StoredTexts) -> str:
    """The type that is picked, or the word that is written where that was what changed."""
    picked, word, was = (
        fields.get("type", ""),
        fields.get("type-word", "").strip(),
        fields.get("type-was", ""),
    )
    is_word = picked in ("", OTHER) or (picked == was and word not in ("", was))
    if is_word and word:
        return word
    return picked if picked in PICKED_WORDS else stored.texts.get(TYPE, DEFAULT_TYPE)


def _with_cells(draft: PlotDraft, cells: CellTable) -> PlotDraft:
    """The draft with cells that were typed; those that say what is stored leave its text as it is."""
    before = table_of(draft.texts.get(DATA, ""))
    if before is not None and (before.heads, before.rows) == (cells.heads, cells.rows):
        return replace(draft, cells=cells)
    return replace(draft, texts={**draft.texts, DATA: cells.text}, cells=cells)


def _file(form: SentForm) -> str | None:
    """The text of the file that was chosen; None without one. Raises Invalid, TooLarge."""
    with form.unpack(MOST_PARTS) as files:
        for name, path in files.items():
            if path.stat().st_size > LARGEST_FILE:
                raise TooLarge(f'"{name[:80]}" is larger than the {LARGEST_FILE >> 20} MiB of a plot\'s data')
            try:
                return lines_of(path.read_bytes().decode().removeprefix(BYTE_ORDER_MARK))
            except UnicodeDecodeError as wrong:
                raise Invalid(
                    f'"{name[:80]}" is no text in UTF-8 (byte {wrong.start}): save it as CSV in UTF-8'
                ) from None
    return None
