"""Documents as text for a terminal, with or without colours: blocks, tables and charts within a width."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from handlers.render.documents.markup.blocks import (
    AuthorBox,
    Blocks,
    Callout,
    CodeBlock,
    ColumnBreak,
    DataTable,
    Definitions,
    Details,
    Divider,
    Document,
    DocumentHeading,
    FaultBox,
    FormulaBlock,
    HtmlIsland,
    ImageBox,
    Listing,
    Paragraph,
    Passage,
    Quotation,
    VisBox,
)
from handlers.render.documents.markup.front_matter import edge_words
from handlers.render.documents.markup.numbering import chart_caption
from handlers.render.documents.pages.html_island import clean_island
from handlers.render.documents.pages.page_context import LABELS
from handlers.render.documents.pages.parts import ChartRoom, vis_request
from handlers.render.documents.pages.table_html import column_side
from handlers.render.documents.plain.words import BOLD, QUIET, RED, TEAL, PlainWords
from handlers.render.output_room import put_out
from handlers.render.plots.forms.terminal.chart import MOST, has_rows, terminal_chart
from handlers.render.plots.forms.terminal.screen import cut, is_address, place_line, signs, wrap
from handlers.words.document_parts import UNSEEN, DocumentParts
from handlers.words.language import say
from handlers.words.plot import Plot
from handlers.words.terminal_signs import safe_words


def hang(mark: str, lines: list[str]) -> list[str]:
    """Return lines with a mark before the first one and spaces before the others."""
    space = " " * signs(mark)
    return [f"{space if index else mark}{line}".rstrip() for index, line in enumerate(lines or [""])]


USUAL = 16
"""Height in lines of a chart without rows; others have a line for each row, within limits."""


def chart_lines(block: VisBox, plot: Plot, width: int, *, colored: bool) -> str:
    """Return the chart of a box as text."""
    shown = plot.showing(titles=block.title, caption=block.caption)
    rows = MOST[1] if has_rows(plot.type) else USUAL
    return terminal_chart(shown, width, rows, colored=colored)


NARROWEST_COLUMN = 8
BETWEEN = 2

Paint = Callable[[str, str], str]


def table_lines(
    rows: Sequence[Sequence[str]], sides: Sequence[str], width: int, paint: Paint, *, whole: bool
) -> list[str]:
    """Return rows (the first is the head) in columns within a width; `whole` cuts no address."""
    widths = _widths([[signs(line) for line in column] for column in zip(*rows, strict=True)], width)
    if widths is None or (whole and _cuts_addresses(rows, widths)):
        return list(_records(rows, width, paint, whole=whole))
    head, *body = (_row(row, widths, sides) for row in rows)
    tall = any(len(row) > 1 for row in body)
    rule = (" " * BETWEEN).join("─" * wide for wide in widths)
    lines = [*(paint(line, BOLD) for line in head), paint(rule, QUIET)]
    for index, row in enumerate(body):
        lines += ["", *row] if tall and index else row
    return lines


def _widths(columns: Sequence[Sequence[int]], width: int) -> list[int] | None:
    """Return a width for each column, wide ones share the rest; None for too many columns."""
    wanted = [max(1, *column) for column in columns]
    room = width - BETWEEN * (len(wanted) - 1)
    if sum(wanted) <= room:
        return wanted
    if sum(min(wide, NARROWEST_COLUMN) for wide in wanted) > room:
        return None
    widths = [min(wide, NARROWEST_COLUMN) for wide in wanted]
    while (left := room - sum(widths)) > 0:
        short = [index for index, wide in enumerate(wanted) if widths[index] < wide]
        share = max(1, left // len(short))
        for index in short[: max(1, left)]:
            widths[index] += min(share, wanted[index] - widths[index], room - sum(widths))
    return widths


def _row(row: Sequence[str], widths: Sequence[int], sides: Sequence[str]) -> list[str]:
    parts = [wrap(text, wide) or [""] for text, wide in zip(row, widths, strict=True)]
    lines = zip_longest(*parts, fillvalue="")
    return [(" " * BETWEEN).join(map(place_line, line, widths, sides)).rstrip() for line in lines]


def _cuts_addresses(rows: Sequence[Sequence[str]], widths: Sequence[int]) -> bool:
    """Return whether a column is narrower than an address in it."""
    return any(
        signs(word) > wide and is_address(word)
        for row in rows
        for text, wide in zip(row, widths, strict=True)
        for word in text.split()
    )


def _records(rows: Sequence[Sequence[str]], width: int, paint: Paint, *, whole: bool) -> Iterator[str]:
    """Yield each row as lines of names and values."""
    head, *body = rows
    for index, row in enumerate(body):
        if index:
            yield ""
        for name, value in zip(head, row, strict=True):
            label = f"{name}: " if signs(name) < width // 2 else ""
            yield from hang(paint(label, BOLD), wrap(value, width - signs(label), whole=whole))


TAG = re.compile(r"<[^>]{0,400}>")
LEAST_WIDTH, MOST_WIDTH, MEASURE = 30, 200, 92
NARROWEST = 16
"""Least columns for text: deeper nesting is not indented further."""
SIDES = {"number": "right", "at-right": "right", "at-center": "center"}


def document_text(
    document: Document,
    parts: DocumentParts,
    kind: str,
    columns: int = 80,
    *,
    colored: bool,
    whole_code: bool = False,
    whole_addresses: bool = False,
    spoken: bool = True,
) -> str:
    """Return the document as lines within a width.

    With `whole_code`, lines of code are not wrapped; with `whole_addresses`, no address is cut; without
    `spoken`, speaker notes are left out.
    """
    width = min(MOST_WIDTH, max(LEAST_WIDTH, columns))
    writer = TerminalWriter(
        parts,
        room=ChartRoom(kind, document.sheets[0]),
        colored=colored,
        whole_code=whole_code,
        whole_addresses=whole_addresses,
    )
    lines = [*_edge(document, "header", width), *_masthead(document, writer, width)]
    for sheet in document.sheets:
        writer.room = ChartRoom(kind, sheet)
        lines += writer.blocks(sheet.blocks, width)
        if spoken and sheet.speaker_notes:
            lines += writer.speaker_notes(sheet.speaker_notes, width)
    if writer.footnotes:
        lines += [*_notes(writer, width)]
    lines += ["", *_edge(document, "footer", width)]
    return "\n".join(lines).strip("\n") + "\n"


@dataclass(kw_only=True)
class TerminalWriter(PlainWords):
    """Writes the blocks of a page as lines."""

    room: ChartRoom
    whole_code: bool = False
    whole_addresses: bool = False

    def blocks(self, blocks: Blocks, width: int) -> list[str]:
        """Return lines of blocks, separated by empty lines."""
        lines: list[str] = []
        for block in blocks:
            written = WRITERS[type(block)](self, block, width)
            lines += ["", *written] if lines and written else written
        return [*lines, ""] if lines else []

    def speaker_notes(self, blocks: Blocks, width: int) -> list[str]:
        """Return lines of a page's speaker notes, marked as such."""
        label = self.paint(say("Speaker notes"), BOLD)
        return [f"┊ {label}", *self._beside("┊ ", blocks, width), ""]

    def wrap(self, text: str, width: int, *styles: str) -> list[str]:
        """Return lines of words, in a style if one is given."""
        lines = wrap(text, width, whole=self.whole_addresses)
        return [self.paint(line, *styles) for line in lines] if styles else lines

    def inner(self, blocks: Blocks, width: int) -> list[str]:
        """Return lines of nested blocks."""
        return self.blocks(blocks, width)[:-1]

    def _beside(self, mark: str, blocks: Blocks, width: int) -> list[str]:
        """Return lines of blocks, each after a mark while there is room for it."""
        room = width - signs(mark)
        if room < NARROWEST:
            return self.inner(blocks, width)
        return [f"{mark}{line}".rstrip() for line in self.inner(blocks, room)]

    def _heading(self, block: DocumentHeading, width: int) -> list[str]:
        lines = self.wrap(self.line(block.spans), min(width, MEASURE))
        shown = [self.paint(line, BOLD, TEAL if block.level == 1 else "") for line in lines]
        if self.colored or block.level > 2:
            return shown
        return [*shown, "=-"[block.level - 1] * min(width, max(map(signs, lines), default=0))]

    def _paragraph(self, block: Paragraph, width: int) -> list[str]:
        return self.wrap(self.line(block.spans), min(width, MEASURE))

    def _listing(self, block: Listing, width: int) -> list[str]:
        if block.index:
            return [line for entry in block.entries for line in self.inner(entry.blocks, width)]
        lines: list[str] = []
        for number, entry in enumerate(block.entries):
            mark = "•" if block.start is None else f"{block.start + number}."
            mark = mark if entry.checked is None else ("☑" if entry.checked else "☐")
            room = width - len(mark) - 1
            inner = self.inner(entry.blocks, room if room >= NARROWEST else width)
            inner = [line for line in inner if line] if block.tight else inner
            lines += hang(f"{mark} ", inner) if room >= NARROWEST else inner
        return lines

    def _definitions(self, block: Definitions, width: int) -> list[str]:
        lines: list[str] = []
        for entry in block.entries:
            lines += self.wrap(self.line(entry.term), width, BOLD)
            lines += self._beside("  ", entry.blocks, width)
        return lines

    def _quotation(self, block: Quotation, width: int) -> list[str]:
        return self._beside(f"{self.paint('│', TEAL)} ", block.blocks, width)

    def _code(self, block: CodeBlock, width: int) -> list[str]:
        return _source(block.text, None if self.whole_code else width)

    def _table(self, block: DataTable, width: int) -> list[str]:
        rows = [[self.line(cell).replace("\n", " ") for cell in row] for row in (block.head, *block.rows)]
        sides = [SIDES.get(column_side(block, index), "left") for index in range(len(block.head))]
        lines = table_lines(rows, sides, width, self.paint, whole=self.whole_addresses)
        caption = self.wrap(self.line(block.caption), min(width, MEASURE)) if block.caption else []
        return [*caption, "", *lines] if caption else lines

    def _vis(self, block: VisBox, width: int) -> list[str]:
        caption = chart_caption(block)
        words = self.wrap(self.line(caption), min(width, MEASURE)) if caption else []
        head = self.wrap(safe_words(block.heading), min(width, MEASURE), BOLD) if block.heading else []
        return [*head, *self._chart(block, width), *words]

    def _chart(self, block: VisBox, width: int) -> list[str]:
        part = self.parts.visuals.get(vis_request(block, self.room).key)
        if part is None:
            reason = self.parts.reasons.get(block.ref, UNSEEN)
            return self.wrap(f"[{block.ref} is not shown: {safe_words(reason)}]", width, RED)
        if part.plot is None:
            lines = put_out(part.signs).split("\n")[:-1]
            if lines and max(map(signs, lines)) <= width:
                return lines
            return self.wrap(f"[chart: {safe_words(part.description or block.ref)}]", width)
        chart = put_out(chart_lines(block, part.plot, min(width, MEASURE), colored=self.colored))
        return chart.split("\n")[:-1]

    def _image(self, block: ImageBox, width: int) -> list[str]:
        caption = f" {self.line(block.caption)}" if block.caption else ""
        return self.wrap(f"[image: {safe_words(block.alt)}]{caption}", width)

    def _callout(self, block: Callout, width: int) -> list[str]:
        title = self.wrap(safe_words(block.title or say(LABELS[block.tone])), width - 2, BOLD)
        return [*(f"┃ {line}" for line in title), *self._beside("┃ ", block.blocks, width)]

    def _details(self, block: Details, width: int) -> list[str]:
        summary = self.wrap(self.line(block.summary) or say("Details"), width - 2, BOLD)
        return [*hang("▾ ", summary), *self._beside("  ", block.blocks, width)]

    def _author(self, block: AuthorBox, width: int) -> list[str]:
        part = self.parts.authors.get(block.username)
        if part is None:
            return self.wrap(f"[author {block.username} is not shown]", width, RED)
        bio = safe_words(block.words or part.bio) if block.bio else ""
        return [self.paint(safe_words(part.name), BOLD), *self.wrap(bio, min(width, MEASURE))]

    def _island(self, block: HtmlIsland, width: int) -> list[str]:
        text = TAG.sub(" ", clean_island(block.source)).replace("&lt;", "<").replace("&gt;", ">")
        return self.wrap(safe_words(" ".join(text.replace("&amp;", "&").split())), min(width, MEASURE))


