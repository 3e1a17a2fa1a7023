"""A text whose sections were found: its lines with their numbers, and the sections by the signs in place."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from handlers.render.documents.markup.blocks import MarkupNote
from handlers.render.documents.markup.section_grammar import Tag

OPEN, CLOSE = "\ue000", "\ue001"
SIGN = re.compile(f"{OPEN}([0-9]+){CLOSE}")
MATHEMATICS = re.compile(
    r"(?<![0-9\\])\$(?:\$(?P<display>[^$\n]{1,2000})\$\$|(?=[^\s$])(?P<inline>(?:[^$\\\n]|\\.){0,1000})(?<!\s)\$(?![0-9]))"
)
PREFIX = re.compile(r"[ \t>]*(?:(?:[-+*]|[0-9]{1,9}[.)])[ \t]+)*")
"""Whatever may stand before a block on its line: marks of quotations and lists."""


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
