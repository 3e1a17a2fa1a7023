"""A place in a text that is copied line by line: what of it is taken, and what is passed over."""

from __future__ import annotations

import re

from handlers.render.documents.markup.blocks import MarkupNote
from handlers.render.documents.markup.source.scanned_text import ScannedText

NEW_BLOCK = re.compile(
    r"\n[ \t>]*(?:\n|\{\{|<(?:!--|/?(?:details|summary))|#|`{3}|~{3}|\||[-+*][ \t]|[0-9]{1,9}[.)][ \t]|\Z)"
)
"""Where a line of another block may begin, of which code between backticks is no part."""
MOST_NOTES = 200


class TextCursor:
    """Goes through a text once; `found` grows by the lines that were taken."""

    def __init__(self, text: str, first_line: int) -> None:
        self.text, self.position, self.line, self.line_start = text, 0, first_line, 0
        self.found = ScannedText()
        self.current: list[str] = []
        self.current_number = first_line
        self.known: dict[str, int] = {}
        self.known_block_end = -1

    def place(self, position: int) -> tuple[int, int]:
        """Line and column of a position that is not before the current one."""
        between = self.text[self.position : position]
        breaks = between.count("\n")
        start = self.position + between.rfind("\n") + 1 if breaks else self.line_start
        return self.line + breaks, position - start + 1

    def note(self, reason: str) -> None:
        """Tell the writer of what stands here."""
        if len(self.found.notes) >= MOST_NOTES:
            return
        self.found.notes.append(MarkupNote(self.line, self.position - self.line_start + 1, reason))

    def find(self, sought: str, start: int) -> int:
        """The next place of some letters, -1 without; the text is searched once for each in all."""
        known = self.known.get(sought)
        if known is None or 0 <= known < start:
            known = self.known[sought] = self.text.find(sought, start)
        return known

    def line_end(self) -> int:
        """The end of the line."""
        end = self.find("\n", self.position)
        return len(self.text) if end < 0 else end

    def block_end(self) -> int:
        """The end of the paragraph, or before that where another block may begin."""
        if self.known_block_end < self.position:
            found = NEW_BLOCK.search(self.text, self.position)
            self.known_block_end = found.start() if found else len(self.text)
        return self.known_block_end

    def take(self, end: int) -> None:
        """Keep the text up to a position, line by line."""
        end = min(end, len(self.text))
        while (line := self.line_end()) < end:
            self._keep(line)
            self.newline()
        self._keep(end)

    def _keep(self, end: int) -> None:
        if end > self.position:
            self.current.append(self.text[self.position : end])
            self.position = end

    def skip(self, end: int) -> None:
        """Pass over the text up to a position."""
        self.line, column = self.place(end)
        self.position = end
        self.line_start = end - column + 1

    def newline(self) -> None:
        """Pass the end of a line."""
        self.end_line()
        self.position += 1
        self.line += 1
        self.line_start = self.position
        self.current_number = self.line

    def end_line(self) -> None:
        """Put what was taken of a line to the others."""
        self.found.lines.append("".join(self.current))
        self.found.numbers.append(self.current_number)
        self.current.clear()
        self.current_number = self.line
