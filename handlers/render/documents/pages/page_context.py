"""The context of writing a page: medium, parts, rules, notes, and the places of headings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from unicodedata import bidirectional

from handlers.render.documents.looks.box_rules import BoxRules
from handlers.render.documents.looks.custom_css import Swaps
from handlers.render.documents.markup.blocks import Blocks, Document, DocumentHeading
from handlers.render.documents.markup.spans import DATA, words_of
from handlers.render.documents.pages.line_lengths import SLIDE_HEADS, SLIDE_ROOM, balanced_width
from handlers.render.documents.pages.media import Medium, classes, fault_of_picture, picture_size
from handlers.words.document_parts import TOO_LARGE, AssetPart, DocumentParts

MOST_FORMULAS, MOST_PIXELS = 500, 240_000_000
HEADS = {
    ("doc", "title"): (32.0, 425.0, 1.0), ("doc", "subtitle"): (14.0, 396.0, 1.12),
    ("doc", "h1"): (21.0, 380.0, 1.0), ("doc", "h2"): (14.0, 380.0, 1.0),
    ("doc", "stage"): (32.0, 425.0, 1.0),
    ("pres", "title"): (58.0, 800.0, 1.0), ("pres", "subtitle"): (26.0, 680.0, 1.0),
    ("pres", "stage"): (54.0, 720.0, 1.0),
    **{("pres", name): (size, SLIDE_ROOM, 1.0) for _, name, size, _ in SLIDE_HEADS},
}  # fmt: skip
"""Font size and line width in points of headings, and their letters' width relative to the sans font.

The widths are a little smaller than the real ones, so that other programs need no more lines.
"""
ID = "s-"
NO_DATA = "a picture is an asset of the document: put it into assets, and write its name"


@dataclass(slots=True)
class PageContext:
    """The state shared by the writers of a page; `notes` and `endnotes` grow while it is written."""

    document: Document
    kind: str
    medium: Medium
    parts: DocumentParts
    language: str = "en"
    chart_colors: Mapping[str, Swaps] = field(default_factory=dict)
    rules: BoxRules = field(default_factory=BoxRules)
    notes: list[str] = field(default_factory=list)
    endnotes: list[str] = field(default_factory=list)
    formulas: int = 0
    line: int = 0
    """The line of the block that is being written."""
    write_blocks: Callable[[Blocks], str] = lambda blocks: ""
    """Writes the blocks of a footnote."""
    long_notes: list[str] = field(default_factory=list)
    """Footnotes too long for the foot of a page, shown after the block that refers to them."""
    lettered: int = 0
    pixels: dict[str, int] = field(default_factory=dict)
    anchors: dict[tuple[int, str], DocumentHeading] = field(default_factory=dict)

    is_leftward: bool = field(init=False)
    """Whether the document runs from right to left."""
    leftward: bool = field(init=False)
    """Whether the current element is inside one that runs from right to left."""

    def __post_init__(self) -> None:
        self.is_leftward = self.leftward = is_right_to_left(self.language)
        for heading in self.document.headings():
            self.anchors.setdefault((heading.level, squeeze(words_of(heading.spans))), heading)

    def heading(self, level: int, words: str) -> DocumentHeading | None:
        """Return the first heading with that level and words, ignoring case and spaces."""
        return self.anchors.get((level, squeeze(words)))

    def side(self, words: str) -> str:
        """Return the attribute for words that run against the direction around them.

        Browsers detect the direction of text in editors; programs of paper and mails do not.
        """
        leftward = runs_leftward(words)
        if leftward is None or leftward == self.is_leftward == self.leftward:
            return ""
        return ' dir="auto"' if self.medium.interactive else f' dir="{"rtl" if leftward else "ltr"}"'

    @contextmanager
    def within(self, words: str) -> Iterator[str]:
        """Write inside an element with these words; yield its attribute for the direction."""
        around, side = self.leftward, self.side(words)
        self.leftward = bool(runs_leftward(words)) if side else around
        yield side
        self.leftward = around

    def balance_class(self, place: str, words: str, *names: str) -> str:
        """Return the class that balances a heading's lines on paper; browsers balance lines themselves."""
        size, room, wider = HEADS.get((self.sheet_kind, place), (0.0, 0.0, 1.0))
        em = balanced_width(words, size * wider, room) if size and self.medium.paged else 0
        rule = self.rules.name(f"--fit:{em * wider:.2f}em" if em else "")
        return classes(*names, rule)

    @property
    def sheet_kind(self) -> str:
        """The kind whose style sheet is used; on paper, all kinds but `pres` use that of `doc`."""
        if not self.medium.paged:
            return "slides" if self.kind == "pres" else "web"
        return "pres" if self.kind == "pres" else "doc"

    def note(self, line: int, reason: str) -> None:
        """Add a note for the author."""
        self.notes.append(f"line {line}: {reason}")

    def asset(self, ref: str) -> AssetPart | str:
        """Return a picture, or why it cannot be shown."""
        part = self.parts.assets.get(ref)
        if ref == DATA:
            return NO_DATA
        if part is None:
            return self.parts.reasons.get(ref, "there is no such asset")
        fault = fault_of_picture(part) or self._too_many_pixels(ref, part)
        return fault or (part if self.medium.takes(part) else TOO_LARGE)

    def _too_many_pixels(self, ref: str, part: AssetPart) -> str:
        """Return why another picture is not shown, or ""; the memory for decompressed pictures is limited."""
        if ref not in self.pixels:
            width, height = picture_size(part)
            if sum(self.pixels.values()) + width * height > MOST_PIXELS:
                return f"its pictures have at most {MOST_PIXELS // 1_000_000} million pixels together"
            self.pixels[ref] = width * height
        return ""


def squeeze(words: str) -> str:
    """Return words in lower case, without spaces and without the options in braces at their end."""
    return re.sub(r"\s+", "", re.sub(r"\{[^{}]*\}\s*$", "", words)).lower()


RIGHT_TO_LEFT = ("ar", "fa", "he", "ur", "yi", "ps", "sd", "dv")
LABELS = {"info": "Note", "success": "Checked", "warning": "Careful", "error": "Error"}
"""Labels of callouts without a title, so that their tone is shown not only by a colour."""


def is_right_to_left(language: str) -> bool:
    """Return whether a language is written from right to left."""
    return language.lower().partition("-")[0] in RIGHT_TO_LEFT


def runs_leftward(words: str) -> bool | None:
    """Return whether words run from right to left, by their first letter; None without a letter."""
    kinds = ("L" if sign.isascii() else bidirectional(sign) for sign in words if sign.isalpha())
    first = next((kind for kind in kinds if kind in ("L", "R", "AL")), None)
    return None if first is None else first != "L"
