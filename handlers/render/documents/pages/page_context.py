"""The context of a page that is written: medium, parts, rules, notes, and where headings stand."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from handlers.render.documents.markup.blocks import Document, DocumentHeading
from handlers.render.documents.markup.spans import words_of
from handlers.render.documents.pages.asset_check import fault_of_picture
from handlers.render.documents.pages.box_rules import BoxRules
from handlers.render.documents.pages.media import Medium
from handlers.render.documents.pages.part_models import AssetPart, DocumentParts

MOST_FORMULAS = 500
ID = "s-"


@dataclass(slots=True)
class PageContext:
    """Everything that the writers of a page share; `notes` and `endnotes` grow while it is written."""

    document: Document
    kind: str
    medium: Medium
    parts: DocumentParts
    rules: BoxRules = field(default_factory=BoxRules)
    notes: list[str] = field(default_factory=list)
    endnotes: list[str] = field(default_factory=list)
    formulas: int = 0
    anchors: dict[tuple[int, str], DocumentHeading] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for heading in self.document.headings():
            self.anchors.setdefault((heading.level, squeeze(words_of(heading.spans))), heading)

    def heading(self, level: int, words: str) -> DocumentHeading | None:
        """The first heading with that level and those words, whatever their case and spaces."""
        return self.anchors.get((level, squeeze(words)))

    def note(self, line: int, reason: str) -> None:
        """Tell the writer."""
        self.notes.append(f"line {line}: {reason}")

    def asset(self, ref: str) -> AssetPart | str:
        """A picture, or the reason why it cannot be shown."""
        part = self.parts.assets.get(ref)
        if part is None:
            return self.missing(ref, "there is no such asset")
        return fault_of_picture(part) or part

    def missing(self, ref: str, otherwise: str) -> str:
        """The reason why something cannot be shown."""
        return self.parts.reasons.get(ref, otherwise)


def squeeze(words: str) -> str:
    """Words in small letters, without spaces and without the braces at their end."""
    return re.sub(r"\s+", "", re.sub(r"\{[^{}]*\}\s*$", "", words)).lower()
