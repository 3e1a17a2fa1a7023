"""Sections found in a text: their marks give place to a sign on a line of its own, comments to nothing.

Fenced code and code between backticks on one line are left as they are. The scan takes one pass.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from handlers.render.documents.markup.blocks import MarkupNote
from handlers.render.documents.markup.section_grammar import BadTag, Tag, read_tag

OPEN, CLOSE = "\ue000", "\ue001"
SIGN = re.compile(f"{OPEN}([0-9]+){CLOSE}")
FENCE = re.compile(r"[ \t>]*(?:(?:[-+*]|[0-9]{1,9}[.)])[ \t]+)*(`{3,}|~{3,})")
PREFIX = re.compile(r"[ \t>]*(?:(?:[-+*]|[0-9]{1,9}[.)])[ \t]+)*")
DISPLAY = re.compile(r"[ \t>]*\$\$(?!\$)")
MATHEMATICS = re.compile(
    r"(?<![0-9\\])\$(?:\$(?P<display>[^$\n]{1,2000})\$\$|(?=[^\s$])(?P<inline>(?:[^$\\\n]|\\.){0,1000})(?<!\s)\$(?![0-9]))"
)
DOLLARS = "$$"
COMMENT, COMMENT_END = "{{/*", "*/}}"
ISLAND_END = re.compile(r"\{\{\s*/\s*html\s*\}\}", re.IGNORECASE)
TAG_START = re.compile(r"\{\{\s{0,9}/?[A-Za-z]")
STEP = re.compile(r"\\.|(`+)|\$|\{\{|\n", re.DOTALL)
MOST_TAGS = 5_000
LONGEST_TAGS = 256 * 1024
MOST_NOTES = 200
LONGEST_MARK = 16


@dataclass(frozen=True, slots=True)
class FoundTag:
    """A tag at its place: its source, and the tag or the reason why it is none.

    `island` is the raw text between the marks of an `html` section.
    """

    line: int
    column: int
    source: str
    tag: Tag | None = None
    reason: str = ""
    island: str = ""


@dataclass(slots=True)
class ScannedText:
    """A text without sections, the number of each of its lines in the original, and the sections."""

    lines: list[str] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    tags: list[FoundTag] = field(default_factory=list)
    notes: list[MarkupNote] = field(default_factory=list)
    stopped: int = 0
    """The line of the first section that is not read because there are too many, or 0."""

    @property
    def text(self) -> str:
        """The lines as one text."""
        return "\n".join(self.lines)

    def number(self, line: int) -> int:
        """The number in the original, from 1, of a line of the text, from 0."""
        return self.numbers[min(line, len(self.numbers) - 1)] if self.numbers else 1

    def restore(self, text: str) -> str:
        """A text with its signs turned back into what was written."""
        return SIGN.sub(self._source, text)

    def _source(self, sign: re.Match[str]) -> str:
        number = int(sign[1][:6])
        return self.tags[number].source if number < len(self.tags) else sign[1]


def scan_sections(text: str, first_line: int = 1) -> ScannedText:
    """Find the sections of a text whose first line has that number."""
    return _Scanner(text.replace(OPEN, "\ufffd").replace(CLOSE, "\ufffd"), first_line).scan()


class _Scanner:
    def __init__(self, text: str, first_line: int) -> None:
        self.text, self.position, self.line, self.line_start = text, 0, first_line, 0
        self.found = ScannedText()
        self.current: list[str] = []
        self.current_number = first_line
        self.last_end = text.rfind("}}")
        self.last_comment_end = text.rfind(COMMENT_END)
        self.last_island_end = max((end.start() for end in ISLAND_END.finditer(text)), default=-1)
        self.last_display = text.rfind(DOLLARS)
        self.fence = ""
        self.known_end = -1
        self.inside = 0
        self.unclosed: dict[str, int] = {}

    def scan(self) -> ScannedText:
        while self.position < len(self.text):
            at_start = self.position == self.line_start
            if at_start and self._fenced_line():
                continue
            self._piece()
        self._end_line()
        return self.found

    def _fenced_line(self) -> bool:
        """Take a line that opens, closes or lies in fenced code."""
        mark = FENCE.match(self.text, self.position)
        end = self._line_end()
        if not self.fence and mark is None:
            return self._display_line(end)
        if self.fence == DOLLARS:
            return self._display_line(end)
        if self.fence:
            bare = self.text[self.position : end].strip(" \t>")
            if bare and bare == self.fence[0] * len(bare) and len(bare) >= len(self.fence):
                self.fence = ""
        elif mark is not None and "`" not in self.text[mark.end() : end]:
            self.fence = mark[1]
        else:
            return False
        self._take_line(end)
        return True

    def _display_line(self, end: int) -> bool:
        """Take a line that opens, closes or lies in a formula on lines of its own."""
        line = self.text[self.position : end]
        if self.fence:
            self.fence = "" if line.rstrip().endswith(DOLLARS) else self.fence
        elif (opening := DISPLAY.match(line)) is None or self.last_display <= self.position + opening.end():
            return False
        elif DOLLARS not in line[opening.end() :]:
            self.fence = DOLLARS
        self._take_line(end)
        return True

    def _take_line(self, end: int) -> None:
        self._take(end)
        if self.position < len(self.text):
            self._newline()

    def _piece(self) -> None:
        """Take everything up to and with the next sign of something."""
        step = STEP.search(self.text, self.position)
        if step is None:
            self._take(len(self.text))
            return
        self._take(step.start())
        if step[0] == "\n":
            self._newline()
        elif step[1]:
            self._code(step[1])
        elif step[0] == "{{":
            self._section()
        elif step[0] == "$":
            formula = MATHEMATICS.match(self.text, self.position)
            self._take(formula.end() if formula else step.end())
        elif step[0].endswith("\n"):
            self._take(step.start() + 1)
        else:
            self._take(step.end())

    def _code(self, mark: str) -> None:
        """Take code between backticks of one line."""
        start, end = self.position + len(mark), self._line_end()
        closing = None
        if len(mark) <= LONGEST_MARK and self.unclosed.get(mark) != end:
            closing = _backticks(len(mark)).search(self.text, start, end)
        if closing is None:
            self.unclosed[mark] = end
        self._take(closing.end() if closing else start)

    def _section(self) -> None:
        start = self.position
        if self.text.startswith(COMMENT, start):
            if self.last_comment_end <= start:
                self._note("this comment is not closed: close it with */}}")
                self._take(start + len(COMMENT))
                return
            self._skip(self.text.index(COMMENT_END, start) + len(COMMENT_END))
            return
        if start > self.last_end and TAG_START.match(self.text, start):
            self._note("this section is not closed: close it with }}")
        if start > self.last_end or self._too_many() or self._in_a_row():
            self._take(start + 2)
            return
        end = self.text.index("}}", start) + 2
        inner = self.text.find("{{", start + 2, end)
        if inner >= 0:
            self._note("this section is not closed before the next one begins: close it with }}")
            self._take(inner)
            return
        self._tag(start, end)

    def _too_many(self) -> bool:
        """Whether as many sections are found as are read; the first that is not is noted."""
        if len(self.found.tags) < MOST_TAGS and self.inside < LONGEST_TAGS:
            return False
        if not self.found.stopped:
            self.found.stopped = self.line
        return True

    def _in_a_row(self) -> bool:
        """Whether the line is one of a table or a heading, of which a section cannot be a part."""
        before = self.text[self.line_start : min(self.position, self.line_start + 8)].lstrip()
        if not before.startswith(("|", "#")):
            return False
        self._note("a section cannot stand in a table or a heading: give it a line of its own")
        return True

    def _tag(self, start: int, end: int) -> None:
        line, column = self.line, start - self.line_start + 1
        inside = self.text[start + 2 : end - 2]
        self.inside += len(inside)
        tag, reason, island = None, "", ""
        try:
            tag = read_tag(inside)
        except BadTag as bad:
            reason = str(bad)
            line, column = self._place(start + 2 + bad.offset)
        if tag is not None and tag.name == "html" and not tag.closing and not tag.closed:
            closing = ISLAND_END.search(self.text, end) if end <= self.last_island_end else None
            if closing is None:
                tag, reason = None, "the html section is not closed: write {{ /html }} after it"
            else:
                island, end = self.text[end : closing.start()], closing.end()
        source = self.text[start:end]
        self.found.tags.append(FoundTag(line, column, source, tag, reason, island))
        self._sign(end)

    def _sign(self, end: int) -> None:
        """Put a sign in place of the section, on a line of its own."""
        before = "".join(self.current)
        prefix = PREFIX.match(before)
        if prefix is None or prefix.end() != len(before):
            self._end_line()
        self.current.append(f"{OPEN}{len(self.found.tags) - 1}{CLOSE}")
        self._skip(end)
        rest = self.text[self.position : self._line_end()]
        if rest.strip():
            self._end_line()
            self._skip(self.position + len(rest) - len(rest.lstrip()))
        else:
            self._skip(self.position + len(rest))

    def _place(self, position: int) -> tuple[int, int]:
        """Line and column of a position that is not before the current one."""
        between = self.text[self.position : position]
        breaks = between.count("\n")
        start = self.position + between.rfind("\n") + 1 if breaks else self.line_start
        return self.line + breaks, position - start + 1

    def _note(self, reason: str) -> None:
        if len(self.found.notes) >= MOST_NOTES:
            return
        self.found.notes.append(MarkupNote(self.line, self.position - self.line_start + 1, reason))

    def _line_end(self) -> int:
        if self.known_end < self.position:
            end = self.text.find("\n", self.position)
            self.known_end = len(self.text) if end < 0 else end
        return self.known_end

    def _take(self, end: int) -> None:
        """Keep the text up to a position of the same line."""
        self.current.append(self.text[self.position : end])
        self.position = end

    def _skip(self, end: int) -> None:
        """Pass over the text up to a position."""
        self.line, column = self._place(end)
        self.position = end
        self.line_start = end - column + 1

    def _newline(self) -> None:
        self._end_line()
        self.position += 1
        self.line += 1
        self.line_start = self.position
        self.current_number = self.line

    def _end_line(self) -> None:
        self.found.lines.append("".join(self.current))
        self.found.numbers.append(self.current_number)
        self.current.clear()
        self.current_number = self.line


@lru_cache(maxsize=64)
def _backticks(count: int) -> re.Pattern[str]:
    return re.compile(f"(?<!`)`{{{count}}}(?!`)")
