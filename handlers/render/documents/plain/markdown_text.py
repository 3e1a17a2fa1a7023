"""Documents as portable Markdown: sections become words, tables, links and quotations."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from html import escape as html_escape
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
    DocumentBlock,
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
from handlers.render.documents.markup.numbering import chart_caption, github_names
from handlers.render.documents.markup.spans import FigureNumber, Spans, words_of
from handlers.render.documents.pages.html_island import clean_island
from handlers.render.documents.pages.page_context import LABELS
from handlers.render.documents.plain.terminal_text import chart_lines
from handlers.render.documents.plain.words import PlainWords
from handlers.render.output_room import put_out
from handlers.words.document_parts import UNSEEN, DocumentParts, VariablePart
from handlers.words.language import say
from handlers.words.terminal_signs import safe_words
from handlers.words.variables import format_value

SPECIAL = re.compile(r"([\\`*_\[\]<>#|~{}$^&])")
OPENING = re.compile(r"^(\s*)(?:([-+=:])|(\d+)([.)]))(?=\s|[-=]|$)")
WIDE = 72
"""Columns of a chart in text."""
MARKS = {"em": ("*", "*"), "strong": ("**", "**"), "s": ("~~", "~~"), "u": ("<u>", "</u>"),
         "sup": ("<sup>", "</sup>"), "sub": ("<sub>", "</sub>"), "kbd": ("<kbd>", "</kbd>"),
         "mark": ("<mark>", "</mark>")}  # fmt: skip
RULES = {"left": ":---", "center": ":---:", "right": "---:", "": "---"}


def document_markdown(document: Document, parts: DocumentParts) -> str:
    """Return the document as Markdown with tables and footnotes."""
    writer = MarkdownWriter(parts)
    title, headings = document.about("title"), list(document.headings())
    words = [*filter(None, (title,)), *(words_of(one.spans) for one in headings)]
    names = list(github_names(words))[len(words) - len(headings) :]
    writer.places = {f"#{one.anchor}": f"#{name}" for one, name in zip(headings, names, strict=True)}
    facts = [text for key in ("subtitle", "author", "date") if (text := document.about(key))]
    lines = [f"# {escape_text(title)}", "", *([escape_text(" · ".join(facts)), ""] if facts else [])]
    lines = [*_edge(document, "header"), *(lines if title else [])]
    for sheet in document.sheets:
        lines += [*writer.blocks(sheet.blocks), ""]
        if sheet.speaker_notes:
            lines += [*writer.speaker_notes(sheet.speaker_notes), ""]
    for number, (text, blocks) in enumerate(writer.footnotes, 1):
        inner = [f"    {line}".rstrip() for line in writer.blocks(blocks)]
        lines += [f"[^{number}]: {text}".rstrip(), "", *([*inner, ""] if inner else [])]
    lines += ["", *_edge(document, "footer")]
    return "\n".join(lines).strip("\n") + "\n"


def _edge(document: Document, key: str) -> list[str]:
    """Return a header or footer, once, as Markdown has no pages."""
    words = edge_words(document, key)
    return [escape_text(words), ""] if words else []


class MarkdownWriter(PlainWords):
    """Writes blocks and spans as Markdown; footnotes are collected for the end."""

    def __init__(self, parts: DocumentParts) -> None:
        super().__init__(parts, call="[^{}]", line_end="<br>")
        self.places: Mapping[str, str] = {}
        """The anchors that Markdown programs give to headings, by those of the document."""
        self.visuals = {key.partition("@")[0]: part for key, part in parts.visuals.items()}

    def blocks(self, blocks: Blocks, *, tight: bool = False) -> list[str]:
        """Return lines of blocks, separated by empty lines unless they are `tight`."""
        lines: list[str] = []
        before: DocumentBlock | None = None
        apart = False
        for block in blocks:
            # A list directly after another gets other marks, because both would otherwise be one list.
            apart = not apart and _is_list_alike(before, block)
            if isinstance(block, Listing):
                written = self._listing(block, apart=apart)
            else:
                written = WRITERS[type(block)](self, block)
            lines += ["", *written] if lines and written and not tight else written
            before = block if written else before
        return lines

    def speaker_notes(self, blocks: Blocks) -> list[str]:
        """Return lines of a page's speaker notes, marked as such."""
        return [f"> **{say('Speaker notes')}**", ">", *self._quote(blocks)]

    def _paragraph(self, block: Paragraph) -> list[str]:
        return [OPENING.sub(_escape_opening, self.line(block.spans))]

    def text(self, text: str) -> str:
        """Return words with markup characters escaped."""
        return escape_text(text)

    def code(self, text: str) -> str:
        """Return code between marks that it does not contain."""
        return _code_span(text.replace("\n", " "))

    def in_style(self, style: str, text: str) -> str:
        """Return words between the marks of a style."""
        before, after = MARKS[style]
        return f"{before}{text}{after}"

    def link(self, address: str, text: str) -> str:
        """Return words that link to an address."""
        return f"[{text}](<{self._target(address)}>)"

    def formula(self, source: str, display: bool) -> str:
        """Return a formula on one line."""
        mark = "$$" if display else "$"
        return f"{mark}{source.replace(chr(10), ' ')}{mark}"

    def value(self, part: VariablePart) -> str:
        """Return the value of a variable."""
        return escape_text(format_value(part.value, part.kind, part.format))

    def _target(self, address: str) -> str:
        return re.sub(r"[<>\s]", "", safe_words(self.places.get(address, address)))

    def _place(self, number: FigureNumber) -> str:
        """Return the anchor for references to a figure."""
        return f'<a id="{number.anchor}"></a>' if number.anchor else ""

    def _listing(self, block: Listing, *, apart: bool = False) -> list[str]:
        bullet, point = ("*", ")") if apart else ("-", ".")
        lines: list[str] = []
        for number, entry in enumerate(block.entries):
            mark = f"{bullet} " if block.start is None else f"{block.start + number}{point} "
            tick = "" if entry.checked is None else ("[x] " if entry.checked else "[ ] ")
            inner = self.blocks(entry.blocks, tight=block.tight) or [""]
            lines += [f"{mark}{tick}{inner[0]}", *((" " * len(mark) + line).rstrip() for line in inner[1:])]
        return lines

    def _definitions(self, block: Definitions) -> list[str]:
        lines: list[str] = []
        for entry in block.entries:
            lines += [f"**{self.line(entry.term)}**", "", *self._quote(entry.blocks), ""]
        return lines[:-1]

    def _quote(self, blocks: Blocks) -> list[str]:
        return [f"> {line}".rstrip() for line in self.blocks(blocks)]

    def _code(self, block: CodeBlock) -> list[str]:
        longest = max((len(found) for found in re.findall(r"`{3,}", block.text)), default=2)
        fence = "`" * (longest + 1)
        return [f"{fence}{safe_words(block.language)}", *map(safe_words, block.text.split("\n")), fence]

    def _vis(self, block: VisBox) -> list[str]:
        """Return the title of a chart, the chart as text if its data is known, and its caption."""
        caption = f"{self._place(block.number)}{self.line(chart_caption(block))}"
        head = [f"**{escape_text(block.heading)}**", ""] if block.heading else []
        return [*head, *self._chart(block), *(["", caption] if caption else [])]

    def _chart(self, block: VisBox) -> list[str]:
        part = self.visuals.get(block.ref)
        if part is None:
            reason = self.parts.reasons.get(block.ref, UNSEEN)
            return [f"\\[{escape_text(block.ref)} is not shown: {escape_text(reason)}\\]"]
        words = [f"\\[chart: {escape_text(part.description or block.ref)}\\]"]
        if part.plot is None and not part.signs:
            return words
        drawn = chart_lines(block, part.plot, WIDE, colored=False) if part.plot else part.signs
        chart = put_out(drawn).rstrip("\n").replace("`", "'")
        return [*words, "", "```text", *chart.split("\n"), "```"]

    def _image(self, block: ImageBox) -> list[str]:
        words = f"\\[image: {escape_text(block.alt)}\\]"
        words = f"[{words}](<{self._target(block.link)}>)" if block.link else words
        return [f"{self._place(block.number)}{words} {self.line(block.caption)}".rstrip()]

    def _table(self, block: DataTable) -> list[str]:
        rows = [f"| {' | '.join(map(self._cell, row))} |" for row in (block.head, *block.rows)]
        caption = f"{self._place(block.number)}{self.line(block.caption)}"
        rule = f"| {' | '.join(RULES[side] for side in block.sides)} |"
        return [*([caption, ""] if caption else []), rows[0], rule, *rows[1:]]

    def _cell(self, spans: Spans) -> str:
        # A bar ends a cell even in code, unless it is escaped.
        return re.sub(r"(?<!\\)\|", r"\\|", self.line(spans))

    def _callout(self, block: Callout) -> list[str]:
        return [
            f"> **{escape_text(block.title or say(LABELS[block.tone]))}**",
            ">",
            *self._quote(block.blocks),
        ]

    def _details(self, block: Details) -> list[str]:
        summary = f"<summary>{html_escape(safe_words(words_of(block.summary)), quote=False)}</summary>"
        return ["<details>", summary, "", *self.blocks(block.blocks), "", "</details>"]

    def _author(self, block: AuthorBox) -> list[str]:
        part = self.parts.authors.get(block.username)
        name = part.name if part else block.username
        words = block.words or (part.bio if part else "")
        return [f"**{escape_text(name)}**" + (f" {escape_text(words)}" if words else "")]


