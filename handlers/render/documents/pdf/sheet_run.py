"""Sheets of a document that are laid out together, in their place, and printed each by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import pairwise
from typing import Any

from handlers.render.documents.pages.document_html import PageHtml
from handlers.render.documents.pages.part_models import AssetPart
from handlers.render.documents.pages.themes import quote
from handlers.render.documents.pdf.printed_sheet import PrintedSheet, describe_pages, draw_pages
from handlers.render.documents.pdf.sheet_text import SheetText
from handlers.render.documents.pdf.typesetter import ReadRules, lay_out, library_notes

CLASS = re.compile(r"\bx[0-9a-f]{8}\b")
TURN = "turn"
"""The class of what stands on the page before."""


@dataclass(frozen=True, slots=True)
class SheetPlace:
    """The place of a sheet: pages and footnotes before it, and the running texts of the page before."""

    start: int = 0
    footnotes: int = 0
    strings: tuple[tuple[str, str], ...] = ()

    def after(self, sheet: SheetText, printed: PrintedSheet) -> SheetPlace:
        """The place behind a sheet that stands here."""
        return SheetPlace(
            self.start + printed.pages, self.footnotes + sheet.footnotes, tuple(printed.strings)
        )


@dataclass(frozen=True, slots=True)
class Placing:
    """Everything that places sheets in a document.

    `names` are those of all places, `numbers` the pages of those that are known.
    """

    page: PageHtml
    files: Mapping[str, AssetPart]
    rules: ReadRules
    common: bytes
    """SHA-256 of the rules."""
    names: frozenset[str]
    numbers: Mapping[str, int] = field(default_factory=dict)

    def is_complete(self, sheet: SheetText, more: Mapping[str, int] | None = None) -> bool:
        """Whether all numbers that a sheet shows are known."""
        known = {**self.numbers, **(more or {})}
        return all(name in known for name in sheet.shown_numbers if name in self.names)

    def key(self, sheet: SheetText, place: SheetPlace, more: Mapping[str, int] | None = None) -> bytes:
        """SHA-256 of everything that a sheet is printed from."""
        html, rules = self.standing((sheet,), place, {**self.numbers, **(more or {})})
        fields = (html, rules, str(place.start), *self.others(sheet))
        return sha256(self.common + "\0".join(fields).encode()).digest()

    def others(self, sheet: SheetText) -> tuple[str, ...]:
        """The names in other sheets to which a sheet leads."""
        return tuple(name for name in sheet.elsewhere if name in self.names)

    def standing(
        self, sheets: Sequence[SheetText], place: SheetPlace, numbers: Mapping[str, int]
    ) -> tuple[str, str]:
        """HTML of sheets that stand alone, and the rules that are for them alone.

        All but the first have a page before them, never printed, from which numbers and running texts go on.
        """
        near = frozenset[str]().union(*(sheet.names for sheet in sheets))
        html = "\n".join(sheet.with_numbers(numbers, near) for sheet in sheets)
        rules = list(self.page.css_parts.rules(self._classes(html)))
        if place.start:
            html = f'<div class="{TURN}"></div>\n{html}'
            strings = ", ".join(f"{name} {quote(text)}" for name, text in place.strings) or "none"
            rules.append(f".{TURN}{{counter-set:footnote {place.footnotes};string-set:{strings}}}")
            rules.append(f"@page :first{{counter-reset:page {place.start}}}")
            rules.append("html{break-before:verso}" if place.start % 2 == 0 else "")
        return self.page.standing(html), "\n".join(rules)

    def _classes(self, html: str) -> Iterator[str]:
        used = set(CLASS.findall(html))
        return (name for name in self.page.css_parts.classes if name in used)

    def print_run(self, sheets: Sequence[SheetText], place: SheetPlace) -> list[tuple[bytes, PrintedSheet]]:
        """The sheets, each with its key: as many as stand on pages of their own, at least the first.

        One that shows a number which is not known yet is laid out, but not drawn.
        """
        html, rules = self.standing(sheets, place, self.numbers)
        with library_notes() as notes:
            laid = lay_out(html, self.rules, rules, self.files)
            pages = laid.pages[1:] if place.start else laid.pages
            groups = _by_sheet(sheets, pages)
            if len(groups) < len(sheets):
                return self.print_run(sheets[:1], place)
            near = {name: place.start + at for at, one in enumerate(pages, 1) for name in one.anchors}
            made = []
            for sheet, group in zip(sheets, groups, strict=True):
                said = tuple(notes)
                notes.clear()
                printed = replace(describe_pages(group, dict(place.strings)), notes=said)
                key = self.key(sheet, place, near)
                if self.is_complete(sheet, near):
                    body, fonts = draw_pages(laid, group, place.start, self.others(sheet))
                    printed = replace(printed, body=body, fonts=fonts, notes=(*said, *notes))
                made.append((key, printed))
                place = place.after(sheet, printed)
        return made


def _by_sheet(sheets: Sequence[SheetText], pages: Sequence[Any]) -> list[Sequence[Any]]:
    """The pages of each sheet; nothing when some do not begin on a page of their own."""
    if len(sheets) == 1:
        return [pages]
    places: dict[str, int] = {}
    for number, page in enumerate(pages):
        for name in page.anchors:
            places.setdefault(name, number)
    starts = [places.get(sheet.start, -1) for sheet in sheets]
    if starts[0] != 0 or any(end <= start for start, end in pairwise(starts)):
        return []
    return [pages[start:end] for start, end in zip(starts, (*starts[1:], len(pages)), strict=True)]
