"""Numbers of figures and tables: their captions, and the targets of links to them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from operator import is_
from typing import Any
from urllib.parse import unquote

from handlers.render.documents.markup.blocks import (
    DataTable,
    DocumentBlock,
    DocumentHeading,
    DocumentSheet,
    FaultBox,
    ImageBox,
    ListEntry,
    Listing,
    MarkupNote,
    Paragraph,
    VisBox,
    place_of,
    spans_of,
    walk_blocks,
)
from handlers.render.documents.markup.parameters import MOST_NOTES
from handlers.render.documents.markup.spans import (
    FigureNumber,
    Hyperlink,
    LabelMention,
    PlainText,
    Spans,
    Styled,
    words_of,
)
from handlers.words.language import translate

UNKNOWN = "#N/A"
Figure = VisBox | ImageBox | DataTable
KINDS = {"figures": "figure", "tables": "table"}
Change = Callable[[Any, Any, int], Any]
"""Function of a part, of the part with its inner parts rebuilt, and of the line of its block.

It returns the new part; a tuple of parts is inserted into the tuple around it.
"""


def number_figures(
    sheets: tuple[DocumentSheet, ...], lines: Sequence[str], language: str, notes: list[MarkupNote]
) -> tuple[DocumentSheet, ...]:
    """Return the pages with figures and tables numbered, references as links, and their lists filled.

    `lines` are the lines of the text, in which notes give the place of an unknown label.
    """
    numbering = Numbering(lines, language, notes)
    for block in (block for sheet in sheets for block in walk_blocks(sheet.blocks)):
        numbering.take(block)
    for block in (block for sheet in sheets for block in walk_blocks(sheet.speaker_notes)):
        numbering.look_for_references(block)
    if not numbering.is_needed:
        return sheets
    shown = [numbering.renew(sheet.blocks) for sheet in sheets]
    spoken = [numbering.renew(sheet.speaker_notes) for sheet in sheets]
    return tuple(
        replace(sheet, blocks=blocks, speaker_notes=notes)
        for sheet, blocks, notes in zip(sheets, shown, spoken, strict=True)
    )


@dataclass(slots=True)
class Numbering:
    """The assigned numbers, by label and by the identity of their block."""

    lines: Sequence[str]
    language: str
    notes: list[MarkupNote]
    numbers: dict[int, FigureNumber] = field(default_factory=dict)
    labels: dict[str, FigureNumber] = field(default_factory=dict)
    entries: dict[str, list[tuple[Figure, FigureNumber]]] = field(
        default_factory=lambda: {kind: [] for kind in KINDS.values()}
    )
    listed: set[str] = field(default_factory=set)
    is_needed: bool = False

    def take(self, block: DocumentBlock) -> None:
        """Assign a number to a block, in the order of the text."""
        if isinstance(block, Figure) and block.number.label:
            self._number(block)
        self.look_for_references(block)

    def look_for_references(self, block: DocumentBlock) -> None:
        """Note whether a block is a list of figures or refers to one."""
        self.is_needed = self.is_needed or (isinstance(block, Listing) and bool(block.index))
        self.is_needed = self.is_needed or any(isinstance(span, LabelMention) for span in spans_of(block))

    def _number(self, block: Figure) -> None:
        self.is_needed = True
        kind, label = "table" if isinstance(block, DataTable) else "figure", block.number.label
        shown = f"{translate(kind.capitalize(), self.language)}\u00a0{len(self.entries[kind]) + 1}"
        anchor = f"{kind}--{label}"
        if label in self.labels:
            anchor = f"{kind}---{len(self.entries[kind]) + 1}"
            reason = f'the label "{label}" is used already: references lead to the first'
            self._note(block.line, "label", reason)
        number = FigureNumber(label, shown, anchor)
        self.numbers[id(block)] = number
        self.labels.setdefault(label, number)
        self.entries[kind].append((block, number))

    def renew(self, value: Any, line: int = 1) -> Any:
        """Return a part with its numbers and references; the part itself if nothing changes."""
        return rebuilt(value, self._change, line)

    def _change(self, old: Any, made: Any, line: int) -> Any:
        if isinstance(old, LabelMention):
            return self._reference(old, line)
        if isinstance(old, Listing) and old.index:
            return self._index(old)
        number = self.numbers.get(id(old))
        if number is None:
            return made
        # A caption begins with its number; that of a chart is separate from the chart's own text.
        caption = {} if isinstance(made, VisBox) else {"caption": numbered_words(number, made.caption)}
        return replace(made, number=number, **caption)

    def _index(self, block: Listing) -> DocumentBlock:
        """Return a list of all figures or tables; only one of each, because many need quadratic time."""
        found = self.entries[KINDS[block.index]]
        if found and block.index not in self.listed:
            self.listed.add(block.index)
            return replace(block, entries=tuple(self._entry(*one) for one in found))
        why = "they are listed above already" if found else "those with a label are numbered and listed"
        reason = f"there are no {block.index} to list: {why}"
        self._note(block.line, "{{", reason)
        return FaultBox(block.line, 1, reason)

    def _entry(self, block: Figure, number: FigureNumber) -> ListEntry:
        noted = len(self.notes)
        words = words_of(self.renew(_caption(block), block.line)).strip()
        del self.notes[noted:]
        line = (PlainText(f"{number.shown}. {words}" if words else number.shown),)
        return ListEntry((Paragraph(block.line, (Hyperlink(f"#{number.anchor}", line),)),))

    def _reference(self, mention: LabelMention, line: int) -> Any:
        number = self.labels.get(mention.label)
        if number is not None:
            return Hyperlink(f"#{number.anchor}", (PlainText(number.shown),))
        known = ", ".join(list(self.labels)[:8])
        hint = f"there are {known}" if known else "write label: NAME in a vis, img or table section"
        reason = f'no figure or table has the label "{mention.label[:40]}": {hint}'
        self._note(line, mention.source, reason)
        return PlainText(UNKNOWN)

    def _note(self, line: int, sought: str, reason: str) -> None:
        if len(self.notes) < MOST_NOTES:
            self.notes.append(MarkupNote(*place_of(self.lines, line, sought), reason))


def numbered_words(number: FigureNumber, words: Spans) -> Spans:
    """Return a caption that begins with its number."""
    if not number.shown:
        return words
    return (Styled("strong", (PlainText(f"{number.shown}."),)), *((PlainText(" "), *words) if words else ()))


def chart_caption(block: VisBox) -> Spans:
    """Return the text below a chart: its number, and the caption in the text."""
    return numbered_words(block.number, (PlainText(block.words),) if block.words else ())


def _caption(block: Figure) -> Spans:
    if isinstance(block, VisBox):
        return (PlainText(block.words or block.heading),)
    return block.caption


def rebuilt(value: Any, change: Change, line: int = 1) -> Any:
    """Rebuild a part of a document, inner parts first; return the part itself if nothing changes."""
    if isinstance(value, tuple):
        made: list[Any] = []
        for one in value:
            new = rebuilt(one, change, line)
            made += new if isinstance(new, tuple) and not isinstance(one, tuple) else [new]
        return value if len(made) == len(value) and all(map(is_, made, value)) else tuple(made)
    if not is_dataclass(value) or isinstance(value, type):
        return value
    line = getattr(value, "line", line)
    inner = ((one.name, getattr(value, one.name)) for one in fields(value))
    pairs = [(name, old, rebuilt(old, change, line)) for name, old in inner if isinstance(old, tuple)]
    changed = {name: new for name, old, new in pairs if new is not old}
    return change(value, replace(value, **changed) if changed else value, line)


OUTWARD = re.compile(r"(?:https?://|mailto:|tel:|/(?!/))", re.IGNORECASE)
DROPPED = re.compile(r"[^\w\- ]")
HOW = "write https://…, mailto:…, /… or #heading"


def live_links(
    sheets: tuple[DocumentSheet, ...], lines: Sequence[str], notes: list[MarkupNote]
) -> tuple[DocumentSheet, ...]:
    """Return the pages without broken links, which are added to `notes`.

    `lines` are the lines of the text, in which notes give the place of a broken link.
    """
    addresses = {address for sheet in sheets for address in _addresses(sheet)}
    if all(map(OUTWARD.match, addresses)):
        return sheets
    links = _Links(lines, notes, _targets(sheets))
    return tuple(rebuilt(sheet, links.change) for sheet in sheets)


def github_names(headings: Iterable[str]) -> Iterator[str]:
    """Yield the anchors that GitHub gives to headings, by their words in the order of the text."""
    given: dict[str, int] = {}
    for words in headings:
        name = plain = DROPPED.sub("", words.strip().lower()).replace(" ", "-")
        while name in given:
            given[plain] += 1
            name = f"{plain}-{given[plain]}"
        given[name] = 0
        yield name


def _addresses(sheet: DocumentSheet) -> Iterator[str]:
    for block in walk_blocks((*sheet.blocks, *sheet.speaker_notes)):
        if isinstance(block, ImageBox) and block.link:
            yield block.link
        yield from (span.address for span in spans_of(block) if isinstance(span, Hyperlink))


def _targets(sheets: Sequence[DocumentSheet]) -> dict[str, str]:
    """Return the anchors that a link may use, by each of their names."""
    shown = [block for sheet in sheets for block in walk_blocks(sheet.blocks)]
    headings = [block for block in shown if isinstance(block, DocumentHeading)]
    places = [
        *(one.anchor for one in headings),
        *(one.number.anchor for one in shown if isinstance(one, Figure)),
    ]
    targets = {place: place for place in places if place}
    for heading, name in zip(headings, github_names(words_of(one.spans) for one in headings), strict=True):
        targets.setdefault(name, heading.anchor)
    return targets


@dataclass(slots=True)
class _Links:
    """Rebuilds links, and notes each broken address once."""

    lines: Sequence[str]
    notes: list[MarkupNote]
    targets: dict[str, str]
    noted: set[str] = field(default_factory=set)

    def change(self, old: Any, made: Any, line: int) -> Any:
        if isinstance(made, Hyperlink):
            address = self._address(made.address, line)
            return replace(made, address=address) if address else made.spans
        if isinstance(made, ImageBox) and made.link:
            return replace(made, link=self._address(made.link, line))
        return made

    def _address(self, address: str, line: int) -> str:
        """Return the address of a link; "" if it is broken."""
        if OUTWARD.match(address):
            return address
        name = unquote(address[1:])
        target = self.targets.get(name) or self.targets.get(name.lower())
        if address.startswith("#") and target:
            return f"#{target}"
        reason = "no heading has that name" if address.startswith("#") else HOW
        if address not in self.noted and len(self.notes) < MOST_NOTES:
            self.noted.add(address)
            place = place_of(self.lines, line, address)
            self.notes.append(MarkupNote(*place, f'the link to "{address[:80]}" leads nowhere: {reason}'))
        return ""
