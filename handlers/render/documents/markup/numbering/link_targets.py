"""Links of a document: each leads to a place that is there, or is words, and a note says why.

A link within the document is written with the name of the heading's place as this service makes it, or as
GitHub, GitLab and VS Code do, where texts are pasted from.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import unquote

from handlers.render.documents.markup.blocks import (
    DocumentHeading,
    DocumentSheet,
    ImageBox,
    MarkupNote,
    place_of,
    spans_in,
    walk_blocks,
)
from handlers.render.documents.markup.numbering.numbered_figures import Figure, rebuilt
from handlers.render.documents.markup.parameters import MOST_NOTES
from handlers.render.documents.markup.spans import Hyperlink, walk_spans, words_of

OUTWARD = re.compile(r"(?:https?://|mailto:|tel:|/(?!/))", re.IGNORECASE)
DROPPED = re.compile(r"[^\w\- ]")
HOW = "write https://…, mailto:…, /… or #heading"


def live_links(
    sheets: tuple[DocumentSheet, ...], lines: Sequence[str], notes: list[MarkupNote]
) -> tuple[DocumentSheet, ...]:
    """The pages with links that lead somewhere; `notes` grows by the others.

    `lines` are those of the text, in which the place of such a link is looked up.
    """
    addresses = {address for sheet in sheets for address in _addresses(sheet)}
    if all(map(OUTWARD.match, addresses)):
        return sheets
    links = _Links(lines, notes, _targets(sheets))
    return tuple(rebuilt(sheet, links.change) for sheet in sheets)


def github_names(headings: Iterable[str]) -> Iterator[str]:
    """The names that GitHub gives to the places of headings, by their words in the order of the text."""
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
        for span in (span for line in spans_in(block) for span in walk_spans(line)):
            if isinstance(span, Hyperlink):
                yield span.address


def _targets(sheets: Sequence[DocumentSheet]) -> dict[str, str]:
    """The places to which a link may lead, by each of their names."""
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
    """Makes links anew, and tells of each address once that leads nowhere."""

    lines: Sequence[str]
    notes: list[MarkupNote]
    targets: dict[str, str]
    told: set[str] = field(default_factory=set)

    def change(self, old: Any, made: Any, line: int) -> Any:
        if isinstance(made, Hyperlink):
            address = self._address(made.address, line)
            return replace(made, address=address) if address else made.spans
        if isinstance(made, ImageBox) and made.link:
            return replace(made, link=self._address(made.link, line))
        return made

    def _address(self, address: str, line: int) -> str:
        """The address to which a link leads; "" where it leads nowhere."""
        if OUTWARD.match(address):
            return address
        name = unquote(address[1:])
        target = self.targets.get(name) or self.targets.get(name.lower())
        if address.startswith("#") and target:
            return f"#{target}"
        reason = "no heading has that name" if address.startswith("#") else HOW
        if address not in self.told and len(self.notes) < MOST_NOTES:
            self.told.add(address)
            place = place_of(self.lines, line, address)
            self.notes.append(MarkupNote(*place, f'the link to "{address[:80]}" leads nowhere: {reason}'))
        return ""