def _source(text: str, width: int | None) -> list[str]:
    """Return indented lines as written, wrapped if they are longer than a given width."""
    lines = (safe_words(line.expandtabs(4)).rstrip() for line in text.split("\n"))
    pieces = (piece for line in lines for piece in ([line] if width is None else cut(line, width - 4)))
    return [f"    {piece}".rstrip() for piece in pieces]


def _edge(document: Document, key: str, width: int) -> list[str]:
    """Return a header or footer, once, as text has no pages."""
    words = safe_words(edge_words(document, key))
    return [*wrap(words, width), ""] if words else []


def _masthead(document: Document, words: PlainWords, width: int) -> Iterator[str]:
    if title := safe_words(document.about("title")):
        yield from (words.paint(line, BOLD) for line in wrap(title.upper(), width))
        facts = " · ".join(
            text for key in ("subtitle", "author", "date") if (text := safe_words(document.about(key)))
        )
        yield from (*wrap(facts, width), "")


def _notes(writer: TerminalWriter, width: int) -> Iterator[str]:
    yield "─" * min(24, width)
    room, notes = min(width, MEASURE) - 5, writer.footnotes
    # A footnote in another one is added while they are written.
    for number, (text, blocks) in enumerate(notes, 1):
        lines = writer.wrap(text, room)
        lines += [""] if lines and blocks else []
        yield from hang(f"[{number}] ", [*lines, *writer.inner(blocks, room)])


WRITERS: Mapping[type[Any], Callable[[TerminalWriter, Any, int], list[str]]] = {
    DocumentHeading: TerminalWriter._heading,
    Paragraph: TerminalWriter._paragraph,
    Listing: TerminalWriter._listing,
    Definitions: TerminalWriter._definitions,
    Quotation: TerminalWriter._quotation,
    CodeBlock: TerminalWriter._code,
    DataTable: TerminalWriter._table,
    Details: TerminalWriter._details,
    Divider: lambda writer, block, width: ["─" * min(width, MEASURE)],
    FormulaBlock: lambda writer, block, width: _source(block.source, width),
    VisBox: TerminalWriter._vis,
    ImageBox: TerminalWriter._image,
    Passage: lambda writer, block, width: writer.inner(block.blocks, width),
    Callout: TerminalWriter._callout,
    AuthorBox: TerminalWriter._author,
    HtmlIsland: TerminalWriter._island,
    ColumnBreak: lambda writer, block, width: [],
    FaultBox: lambda writer, block, width: writer.wrap(
        f"[not shown: {safe_words(block.reason)}]", width, RED
    ),
}
"""Functions that write each kind of block."""
