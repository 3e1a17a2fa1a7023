"""Tables as HTML: numbers right-aligned, small tables narrow, and wide ones kept on their page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from handlers.render.documents.markup.blocks import DataTable, DocumentSheet
from handlers.render.documents.markup.spans import Spans, Styled, words_of
from handlers.render.documents.pages.figures import place_of
from handlers.render.documents.pages.media import classes
from handlers.render.documents.pages.page_context import PageContext
from handlers.render.documents.pages.parts import column_width
from handlers.render.documents.pages.span_html import spans_html
from handlers.render.documents.pages.themes import quote
from handlers.render.plots.data.frame import Column
from handlers.render.plots.data.table_text import read_columns
from handlers.render.plots.tables.kept_rows import names_sum, search_words
from handlers.words.language import translate

NUMBER = re.compile(r"[-+−–]?[$€£]?\s?[0-9][0-9 ,.'\u00a0\u202f]*\s?(?:%|[a-zA-Z]{1,3})?|n/a|[-–—]|")
SIGN = {"doc": 5.9, "pres": 12.4, "web": 7.8}
"""Average width in pixels of a letter in a table, by kind."""
BREAKS = " -/"
"""Characters at which lines may break."""
GAP = 3
"""Width of the space between two columns in characters."""
SMALL, CROWDED, SHORT, BRIEF, LONGEST_SHARE = 0.42, 0.8, 18, 12, 30


@dataclass(frozen=True, slots=True)
class TableMeasure:
    """The longest text and word of each column, and the characters that fit on a line of the page."""

    texts: tuple[int, ...]
    words: tuple[int, ...]
    room: float

    @property
    def is_small(self) -> bool:
        """Whether the table is so narrow that rows would be hard to follow over the whole page."""
        return sum(self.texts) + GAP * len(self.texts) < self.room * SMALL

    @property
    def is_crowded(self) -> bool:
        """Whether a small font is needed, because the longest words nearly fill the page."""
        return sum(self.words) + GAP * len(self.words) > self.room * CROWDED

    @property
    def is_too_wide(self) -> bool:
        """Whether words must be broken, because the table would be wider than the page."""
        return sum(self.words) + GAP * len(self.words) > self.room * 1.1

    def keeps_whole(self, index: int) -> bool:
        """Return whether the cells of a column stay on one line, because another column can be narrower."""
        short = [length + GAP for length in self.texts if length <= SHORT]
        return self.texts[index] <= SHORT and not self.is_crowded and sum(short) < self.room * 0.6

    def share(self, index: int) -> float:
        """Return the share of the width for a column, in percent."""
        weights = [min(length, LONGEST_SHARE) + GAP for length in self.texts]
        return 100 * weights[index] / sum(weights)


def measure_table(block: DataTable, kind: str, column: int) -> TableMeasure:
    """Return the measures of a table in a column of that many pixels."""
    # A head may be broken into lines in a narrow column, so each of its words counts.
    columns = [
        [*words_of(head).split(), *map(words_of, cells)]
        for head, *cells in zip(block.head, *block.rows, strict=True)
    ]
    words = (max((len(word) for text in column for word in text.split()), default=0) for column in columns)
    texts = (max((len(text) for text in column), default=0) for column in columns)
    return TableMeasure(tuple(texts), tuple(words), column / SIGN[kind])


def table_html(context: PageContext, sheet: DocumentSheet, block: DataTable) -> str:
    """Return the table; its head is repeated on each page."""
    shape = measure_table(block, context.kind, context.medium.column or column_width(context.kind, sheet))
    sides = [column_side(block, index) for index in range(len(block.head))]
    names = [
        " ".join(filter(None, (side, "whole" if not shape.is_small and shape.keeps_whole(index) else "")))
        for index, side in enumerate(sides)
    ]
    widths = [
        context.rules.name(f"width:{shape.share(index):.3g}%") if shape.is_too_wide else ""
        for index in range(len(sides))
    ]
    heads = (
        _cell(context, "th", cell, f"{side} {width}".strip())
        for cell, side, width in zip(block.head, sides, widths, strict=True)
    )
    fits = context.medium.interactive or not shape.is_too_wide
    search = search_words(len(block.rows), context.language) if context.medium.interactive else ""
    cells = [[words_of(cell) for cell in row] for row in (block.head, *block.rows)] if search else []
    places = read_columns(cells[0], cells[1:]) if search else ()
    body = "\n".join(_rows(context, block, names, places, whole=fits))
    table = (
        f"<table{context.medium.table}"
        f"{classes(context.medium.data, *_kinds(shape, sheet), _going_on(context, block))}{search}"
        f"{place_of(block.number)}>{_caption(context, block)}<thead><tr>{''.join(heads)}</tr></thead>"
        f"<tbody>\n{body}\n</tbody></table>"
    )
    return table if not context.medium.interactive else f'<div class="scroll" tabindex="0">{table}</div>'


def _caption(context: PageContext, block: DataTable) -> str:
    side = context.side(words_of(block.caption))
    return f"<caption{side}>{spans_html(context, block.caption)}</caption>" if block.caption else ""


def _going_on(context: PageContext, block: DataTable) -> str:
    """Return the class of a numbered table, whose number is repeated on each page."""
    if not block.number.shown or not context.medium.paged:
        return ""
    words = f"{block.number.shown}, {translate('continued', context.language)}"
    return context.rules.name(f"--novem-continued:{quote(words)}")


def column_side(block: DataTable, index: int) -> str:
    """Return the class of a column: as written, or numbers right-aligned."""
    side = block.sides[index]
    if side in ("center", "left"):
        return f"at-{side}"
    texts = [words_of(row[index]).strip() for row in block.rows]
    numeric = any(any(sign.isdigit() for sign in text) for text in texts)
    if side == "right":
        return "number" if numeric else "at-right"
    return "number" if numeric and all(NUMBER.fullmatch(text) for text in texts) else ""


def _kinds(shape: TableMeasure, sheet: DocumentSheet) -> Iterator[str]:
    if shape.is_small and sheet.columns == 1:
        yield "small"
    if shape.is_crowded:
        yield "crowded"
    if shape.is_too_wide:
        yield "tight"


def _rows(
    context: PageContext, block: DataTable, names: Sequence[str], places: Sequence[Column], *, whole: bool
) -> Iterator[str]:
    """Return the rows; with `whole` the shortest cells stay on one line each, such as dates.

    With `places` cells have the numbers by which a reader can sort them, and sums are marked.
    """
    for number, row in enumerate(block.rows):
        cells = (
            _cell(
                context, "td", cell, f"{name} whole".strip() if whole and _is_brief(cell, name) else name,
                places[at].place(number) if places else "",
            )
            for at, (cell, name) in enumerate(zip(row, names, strict=True))
        )  # fmt: skip
        total = " data-total" if places and _is_sum(row) else ""
        yield f"<tr{total}>{''.join(cells)}</tr>"


def _is_sum(row: Sequence[Spans]) -> bool:
    """Return whether a row is a sum, by its name or because its first cell is bold."""
    first = row[0] if row else ()
    bold = bool(first) and all(isinstance(one, Styled) and one.style == "strong" for one in first)
    return bold or names_sum(words_of(first))


def _is_brief(cell: Spans, names: str) -> bool:
    """Return whether a cell is too short to break, and not kept whole by its column."""
    words, kept = words_of(cell), "whole" in names or "number" in names
    return not kept and len(words) < BRIEF and any(sign in words for sign in BREAKS)


def _cell(context: PageContext, tag: str, cell: Spans, names: str, place: str = "") -> str:
    scope = ' scope="col"' if tag == "th" else f' data-value="{place}"' if place else ""
    side = context.side(words_of(cell))
    return f"<{tag}{scope}{classes(names)}{side}>{spans_html(context, cell)}</{tag}>"
