"""Finds sections and folds in a text, and puts each of their marks on a separate line.

Comments are removed. Code is unchanged: in fences, indented, and between backticks. The scan takes one pass.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache

from handlers.render.documents.markup.blocks import MarkupNote
from handlers.render.documents.markup.code_lines import code_lines
from handlers.render.documents.markup.section_grammar import NO_TAG, BadTag, Tag, read_tag
from handlers.render.documents.markup.source.scanned_text import (
    MATHEMATICS,
    PREFIX,
    FoundTag,
    ScannedText,
)

FENCE = re.compile(r"[ \t>]*(?:(?:[-+*]|[0-9]{1,9}[.)])[ \t]+)*(`{3,}|~{3,})")
DISPLAY = re.compile(r"[ \t>]*\$\$(?!\$)")
DOLLARS = "$$"
COMMENT, COMMENT_END = "{{/*", "*/}}"
ISLAND_END = re.compile(r"\{\{\s*/\s*html\s*\}\}", re.IGNORECASE)
TAG_START = re.compile(r"\{\{\s{0,9}/?[A-Za-z]")
SPEAKER_NOTES = re.compile(r"\{\{\s*+(?:/\s*+)?notes\b", re.IGNORECASE)
EMPTY = re.compile("<!--->|<!-->")
"""An empty comment."""
FOLD = re.compile(r"<(/?)(details|summary)(\s[^<>]{0,300})?>", re.IGNORECASE)
PROGRAM = re.compile(r"<(script|style)(?:\s[^<>]{0,2000})?>", re.IGNORECASE)
PROGRAM_END = re.compile(r"</(script|style)\s*>", re.IGNORECASE)
STEP = re.compile(
    r"\\.|(`+)|\$|\{\{|<(?=!--|/?(?:details|summary)[\s>]|(?:script|style)[\s>])|\n",
    re.DOTALL | re.IGNORECASE,
)
NO_COMMENT = "<!-- -->"
"""Placeholder for a comment on separate lines, and the name of its mark."""
PROGRAMS = "a document runs no programs, and its styles are those of config/custom/custom.css"
MOST_TAGS = 5_000
LONGEST_TAGS = 256 * 1024
LONGEST_MARK = 16
SPACE = re.compile(r"[^\S\n]*")
MOST_PIECES = 40
"""Most pieces of a line before a comment that is alone on its line."""

NEW_BLOCK = re.compile(
    r"\n[ \t>]*(?:\n|\{\{|<(?:!--|/?(?:details|summary))|#|`{3}|~{3}|\||[-+*][ \t]|[0-9]{1,9}[.)][ \t]|\Z)"
)
"""Where a line of another block may begin; code between backticks ends there."""
MOST_NOTES = 200


def scan_sections(text: str, first_line: int = 1) -> ScannedText:
    """Find the sections of a text whose first line has that number."""
    return _Scanner(text, first_line).scan()


def without_comments(text: str) -> str:
    """Return Markdown without comments."""
    return _CommentScanner(text, 1).scan().text if "<!--" in text else text


class _Cursor:
    """Reads a text once; finished lines are added to `found`."""

    def __init__(self, text: str, first_line: int) -> None:
        self.text, self.position, self.first_line = text, 0, first_line
        self.starts = [0, *(found.end() for found in re.finditer("\n", text))]
        self.found = ScannedText()
        self.current: list[str] = []
        self.current_number = first_line
        self.known: dict[str, int] = {}
        self.known_block_end = -1

    def place(self, position: int) -> tuple[int, int]:
        """Return line and column of a position."""
        at = bisect_right(self.starts, position) - 1
        return self.first_line + at, position - self.starts[at] + 1

    @property
    def line(self) -> int:
        """The number of the current line."""
        return self.place(self.position)[0]

    @property
    def line_start(self) -> int:
        """The position of the start of the current line."""
        return self.starts[self.line - self.first_line]

    def note(self, reason: str) -> None:
        """Add a note about the current position."""
        if len(self.found.notes) < MOST_NOTES:
            self.found.notes.append(MarkupNote(*self.place(self.position), reason))

    def find(self, sought: str, start: int) -> int:
        """Return the next position of some characters, or -1; the text is searched once for each in all."""
        known = self.known.get(sought)
        if known is None or 0 <= known < start:
            known = self.known[sought] = self.text.find(sought, start)
        return known

    def line_end(self) -> int:
        """Return the end of the line."""
        after = self.line - self.first_line + 1
        return self.starts[after] - 1 if after < len(self.starts) else len(self.text)

    def block_end(self) -> int:
        """Return the end of the paragraph, or an earlier line where another block may begin."""
        if self.known_block_end < self.position:
            found = NEW_BLOCK.search(self.text, self.position)
            self.known_block_end = found.start() if found else len(self.text)
        return self.known_block_end

    def take(self, end: int) -> None:
        """Keep the text up to a position, line by line."""
        first, *others = self.text[self.position : end].split("\n")
        self._keep(first)
        for line in others:
            self.position += 1
            self.end_line()
            self._keep(line)

    def _keep(self, part: str) -> None:
        """Keep a part of a line, at the current position."""
        if part:
            self.current.append(part)
            self.position += len(part)

    def end_line(self) -> None:
        """Add what was kept of a line to the finished lines."""
        self.found.lines.append("".join(self.current))
        self.found.numbers.append(self.current_number)
        self.current.clear()
        self.current_number = self.line


class _Scanner(_Cursor):
    def __init__(self, text: str, first_line: int) -> None:
        super().__init__(text, first_line)
        self.last_island_end = max((end.start() for end in ISLAND_END.finditer(text)), default=-1)
        self.fence = ""
        self.inside = 0
        self.unclosed: dict[str, int] = {}
        self.last_program_ends = {end[1].lower(): end.start() for end in PROGRAM_END.finditer(text)}
        self.code = code_lines(text)
        self.moved_in = -1

    def scan(self) -> ScannedText:
        while self.position < len(self.text):
            opens = not self.current
            if self.position == self.line_start and self._code_line():
                continue
            if not (opens and self._fenced_line()):
                self._piece()
        self.end_line()
        return self.found

    def _code_line(self) -> bool:
        """Take a line of indented code; in a fold, remove the indentation."""
        if not self.fence and self.line - self.first_line in self.code:
            self.take(self.line_end() + 1)
            return True
        if self.moved_in >= 0:
            line = self.text[self.position : self.line_end()]
            space = len(line) - len(line.lstrip())
            self.moved_in = self.moved_in if line.strip() else -1
            if line.strip() and space > self.moved_in + 3:
                self.take(self.position + self.moved_in)
                self.position += space - self.moved_in
        return False

    def _fenced_line(self) -> bool:
        """Take a line that opens, closes or is in fenced code, or in a formula on separate lines."""
        end = self.line_end()
        if self.fence:
            bare = self.text[self.position : end].strip(" \t>")
            long_enough = len(bare) >= len(self.fence) and not bare.strip(self.fence[0])
            if bare.endswith(DOLLARS) if self.fence == DOLLARS else long_enough:
                self.fence = ""
        elif mark := FENCE.match(self.text, self.position):
            if self.text.find("`", mark.end(), end) >= 0:
                return False
            self.fence = mark[1]
        elif (mark := DISPLAY.match(self.text, self.position)) and self.find(DOLLARS, mark.end() + 1) >= 0:
            self.fence = DOLLARS if self.text.find(DOLLARS, mark.end(), end) < 0 else ""
        else:
            return False
        self.take(end + 1)
        return True

    def _piece(self) -> None:
        """Take everything up to the next special character, inclusive."""
        step = STEP.search(self.text, self.position)
        if step is None:
            self.take(len(self.text))
            return
        self.take(step.start())
        if step[1]:
            self._code(step[1])
        elif step[0] == "{{":
            self._section()
        elif step[0] == "<":
            self._html()
        else:
            formula = MATHEMATICS.match(self.text, self.position)
            self.take(formula.end() if formula else step.end())

    def _code(self, mark: str) -> None:
        """Take code between backticks in one paragraph."""
        start, end = self.position + len(mark), self.block_end()
        closing = None
        if len(mark) <= LONGEST_MARK and self.unclosed.get(mark) != end:
            closing = _backticks(len(mark)).search(self.text, start, end)
        if closing is None:
            self.unclosed[mark] = end
        self.take(closing.end() if closing else start)

    def _section(self) -> None:
        start = self.position
        if self.text.startswith(COMMENT, start):
            if (end := self.find(COMMENT_END, start)) >= 0:
                self.position = end + len(COMMENT_END)
            else:
                self.note("this comment is not closed: close it with */}}")
                self.take(start + len(COMMENT))
            return
        end = self.find("}}", start) + 2
        if end < 2 and TAG_START.match(self.text, start):
            self.note("this section is not closed: close it with }}")
        if end < 2 or self._too_many() or self._in_a_row():
            self.take(start + 2)
        elif (inner := self.text.find("{{", start + 2, end)) >= 0:
            self.note("this section is not closed before the next one begins: close it with }}")
            self.take(inner)
        else:
            self._tag(start, end)

    def _html(self) -> None:
        """Skip a comment, a script or a style sheet; put a fold on a separate line."""
        start = self.position
        name, program_end = self._program(start)
        fold = FOLD.match(self.text, start)
        if self.text.startswith("<!--", start):
            self._comment(self._html_comment_end(start))
        elif name:
            self.note(f"<{name}> and what stands in it are left out: {PROGRAMS}")
            self.position = program_end
        elif fold is not None and not self._too_many() and not self._row():
            before = "".join(self.current)
            self.moved_in = len(before) if not before.strip() else 0
            word = "open" if re.search(r"\bopen\b", fold[3] or "", re.IGNORECASE) else ""
            tag = Tag(f"<{fold[2].lower()}>", word, (), bool(fold[1]))
            self._mark(FoundTag(*self.place(start), fold[0], tag), fold.end())
        else:
            self.take(start + 1)

    def _program(self, start: int) -> tuple[str, int]:
        """Return the name and the end of a closed script or style sheet that begins there, or "" and 0."""
        opening = PROGRAM.match(self.text, start)
        name = opening[1].lower() if opening else ""
        if opening is None or self.last_program_ends.get(name, -1) < opening.end():
            return "", 0
        ends = PROGRAM_END.finditer(self.text, opening.end())
        return name, next(end.end() for end in ends if end[1].lower() == name)

    def _html_comment_end(self, start: int) -> int:
        """Return the end of the comment that begins there, -1 if it is not closed."""
        if empty := EMPTY.match(self.text, start):
            return empty.end()
        end = self.find("-->", start + 4)
        return end + 3 if end >= 0 else -1

    def _comment(self, end: int) -> None:
        """Skip a comment; one on separate lines ends the block before it."""
        if end < 0:
            self.note("this comment is not closed, so that all behind it is left out: close it with -->")
            end = len(self.text)
        prefix = PREFIX.match(before := "".join(self.current[:MOST_PIECES]))
        opens = prefix is not None and prefix.end() == len(before) and len(self.current) < MOST_PIECES
        behind = self._space_end(end)
        if opens and self.text[behind : behind + 1] in ("", "\n"):
            self._alone(end)
        else:
            self.position = behind if opens else end

    def _alone(self, end: int) -> None:
        """Replace a comment on separate lines by a mark, because it separates blocks."""
        if not self._too_many():
            self._mark(FoundTag(self.line, 1, NO_COMMENT, Tag(NO_COMMENT)), end)
        else:
            self.position = end

    def _too_many(self) -> bool:
        """Return whether the limit of sections is reached; the first one above it is noted."""
        if len(self.found.tags) < MOST_TAGS and self.inside < LONGEST_TAGS:
            return False
        if not self.found.stopped:
            self.found.stopped = self.line
        return True

    def _in_a_row(self) -> bool:
        """Return whether the line belongs to a table or a heading, which contain no sections except notes."""
        if not self._row() or SPEAKER_NOTES.match(self.text, self.position):
            return False
        self.note("a section cannot be in a table or a heading: put it on a separate line")
        return True

    def _row(self) -> bool:
        before = self.text[self.line_start : min(self.position, self.line_start + 8)].lstrip()
        return before.startswith(("|", "#"))

    def _tag(self, start: int, end: int) -> None:
        line, column = self.place(start)
        inside = self.text[start + 2 : end - 2]
        self.inside += len(inside)
        tag, reason, island = NO_TAG, "", ""
        try:
            tag = read_tag(inside)
        except BadTag as bad:
            reason = str(bad)
            line, column = self.place(start + 2 + bad.offset)
        if tag.name == "html" and not tag.closing and not tag.closed:
            closing = ISLAND_END.search(self.text, end) if end <= self.last_island_end else None
            if closing is None:
                tag, reason = NO_TAG, "the html section is not closed: write {{ /html }} after it"
            else:
                island, end = self.text[end : closing.start()], closing.end()
        self._mark(FoundTag(line, column, self.text[start:end], tag, reason, island), end)

    def _mark(self, tag: FoundTag, end: int) -> None:
        """Put a mark that ends there on a separate line."""
        before = "".join(self.current)
        prefix = PREFIX.match(before)
        if prefix is None or prefix.end() != len(before):
            self.end_line()
        self.found.tags[len(self.found.lines)] = tag
        self.current.append(tag.source.replace("\n", " "))
        self.position = self._space_end(end)
        if self.position < self.line_end():
            self.end_line()

    def _space_end(self, start: int) -> int:
        space = SPACE.match(self.text, start)
        return space.end() if space else start


class _CommentScanner(_Scanner):
    """Removes only comments: there are no sections, and folds and scripts are HTML."""

    def _section(self) -> None:
        self.take(self.position + 2)

    def _html(self) -> None:
        if self.text.startswith("<!--", self.position):
            self._comment(self._html_comment_end(self.position))
        else:
            self.take(self.position + 1)

    def _alone(self, end: int) -> None:
        self.current.append(NO_COMMENT)
        self.position = end


@lru_cache(maxsize=64)
def _backticks(count: int) -> re.Pattern[str]:
    return re.compile(f"(?<!`)`{{{count}}}(?!`)")