def _is_list_alike(before: DocumentBlock | None, block: DocumentBlock) -> bool:
    """Return whether a list follows one of the same kind."""
    if not (isinstance(before, Listing) and isinstance(block, Listing)):
        return False
    return (before.start is None) == (block.start is None)


def escape_text(text: str) -> str:
    """Return text with markup escaped, without control characters."""
    return SPECIAL.sub(r"\\\1", safe_words(text))


def _escape_opening(found: re.Match[str]) -> str:
    """Escape the beginning of a line that would make it a list, a rule or a heading."""
    return f"{found[1]}\\{found[2]}" if found[2] else f"{found[1]}{found[3]}\\{found[4]}"


def _code_span(text: str) -> str:
    longest = max((len(found) for found in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {text} {fence}" if longest else f"`{text}`"


WRITERS: Mapping[type[Any], Callable[[MarkdownWriter, Any], list[str]]] = {
    DocumentHeading: lambda writer, block: [f"{'#' * block.level} {writer.line(block.spans)}"],
    Paragraph: MarkdownWriter._paragraph,
    Listing: MarkdownWriter._listing,
    Definitions: MarkdownWriter._definitions,
    Quotation: lambda writer, block: writer._quote(block.blocks),
    CodeBlock: MarkdownWriter._code,
    DataTable: MarkdownWriter._table,
    Details: MarkdownWriter._details,
    Divider: lambda writer, block: ["---"],
    FormulaBlock: lambda writer, block: ["$$", *map(safe_words, block.source.split("\n")), "$$"],
    VisBox: MarkdownWriter._vis,
    ImageBox: MarkdownWriter._image,
    Passage: lambda writer, block: writer.blocks(block.blocks),
    Callout: MarkdownWriter._callout,
    AuthorBox: MarkdownWriter._author,
    HtmlIsland: lambda writer, block: clean_island(block.source).strip().split("\n"),
    ColumnBreak: lambda writer, block: [],
    FaultBox: lambda writer, block: [f"\\[not shown: {escape_text(block.reason)}\\]"],
}
"""Functions that write each kind of block."""
