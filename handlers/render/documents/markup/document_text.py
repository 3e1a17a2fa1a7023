"""The parser of documents, which makes blocks from the tokens of Markdown and from sections."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from markdown_it.token import Token

from handlers.render.documents.markup.blocks import (
    MOST_SOUGHT,
    Blocks,
    CodeBlock,
    DataTable,
    DefinitionEntry,
    Definitions,
    Divider,
    Document,
    DocumentBlock,
    DocumentHeading,
    DocumentSheet,
    FaultBox,
    FormulaBlock,
    ListEntry,
    Listing,
    MarkupNote,
    Paragraph,
    Quotation,
)
from handlers.render.documents.markup.front_matter import edge_notes, front_matter
from handlers.render.documents.markup.markdown_reader import DEEPEST_BLOCK, MOST_STEPS, read_tokens
from handlers.render.documents.markup.numbering import live_links, number_figures
from handlers.render.documents.markup.parameters import MOST_NOTES, color_of
from handlers.render.documents.markup.section_grammar import UNWRITABLE, FoundTag, Tag
from handlers.render.documents.markup.section_rules import (
    LONGEST_TAGS,
    MOST_TAGS,
    SPEAKER_NOTES,
    SectionMarks,
)
from handlers.render.documents.markup.section_stack import MOST_SHOWN, NOTES, SectionStack, is_of_notes
from handlers.render.documents.markup.span_tree import SpanTree, whole_line
from handlers.render.documents.markup.spans import Footnote, Formula, PlainText, Spans, Styled, words_of
from handlers.words.language import language

TICK = re.compile(r"\[([ xX])\](?:\s|$)")
MOST_CELLS, MOST_COLUMNS, MOST_BLOCKS = 12_000, 500, 12_000
WIDE = re.compile(r"colspan\s*:\s*all")
PAYLOADS = "there are colspan:all and clr,fg,red-500"
LEFT_OUT = {
    "cut": "the document is too long: the rest, from here on, is left out",
    "too_deep": f"lists and quotations are nested at most {DEEPEST_BLOCK} deep: this is left out",
    "plain": "there are too many marks: from this line on they are shown as text",
}


@dataclass(slots=True)
class TokenNode:
    """A token and the tokens nested in it."""

    token: Token
    children: list[TokenNode] = field(default_factory=list)

    def inline(self) -> Sequence[Token] | None:
        """Return the tokens of its line."""
        return next((child.token.children for child in self.children if child.token.type == "inline"), None)


def nest(tokens: Sequence[Token]) -> list[TokenNode]:
    """Return tokens as trees."""
    stack: list[list[TokenNode]] = [[]]
    for token in tokens:
        if token.nesting < 0:
            if len(stack) > 1:
                stack.pop()
            continue
        node = TokenNode(token)
        stack[-1].append(node)
        if token.nesting > 0:
            stack.append(node.children)
    return stack[0]


class BlockTree:
    """Makes blocks and pages from tokens; errors are added to `notes`."""

    def __init__(self, marks: SectionMarks, tokens: Sequence[Token], notes: list[MarkupNote]) -> None:
        self.marks, self.notes = marks, notes
        self.anchors: Counter[str] = Counter()
        self.cells = self.count = 0
        self.silent: FoundTag | None = None
        self.previews: list[Blocks] = []
        self.unseen: dict[FoundTag, int] = {}
        self.tree = SpanTree()
        nodes = nest(tokens)
        footnotes = [node for node in nodes if node.token.type == "footnote_block_open"]
        self.tree.footnotes = dict(self._footnotes(footnotes[0].children)) if footnotes else {}
        self.nodes = [node for node in nodes if node not in footnotes]
        self.unseen = {tag: line for tag, line in marks.tags.items() if is_of_notes(tag)}

    def sheets(self) -> tuple[DocumentSheet, ...]:
        """Return the pages; the first has the blocks before any `page`, and is left out if it is empty."""
        stack = SectionStack(self.notes, [DocumentSheet(1)])
        self._fill(stack, self.nodes)
        stack.finish()
        self.previews += stack.previews
        sheets = [
            replace(sheet, blocks=tuple(blocks), speaker_notes=tuple(stack.speaker_notes.get(number, ())))
            for number, (sheet, blocks) in enumerate(stack.sheets)
        ]
        first = sheets[0]
        return tuple(sheets if first.blocks or first.speaker_notes or len(sheets) == 1 else sheets[1:])

    def blocks(self, nodes: Sequence[TokenNode]) -> Blocks:
        """Return the blocks inside another."""
        stack, self.silent = SectionStack(self.notes, [], self.silent), None
        self._fill(stack, nodes)
        blocks, self.silent = stack.finish(), stack.silent
        self.previews += stack.previews
        return blocks

    def _fill(self, stack: SectionStack, nodes: Sequence[TokenNode]) -> None:
        for node in nodes:
            self.count += 1
            if self.count > MOST_BLOCKS:
                self._stop(stack, self._line(node.token))
                break
            self._pass_unseen(stack, node.token)
            if node.token.type == "mark":
                self.unseen.pop(node.token.meta["tag"], None)
                stack.enter(node.token.meta["tag"])
            elif (block := self._block(node)) is not None:
                stack.add(block)
                stack.stay_silent(self.silent)
                self.silent = None

    def _pass_unseen(self, stack: SectionStack, token: Token) -> None:
        """Hide the blocks after speaker notes that were opened in a footnote."""
        silent = None
        while self.unseen and token.map and self.unseen[tag := next(iter(self.unseen))] < token.map[0]:
            del self.unseen[tag]
            silent = None if tag.tag.closing else tag
        stack.stay_silent(silent)

    def _stop(self, stack: SectionStack, line: int) -> None:
        """Note, once, that the rest of a very long text is left out."""
        if self.count == MOST_BLOCKS + 1:
            reason = f"a document has at most {MOST_BLOCKS:,} blocks: the rest is left out"
            self.notes.append(MarkupNote(line, 1, reason))
            stack.add(FaultBox(line, 1, reason))

    def _block(self, node: TokenNode) -> DocumentBlock | None:
        make = BLOCKS.get(node.token.type)
        return make(self, node, self._line(node.token)) if make is not None else None

    def _line(self, token: Token) -> int:
        return self.marks.first_line + token.map[0] if token.map else 1

    def _heading(self, node: TokenNode, line: int) -> DocumentBlock:
        spans = self._spans(node, line)
        options = [option.strip() for option in str(node.token.meta.get("payload", "")).split(";")]
        wide = any(WIDE.fullmatch(option) for option in options)
        clr = next((option.split(",") for option in options if option.startswith("clr")), [])
        color = next((found for part in clr if (found := color_of(part))), "")
        for option in options:
            if option and not WIDE.fullmatch(option) and not (color and option.startswith("clr")):
                self._note(line, 1, f'"{option[:40]}" of a heading is not understood: {PAYLOADS}')
        level, anchor = int(node.token.tag[1]), self._anchor(words_of(spans))
        return DocumentHeading(line, level, spans, anchor, wide, color)

    def _anchor(self, words: str) -> str:
        slug = "-".join(re.findall(r"\w+", words.lower()))[:60] or "section"
        self.anchors[slug] += 1
        return slug if self.anchors[slug] == 1 else f"{slug}--{self.anchors[slug]}"

    def _spans(self, node: TokenNode, line: int) -> Spans:
        """Return the spans of a block's lines, with notes on unknown marks in them."""
        spans = whole_line(self.tree.spans(node.inline()))
        for source, reason in self.tree.faults[: max(0, MOST_NOTES - len(self.notes))]:
            self._note(*self._place(node.token, source, line), reason)
        self.tree.faults.clear()
        if self.tree.left_open:
            self.silent, self.tree.left_open = _notes_at(line), False
        return spans

    def _place(self, token: Token, source: str, line: int) -> tuple[int, int]:
        """Return the line and column of a mark if one of the block's lines contains it."""
        first = source.split("\n", maxsplit=1)[0]
        start, end = token.map or (0, 0)
        for at in range(start, min(end, start + MOST_SOUGHT)):
            if (column := self.marks.line(at).find(first)) >= 0:
                return self.marks.first_line + at, column + 1
        return line, 1

    def _note(self, line: int, column: int, reason: str) -> None:
        if len(self.notes) < MOST_NOTES:
            self.notes.append(MarkupNote(line, column, reason))

    def _paragraph(self, node: TokenNode, line: int) -> DocumentBlock | None:
        spans = self._spans(node, line)
        match spans:
            case ():
                return None
            case (Formula(source, True),):
                return FormulaBlock(line, source)
        return Paragraph(line, spans)

    def _listing(self, node: TokenNode, line: int) -> DocumentBlock:
        read = (self._entry(child) for child in node.children)
        entries = tuple(entry for entry in read if entry.blocks or not self.silent)
        start = node.token.attrs.get("start", 1) if node.token.tag == "ol" else None
        tight = any(inner.token.hidden for child in node.children for inner in child.children)
        return Listing(line, None if start is None else int(start), tight, entries)

    def _entry(self, node: TokenNode) -> ListEntry:
        blocks = self.blocks(node.children)
        if blocks and isinstance(blocks[0], Paragraph) and isinstance(blocks[0].spans[0], PlainText):
            first = blocks[0].spans[0].text
            if tick := TICK.match(first):
                rest: Spans = (PlainText(first[tick.end() :]), *blocks[0].spans[1:])
                return ListEntry((replace(blocks[0], spans=rest), *blocks[1:]), tick[1] != " ")
        return ListEntry(blocks)

    def _definitions(self, node: TokenNode, line: int) -> DocumentBlock:
        entries: list[DefinitionEntry] = []
        for child in node.children:
            if child.token.type == "dt_open":
                entries.append(DefinitionEntry(() if self.silent else self._spans(child, line), ()))
            elif entries:
                blocks = entries[-1].blocks + self.blocks(child.children)
                entries[-1] = replace(entries[-1], blocks=blocks)
        return Definitions(line, tuple(entry for entry in entries if entry.term or entry.blocks))

    def _table(self, node: TokenNode, line: int) -> DocumentBlock:
        rows = [row for part in node.children for row in part.children]
        self.cells += sum(len(row.children) for row in rows)
        wide = len(rows[0].children) > MOST_COLUMNS
        if wide or self.cells > MOST_CELLS:
            most = f"at most {MOST_CELLS:,} cells together, and {MOST_COLUMNS} columns each"
            reason = f"tables of a document have {most}: put larger ones in a plot"
            self.notes.append(MarkupNote(line, 1, reason))
            return FaultBox(line, 1, reason)
        head, *body = rows
        styles = (str(cell.token.attrs.get("style", "")) for cell in head.children)
        sides = tuple(style.removeprefix("text-align:") for style in styles)
        return DataTable(line, sides, self._cells(head), tuple(self._cells(row) for row in body))

    def _cells(self, row: TokenNode) -> tuple[Spans, ...]:
        line = self._line(row.token)
        return tuple(() if self.silent else self._spans(cell, line) for cell in row.children)

    def _left_out(self, node: TokenNode, line: int) -> DocumentBlock | None:
        """Return a note on omitted lines, or None if there are many notes already."""
        opened = False
        for at in range(*(node.token.map or (0, 0)) if node.token.type == "too_deep" else (0, 0)):
            for mark in SPEAKER_NOTES.finditer(self.marks.line(at)):
                opened = not mark[1]
        self.silent = _notes_at(line) if opened else None
        if len(self.notes) > MOST_SHOWN:
            return None
        reason = LEFT_OUT[node.token.type]
        self.notes.append(MarkupNote(line, 1, reason))
        return FaultBox(line, 1, reason)

    def _code(self, node: TokenNode, line: int) -> DocumentBlock:
        text = node.token.content.removesuffix("\n")
        language = node.token.info.split()[0][:40] if node.token.info.split() else ""
        return CodeBlock(line, language.strip("{}."), text)

    def _formula(self, node: TokenNode, line: int) -> DocumentBlock:
        return FormulaBlock(line, node.token.content.strip())

    def _footnotes(self, notes: Sequence[TokenNode]) -> Iterator[tuple[int, Footnote]]:
        """Yield each footnote by its number."""
        for note in notes:
            blocks = tuple(_in_note(block) for block in self.blocks(note.children))
            self.silent = None
            first = blocks[0] if blocks else None
            made = Footnote(first.spans, blocks[1:]) if isinstance(first, Paragraph) else Footnote((), blocks)
            yield int(note.token.meta.get("id", -1)), made

    def _tell_unused(self, node: TokenNode, line: int) -> None:
        """Note, at its line, that nothing refers to a footnote."""
        mark = f"[^{node.token.content}]"
        lines = enumerate(self.marks.text.split("\n"), self.marks.first_line)
        place = next((at for at, text in lines if text.lstrip(" >").startswith(f"{mark}:")), 1)
        self._note(place, 1, f"nothing refers to the footnote {mark[:40]}: it is left out")


