"""Documents as text of so many columns, with the colours of terminals or without."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from handlers.render.documents.markup.blocks import (
    AuthorBox,
    Blocks,
    Callout,
    CodeBlock,
    ColumnBreak,
    DataTable,
    Definitions,
    Divider,
    Document,
    DocumentHeading,
    DocumentSheet,
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
from handlers.render.documents.pages.html_island import clean_island
from handlers.render.documents.pages.page_words import LABELS
from handlers.render.documents.pages.part_models import DocumentParts
from handlers.render.documents.pages.parts import vis_request
from handlers.render.documents.pages.table_html import column_side
from handlers.render.documents.plain.words import BOLD, QUIET, RED, TEAL, PlainWords, clean_words
from handlers.render.plots.forms.terminal import terminal_chart

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
TAG = re.compile(r"<[^>]{0,400}>")
LEAST, MOST, MEASURE = 30, 200, 92
CHART_ROWS = 16


def document_text(
    document: Document, parts: DocumentParts, kind: str, columns: int = 80, *, colored: bool
) -> str:
    """The document as lines no wider than asked, tables and code apart."""
    width = min(MOST, max(LEAST, columns))
    words = PlainWords(parts, colored)
    lines = [*_masthead(document, words)]
    for sheet in document.sheets:
        lines += TerminalWriter(words, kind, sheet).blocks(sheet.blocks, width)
    if words.footnotes:
        lines += [*_notes(words, width)]
    return "\n".join(lines).strip("\n") + "\n"


class TerminalWriter:
    """Writes the blocks of a page as lines."""

    def __init__(self, words: PlainWords, kind: str, sheet: DocumentSheet) -> None:
        self.words, self.kind, self.sheet = words, kind, sheet

    def blocks(self, blocks: Blocks, width: int) -> list[str]:
        """Lines of blocks, with one empty line between any two."""
        lines: list[str] = []
        for block in blocks:
            written = WRITERS[type(block)](self, block, max(12, width))
            lines += ["", *written] if lines and written else written
        return [*lines, ""] if lines else []

    def inner(self, blocks: Blocks, width: int) -> list[str]:
        """Lines of blocks within another."""
        return self.blocks(blocks, width)[:-1]

    def _heading(self, block: DocumentHeading, width: int) -> list[str]:
        lines = wrap(self.words.line(block.spans), min(width, MEASURE))
        shown = [self.words.paint(line, BOLD, TEAL if block.level == 1 else "") for line in lines]
        rule = {1: "=", 2: "-"}.get(block.level, "")
        return (
            [*shown, rule * max(map(cells, lines), default=0)] if rule and not self.words.colored else shown
        )

    def _paragraph(self, block: Paragraph, width: int) -> list[str]:
        return wrap(self.words.line(block.spans), min(width, MEASURE))

    def _listing(self, block: Listing, width: int) -> list[str]:
        lines: list[str] = []
        for number, entry in enumerate(block.entries):
            mark = "•" if block.start is None else f"{block.start + number}."
            mark = mark if entry.checked is None else ("☑" if entry.checked else "☐")
            inner = self.inner(entry.blocks, width - len(mark) - 1)
            inner = [line for line in inner if line] if block.tight else inner
            lines += _beside(f"{mark} ", inner)
        return lines

    def _definitions(self, block: Definitions, width: int) -> list[str]:
        lines: list[str] = []
        for entry in block.entries:
            lines.append(self.words.paint(self.words.line(entry.term), BOLD))
            lines += [f"  {line}" for line in self.inner(entry.blocks, width - 2)]
        return lines

    def _quotation(self, block: Quotation, width: int) -> list[str]:
        return [
            f"{self.words.paint('│', TEAL)} {line}".rstrip() for line in self.inner(block.blocks, width - 2)
        ]

    def _code(self, block: CodeBlock, width: int) -> list[str]:
        return [f"    {clean_words(line.expandtabs(4))}".rstrip() for line in block.text.split("\n")]

    def _table(self, block: DataTable, width: int) -> list[str]:
        rows = [
            [self.words.line(cell).replace("\n", " ") for cell in row] for row in (block.head, *block.rows)
        ]
        columns = range(len(block.head))
        widths = [
            max((cells(row[index]) for row in rows if index < len(row)), default=0) for index in columns
        ]
        sides = [column_side(block, index) in ("number", "at-right") for index in columns]
        lines = []
        for row in rows:
            padded = [
                _pad(row[index] if index < len(row) else "", widths[index], sides[index]) for index in columns
            ]
            lines.append("  ".join(padded).rstrip())
        lines[0] = self.words.paint(lines[0], BOLD)
        return [lines[0], self.words.paint("  ".join("─" * wide for wide in widths), QUIET), *lines[1:]]

    def _vis(self, block: VisBox, width: int) -> list[str]:
        part = self.words.parts.visuals.get(vis_request(block, self.kind, self.sheet).key)
        if part is None:
            reason = self.words.parts.reasons.get(
                block.ref, "there is none that this document's owner may see"
            )
            return self.fault(f"[{block.ref} is not shown: {clean_words(reason)}]")
        if part.plot is None:
            return wrap(f"[vis: {clean_words(part.description or block.ref)}]", width)
        return terminal_chart(part.plot, min(width, MEASURE), CHART_ROWS, colored=self.words.colored).split(
            "\n"
        )[:-1]

    def _image(self, block: ImageBox, width: int) -> list[str]:
        caption = f" {self.words.line(block.caption)}" if block.caption else ""
        return wrap(f"[image: {clean_words(block.alt)}]{caption}", width)

    def _callout(self, block: Callout, width: int) -> list[str]:
        title = self.words.paint(clean_words(block.title or LABELS[block.tone]), BOLD)
        return [f"┃ {line}".rstrip() for line in (title, *self.inner(block.blocks, width - 2))]

    def _author(self, block: AuthorBox, width: int) -> list[str]:
        part = self.words.parts.authors.get(block.username)
        if part is None:
            return self.fault(f"[author {block.username} is not shown]")
        bio = clean_words(block.words or part.bio) if block.bio else ""
        return [self.words.paint(clean_words(part.name), BOLD), *wrap(bio, min(width, MEASURE))]

    def _island(self, block: HtmlIsland, width: int) -> list[str]:
        text = TAG.sub(" ", clean_island(block.source)).replace("&lt;", "<").replace("&gt;", ">")
        return wrap(clean_words(" ".join(text.replace("&amp;", "&").split())), min(width, MEASURE))

    def fault(self, text: str) -> list[str]:
        """The note in place of what cannot be shown."""
        return [self.words.paint(text, RED)]


def wrap(text: str, width: int) -> list[str]:
    """Lines of words that are no wider than asked, whatever colours are in them."""
    lines: list[str] = []
    for part in text.split("\n"):
        line, used = "", 0
        for word in part.split():
            for piece in _pieces(word, width):
                wide = cells(piece)
                if line and used + 1 + wide > width:
                    lines.append(line)
                    line, used = piece, wide
                else:
                    line, used = (f"{line} {piece}", used + 1 + wide) if line else (piece, wide)
        lines.append(line)
    return lines if text.strip() else []


def cells(text: str) -> int:
    """Columns that a text takes in a terminal."""
    bare = ESCAPE.sub("", text)
    return sum(
        2 if unicodedata.east_asian_width(sign) in "WF" else 0 if unicodedata.combining(sign) else 1
        for sign in bare
    )


def _pieces(word: str, width: int) -> list[str]:
    if cells(word) <= width or ESCAPE.search(word):
        return [word]
    return textwrap.wrap(word, max(4, width // 2), break_on_hyphens=False) or [word]


def _pad(text: str, width: int, right: bool) -> str:
    space = " " * (width - cells(text))
    return space + text if right else text + space


def _beside(mark: str, lines: list[str]) -> list[str]:
    return [
        f"{mark if not index else ' ' * len(mark)}{line}".rstrip() for index, line in enumerate(lines or [""])
    ]


def _masthead(document: Document, words: PlainWords) -> Iterator[str]:
    if title := clean_words(document.about("title")):
        yield words.paint(title.upper(), BOLD)
        facts = " · ".join(
            text for key in ("subtitle", "author", "date") if (text := clean_words(document.about(key)))
        )
        yield from ([facts, ""] if facts else [""])


def _notes(words: PlainWords, width: int) -> Iterator[str]:
    yield "─" * min(24, width)
    for number, text in enumerate(words.footnotes, 1):
        yield from _beside(f"[{number}] ", wrap(text, min(width, MEASURE) - 5))


WRITERS: Mapping[type[Any], Callable[[TerminalWriter, Any, int], list[str]]] = {
    DocumentHeading: TerminalWriter._heading,
    Paragraph: TerminalWriter._paragraph,
    Listing: TerminalWriter._listing,
    Definitions: TerminalWriter._definitions,
    Quotation: TerminalWriter._quotation,
    CodeBlock: TerminalWriter._code,
    DataTable: TerminalWriter._table,
    Divider: lambda writer, block, width: ["─" * min(width, MEASURE)],
    FormulaBlock: lambda writer, block, width: [
        f"    {clean_words(line)}" for line in block.source.split("\n")
    ],
    VisBox: TerminalWriter._vis,
    ImageBox: TerminalWriter._image,
    Passage: lambda writer, block, width: writer.inner(block.blocks, width),
    Callout: TerminalWriter._callout,
    AuthorBox: TerminalWriter._author,
    HtmlIsland: TerminalWriter._island,
    ColumnBreak: lambda writer, block, width: [],
    FaultBox: lambda writer, block, width: writer.fault(f"[not shown: {clean_words(block.reason)}]"),
}
"""Functions that write each kind of block."""
