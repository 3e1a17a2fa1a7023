"""A text whose sections were found: its lines, the sections in it, and positions."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from handlers.render.documents.markup.blocks import MarkupNote
from handlers.render.documents.markup.section_grammar import NO_TAG, Tag
from handlers.render.documents.markup.spans import PlainText, Spans

MATHEMATICS = re.compile(
    r"(?<![0-9\\])\$(?:\$(?P<display>[^$\n]{1,2000})\$\$|(?=[^\s$])(?P<inline>(?:[^$\\\n]|\\.){0,1000})(?<!\s)\$(?![0-9]))"
)
PREFIX = re.compile(r"[ \t>]*(?:(?:[-+*]|[0-9]{1,9}[.)])[ \t]+)*")
"""Anything that may precede a block on its line: marks of quotations and lists."""


@dataclass(frozen=True, slots=True)
class FoundTag:
    """A tag at its place: its source, and its meaning or why it is invalid.

    `island` is the raw text between the marks of an `html` section.
    """

    line: int
    column: int
    source: str
    tag: Tag = NO_TAG
    reason: str = ""
    island: str = ""


@dataclass(slots=True)
class ScannedText:
    """A text with each section on a separate line.

    `numbers` are the original line numbers; `tags` are the sections by the indexes of their lines.
    """

    lines: list[str] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    tags: dict[int, FoundTag] = field(default_factory=dict)
    notes: list[MarkupNote] = field(default_factory=list)
    stopped: int = 0
    """The line of the first section that is ignored because there are too many, or 0."""

    @property
    def text(self) -> str:
        """The lines as one text."""
        return "\n".join(self.lines)

    def number(self, line: int) -> int:
        """Return the original number, from 1, of a line of the text, from 0."""
        return self.numbers[min(line, len(self.numbers) - 1)] if self.numbers else 1


def whole_line(spans: Spans) -> Spans:
    """Return the line without spaces at its ends."""
    if spans and isinstance(spans[0], PlainText):
        text = spans[0].text.lstrip(" \t\n")
        spans = (PlainText(text), *spans[1:]) if text else spans[1:]
    if spans and isinstance(spans[-1], PlainText):
        text = spans[-1].text.rstrip(" \t\n")
        spans = (*spans[:-1], PlainText(text)) if text else spans[:-1]
    return spans