def _notes_at(line: int) -> FoundTag:
    """Return the mark of speaker notes opened where sections are not allowed."""
    return FoundTag(line, 1, "{{ notes }}", Tag(NOTES))


def _in_note(block: DocumentBlock) -> DocumentBlock:
    """Return a block for footnotes: headings in it are not in the table of contents."""
    if isinstance(block, DocumentHeading):
        return Paragraph(block.line, (Styled("strong", block.spans),))
    return block


BLOCKS: Mapping[str, Callable[[BlockTree, TokenNode, int], DocumentBlock | None]] = {
    "heading_open": BlockTree._heading,
    "paragraph_open": BlockTree._paragraph,
    "bullet_list_open": BlockTree._listing,
    "ordered_list_open": BlockTree._listing,
    "dl_open": BlockTree._definitions,
    "blockquote_open": lambda tree, node, line: Quotation(line, tree.blocks(node.children)),
    "table_open": BlockTree._table,
    "fence": BlockTree._code,
    "code_block": BlockTree._code,
    "hr": lambda tree, node, line: Divider(line),
    "math_block": BlockTree._formula,
    "math_block_label": BlockTree._formula,
    "unused_note": BlockTree._tell_unused,
    **dict.fromkeys(LEFT_OUT, BlockTree._left_out),
}


