"""Sections, folds and comments as rules of Markdown: at the start of a block, or within a paragraph.

A mark ends the paragraph that it is in, and the rest of its last line begins another block. There are no
marks in code, formulas and everything else that Markdown parses first.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

from handlers.render.documents.markup.blocks import MarkupNote
from handlers.render.documents.markup.inline_rules import MATHEMATICS, PROGRAM, PROGRAM_ENDS, program_end
from handlers.render.documents.markup.section_grammar import NO_TAG, BadTag, FoundTag, Tag, read_tag

COMMENT, COMMENT_END = "{{/*", "*/}}"
ISLAND_END = re.compile(r"\{\{\s*/\s*html\s*\}\}", re.IGNORECASE)
TAG_START = re.compile(r"\{\{\s{0,9}/?[A-Za-z]")
NOTES_END = re.compile(r"\{\{\s*+/\s*+notes\s*+\}\}", re.IGNORECASE)
SPEAKER_NOTES = re.compile(r"\{\{\s*+(/?)\s*+notes\b", re.IGNORECASE)
EMPTY = re.compile("<!--->|<!-->")
"""An empty comment."""
FOLD = re.compile(r"<(/?)(details|summary)(\s[^<>]{0,300})?>", re.IGNORECASE)
OPEN = re.compile(r"\bopen\b", re.IGNORECASE)
PROGRAMS = "a document runs no programs, and its styles are those of config/custom/custom.css"
STEP = re.compile(
    r"\\.|(`+)|\$|\{\{|<(?=!--|/?(?:details|summary)[\s>]|(?:script|style)[\s>])", re.IGNORECASE
)
"""The start of a mark in a paragraph, or of code and formulas, which have no marks."""
NEW_BLOCK = re.compile(
    r"\n[ \t>]*(?:\n|\{\{|<(?:!--|/?(?:details|summary))|#|`{3}|~{3}|\||[-+*][ \t]|[0-9]{1,9}[.)][ \t]|\Z)"
)
"""A line that may begin another block; code between backticks ends before it."""
LEFT_OUT = re.compile(r"<!--|\{\{/\*|<(?:script|style)\b", re.IGNORECASE)
SPACE = re.compile(r"[^\S\n]*")
MOST_TAGS = 5_000
LONGEST_TAGS = 256 * 1024
LONGEST_MARK = 16
MOST_NOTES = 200


class SectionMark(NamedTuple):
    """A mark that ends at a position; without a tag it is only left out."""

    end: int
    tag: FoundTag | None = None


class SectionMarks:
    """The marks of a text, parsed by their positions; each error is noted once.

    With `comments`, only HTML comments are marks. `skipped` is the end of the last mark that is longer than
    its container. `stopped` is the line of the first section above the limit, or 0. `last_left_out` is the
    start of the last comment or script, or -1.
    """

    def __init__(self, text: str, first_line: int = 1, *, comments: bool = False) -> None:
        self.text, self.first_line, self.comments = text, first_line, comments
        self.notes: dict[MarkupNote, None] = {}
        self.tags: dict[FoundTag, int] = {}
        self.skipped = self.stopped = 0
        self._starts = [0, *(found.end() for found in re.finditer("\n", text))]
        self._found: dict[str, tuple[int, int]] = {}
        self._unclosed: dict[str, int] = {}
        self._last: tuple[int, SectionMark | None] = (-1, None)
        self._inside = 0
        self._block = (0, -1)
        self._island_end = max((end.start() for end in ISLAND_END.finditer(text)), default=-1)
        self.last_left_out = max((mark.start() for mark in LEFT_OUT.finditer(text)), default=-1)
        self._program_ends = {
            name: max((end.start() for end in ends.finditer(text)), default=-1)
            for name, ends in PROGRAM_ENDS.items()
        }

    def read(self, start: int) -> SectionMark | None:
        """Return the mark that begins at a position."""
        if self._last[0] != start:
            self._last = start, self._read(start)
        return self._last[1]

    def admit(self, tag: FoundTag, line: int) -> None:
        """Store a tag and its line, counted from 0."""
        self.tags[tag] = line
        self._inside += len(tag.source)

    def place(self, position: int) -> tuple[int, int]:
        """Return the line and column of a position."""
        at = bisect_right(self._starts, position) - 1
        return self.first_line + at, position - self._starts[at] + 1

    def line(self, number: int) -> str:
        """Return a line of the text by its number, counted from 0."""
        return self.text[self._starts[number] : self._end_of(number)]

    def code_end(self, start: int, mark: str) -> int:
        """Return the end of the inline code that backticks open, or their own end if it is not closed."""
        begin, end = start + len(mark), self.block_end(start)
        closing = None
        if len(mark) <= LONGEST_MARK and self._unclosed.get(mark) != end:
            closing = re.compile(f"(?<!`){mark}(?!`)").search(self.text, begin, end)
        if closing is None:
            self._unclosed[mark] = end
        return closing.end() if closing else begin

    def block_end(self, position: int) -> int:
        """Return the end of the paragraph, or an earlier line where another block may begin."""
        begin, end = self._block
        if not begin <= position <= end:
            found = NEW_BLOCK.search(self.text, position)
            self._block = position, found.start() if found else len(self.text)
        return self._block[1]

    def ends_line(self, position: int) -> bool:
        """Return whether the rest of the line has only spaces."""
        position = self.after_space(position)
        return self.text[position : position + 1] in ("", "\n")

    def after_space(self, position: int) -> int:
        """Return the position after any spaces."""
        space = SPACE.match(self.text, position)
        return space.end() if space else position

    def _end_of(self, number: int) -> int:
        return self._starts[number + 1] - 1 if number + 1 < len(self._starts) else len(self.text)

    def _note(self, position: int, reason: str) -> None:
        if len(self.notes) < MOST_NOTES:
            self.notes[MarkupNote(*self.place(position), reason)] = None

    def _find(self, sought: str, start: int) -> int:
        """Return the next position of a text, or -1; the result is kept, so that time stays linear."""
        begin, found = self._found.get(sought, (1, 0))
        if not begin <= start <= (found if found >= 0 else start):
            begin, found = start, self.text.find(sought, start)
            self._found[sought] = begin, found
        return found

    def _read(self, start: int) -> SectionMark | None:
        text = self.text
        if text.startswith("<!--", start):
            return self._comment(start)
        if self.comments:
            return None
        if text.startswith(COMMENT, start):
            end = self._find(COMMENT_END, start)
            if end < 0:
                self._note(start, "this comment is not closed: close it with */}}")
            return SectionMark(end + len(COMMENT_END)) if end >= 0 else None
        return self._section(start) if text.startswith("{{", start) else self._html(start)

    def _comment(self, start: int) -> SectionMark:
        """Return a comment; if it is not closed, it contains the rest of the text."""
        if empty := EMPTY.match(self.text, start):
            return SectionMark(empty.end())
        end = self._find("-->", start + 4)
        if end < 0:
            reason = "this comment is not closed, so that the rest of the text is left out: close it with -->"
            self._note(start, reason)
        return SectionMark(end + 3 if end >= 0 else len(self.text))

    def _html(self, start: int) -> SectionMark | None:
        """Return the mark of a fold, or a script or style sheet if it is closed."""
        if fold := FOLD.match(self.text, start):
            word = "open" if OPEN.search(fold[3] or "") else ""
            tag = Tag(f"<{fold[2].lower()}>", word, (), bool(fold[1]))
            found = FoundTag(*self.place(start), fold[0], tag)
            return None if self._too_many(start) else SectionMark(fold.end(), found)
        opening = PROGRAM.match(self.text, start)
        name = opening[1].lower() if opening else ""
        if opening is None or self._program_ends[name] < opening.end():
            return None
        self._note(start, f"<{name}> and its content are left out: {PROGRAMS}")
        return SectionMark(program_end(self.text, start, len(self.text)))

    def _section(self, start: int) -> SectionMark | None:
        end = self._find("}}", start) + 2
        if end < 2:
            if TAG_START.match(self.text, start):
                self._note(start, "this section is not closed: close it with }}")
            return None
        if self._too_many(start):
            return None
        if self._find("{{", start + 2) in range(start + 2, end):
            self._note(start, "this section is not closed before the next one begins: close it with }}")
            return None
        return self._tag(start, end)

    def _too_many(self, start: int) -> bool:
        """Return whether the limit of sections is reached; store the line of the first one above it."""
        if len(self.tags) < MOST_TAGS and self._inside < LONGEST_TAGS:
            return False
        self.stopped = self.stopped or self.place(start)[0]
        return True

    def _tag(self, start: int, end: int) -> SectionMark:
        line, column = self.place(start)
        tag, reason, island = NO_TAG, "", ""
        try:
            tag = read_tag(self.text[start + 2 : end - 2])
        except BadTag as bad:
            reason = str(bad)
            line, column = self.place(start + 2 + bad.offset)
        if tag.name == "html" and not tag.closing and not tag.closed:
            closing = ISLAND_END.search(self.text, end) if end <= self._island_end else None
            if closing is None:
                tag, reason = NO_TAG, "the html section is not closed: write {{ /html }} after it"
            else:
                island, end = self.text[end : closing.start()], closing.end()
        return SectionMark(end, FoundTag(line, column, self.text[start:end], tag, reason, island))


class ParagraphWords:
    """The marks in a paragraph, line by line, outside of code and formulas."""

    def __init__(self, state: StateBlock) -> None:
        self._state, self._at = state, 0
        self._marks: SectionMarks = state.env["marks"]

    def mark_in(self, line: int) -> int:
        """Return the position of the first mark on a line that ends the paragraph, or -1."""
        for start, mark in self.marks_in(line):
            alone = start == first_of(self._state, line) and self._marks.ends_line(mark.end)
            if mark.tag or alone or mark.end > self._marks.block_end(start):
                return start
        return -1

    def marks_in(self, line: int) -> Iterator[tuple[int, SectionMark]]:
        """Yield the marks of a line, each with its position."""
        marks, state = self._marks, self._state
        self._at = max(self._at, first_of(state, line))
        end = state.eMarks[line]
        while self._at < end and (step := STEP.search(state.src, self._at, end)):
            start, self._at = step.start(), step.end()
            if step[1]:
                self._at = marks.code_end(start, step[1])
            elif step[0] == "$":
                formula = MATHEMATICS.match(state.src, start)
                self._at = formula.end() if formula else self._at
            elif step[0][0] != "\\" and (mark := marks.read(start)):
                self._at = mark.end
                yield start, mark


def first_of(state: StateBlock, line: int) -> int:
    """Return the position of the first character of a line after its indentation."""
    return state.bMarks[line] + state.tShift[line]


def begin_at(state: StateBlock, line: int, position: int) -> None:
    """Move the start of a line to a position; it stays in the current container unless indented less."""
    state.bMarks[line], state.tShift[line] = position, 0
    if not 0 <= state.sCount[line] <= state.blkIndent:
        state.sCount[line] = state.blkIndent


def parse_mark(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    """Parse the mark at the start of a block; a comment ends other blocks only if no text follows it."""
    marks: SectionMarks = state.env["marks"]
    start = first_of(state, line)
    mark: SectionMark | None = SectionMark(marks.skipped)
    if start >= marks.skipped:
        is_mark = state.src[start : start + 1] in ("{", "<") and not state.is_code_block(line)
        mark = marks.read(start) if is_mark else None
    if mark is None:
        _leave_out(state, line)
    if mark is None or silent:
        return mark is not None and (mark.tag is not None or marks.ends_line(mark.end))
    indent = state.sCount[line]
    if mark.tag:
        marks.admit(mark.tag, line)
        token = state.push("mark", "", 0)
        token.meta["tag"], token.map = mark.tag, [line, line + 1]
    _go_on(state, line, mark.end)
    _move_out(state, indent, is_fold=mark.tag is not None and mark.tag.source[0] == "<")
    return True


def _go_on(state: StateBlock, line: int, position: int) -> None:
    """Continue with a block at a position, or after the container if that ends before."""
    marks: SectionMarks = state.env["marks"]
    position = marks.after_space(position)
    while line < state.lineMax and state.eMarks[line] < position:
        line += 1
    if line == state.lineMax:
        marks.skipped = position
    elif position == state.eMarks[line]:
        line += 1
    else:
        begin_at(state, line, position)
    state.line = line


def _leave_out(state: StateBlock, line: int) -> None:
    """Empty the lines of a comment or a script that begins in a heading, a table row or HTML."""
    start, end = first_of(state, line), state.eMarks[line]
    marks: SectionMarks = state.env["marks"]
    is_html = marks.comments and state.src.startswith("<", start)
    is_row = state.src.startswith("#", start) or state.src.find("|", start, end) >= 0
    if not (is_row or is_html) or marks.last_left_out < start or state.is_code_block(line):
        return
    words = ParagraphWords(state)
    while line < state.lineMax and not state.isEmpty(line):
        for begin, mark in words.marks_in(line):
            if mark.tag is None and mark.end > state.eMarks[line]:
                # Joined lines include the character after each line, which is usually the line feed.
                state.eMarks[line] = begin - is_html
                _empty(state, line + 1, marks.after_space(mark.end))
                return
        if not is_html:
            return
        line += 1


def _empty(state: StateBlock, line: int, end: int) -> None:
    """Empty the lines up to a position, where the next block begins."""
    while line < state.lineMax and state.eMarks[line] < end:
        begin_at(state, line, state.eMarks[line])
        line += 1
    if line < state.lineMax:
        begin_at(state, line, end)
    else:
        state.env["marks"].skipped = end


def _move_out(state: StateBlock, indent: int, *, is_fold: bool) -> None:
    """Reduce the indentation of a mark, or of all lines in a fold, so that they do not become code."""
    line = state.line
    while line < state.lineMax and not state.isEmpty(line):
        if state.sCount[line] - indent > 3 and (is_fold or state.src[first_of(state, line)] in "{<"):
            state.sCount[line] = indent
        elif not is_fold:
            break
        line += 1


def parse_stray(state: StateInline, silent: bool) -> bool:
    """Parse a section in a table, a heading or a term, where it is not allowed; leave out speaker notes."""
    start, text, most = state.pos, state.src, state.posMax
    if not text.startswith("{{", start):
        return False
    if text.startswith(COMMENT, start):
        end = text.find(COMMENT_END, start, most) + len(COMMENT_END)
        state.pos = end if end >= len(COMMENT_END) else state.pos
        return state.pos > start
    end = text.find("}}", start, most) + 2
    if not state.env.get("is_row") or end < 2 or not TAG_START.match(text, start, end):
        return False
    notes = SPEAKER_NOTES.match(text, start, end)
    opens = notes is not None and not notes[1]
    if opens:
        closing = NOTES_END.search(text, end, most)
        end, opens = (closing.end(), False) if closing else (most, True)
    if not silent:
        token = state.push("stray_mark", "", 0)
        token.content, token.meta = text[start:end], {"notes": notes is not None, "open": opens}
    state.pos = end
    return True