ENDINGS = re.compile(r"\r\n?|[\u2028\u2029\x0b\x0c\x85]")
LONGEST_TEXT = 2 * 1024 * 1024
MOST_LINES = 100_000
TOO_MANY_LINES = f"a document has at most {MOST_LINES:,} lines: the rest is left out"
MOST_OF_SECTIONS = f"{MOST_TAGS:,} sections, of {LONGEST_TAGS // 1024} KiB together"
TOO_MANY_SECTIONS = f"a document has at most {MOST_OF_SECTIONS}: from this line on they are shown as text"


def read_document(text: str, steps: int = MOST_STEPS) -> Document:
    """Parse a document. Every text is valid; errors are noted and shown as notes.

    The number of steps is limited, to about two seconds. A longer text is cut at a block, or its marks are
    shown as text from a line on, and a note says so.
    """
    text = ENDINGS.sub("\n", text)
    notes: list[MarkupNote] = []
    if len(text) > LONGEST_TEXT:
        reason = f"a document has at most {LONGEST_TEXT:,} characters"
        sheet = DocumentSheet(1, blocks=(FaultBox(1, 1, reason),))
        return Document((), (sheet,), (MarkupNote(1, 1, reason),))
    kept = "\n".join(text.split("\n", MOST_LINES)[:MOST_LINES])
    matter = front_matter(UNWRITABLE.sub("\ufffd", kept.removeprefix("\ufeff")), notes)
    marks = SectionMarks(matter.rest, matter.line)
    mathematics = dict(matter.keys).get("latex", "true").lower() not in ("false", "no", "off")
    tree = BlockTree(marks, read_tokens(marks, mathematics=mathematics, steps=steps), notes)
    sheets = tree.sheets()
    if marks.stopped:
        sheets = _add_fault(sheets, marks.stopped, TOO_MANY_SECTIONS, notes)
    if len(kept) < len(text):
        sheets = _add_fault(sheets, MOST_LINES, TOO_MANY_LINES, notes)
    keys, lines = dict(matter.keys), kept.split("\n")
    said = keys.get("lang", "") or keys.get("language", "") or language().tag
    sheets = number_figures(sheets, lines, said, notes)
    sheets = live_links(sheets, lines, notes)
    notes += edge_notes(keys, lines)
    found = sorted([*notes, *marks.notes], key=lambda note: (note.line, note.column))
    return Document(matter.keys, sheets, tuple(found[:MOST_NOTES]), next(iter(tree.previews), ()))


def _add_fault(
    sheets: tuple[DocumentSheet, ...], line: int, reason: str, notes: list[MarkupNote]
) -> tuple[DocumentSheet, ...]:
    """Return the pages with a final box about the omitted rest."""
    notes.append(MarkupNote(line, 1, reason))
    last = replace(sheets[-1], blocks=(*sheets[-1].blocks, FaultBox(line, 1, reason)))
    return (*sheets[:-1], last)
