"""Documents as their pages show them: the parts of the HTML form, with links into it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import unescape
from typing import NamedTuple

from handlers.pages.visuals.embed_page import shadow_css

LARGEST = 24 * 1024 * 1024
"""Maximum bytes of HTML; a larger document can only be downloaded."""
MOST_ENTRIES = 1_000
DEEPEST = 3
LONGEST_LABEL = 200

OPENING = re.compile(r'<html lang="(?P<language>[^"]*)"(?P<side> dir="rtl")?>')
TITLE = re.compile(r"<title>(?P<title>[^<]*)</title>")
BODY = re.compile(r'</style></head>\n<body data-kind="(?P<kind>\w+)">')
STYLE, END = "<style>", "</body></html>"
# Only the renderer sets ids; it removes those of its users' HTML.
NAMED = re.compile(r'(<(\w++)(?>[^<>]*? id="(?=[sp]-))([^"<>]++)"[^<>]*+>)')
HEADING = re.compile(r"<h([1-6])[ >]")
TAGS = re.compile(r"<[^<>]*>")
TEMPLATE = re.compile(r"<(?=/?template)", re.IGNORECASE)
SHEET, SLIDES = "section", "pres"


class OutlineEntry(NamedTuple):
    """A heading or a slide: its level from 1, its words, and its fragment."""

    level: int
    label: str
    fragment: str


class Anchor(NamedTuple):
    """A target in a document: its fragment, and the slot at that position."""

    fragment: str
    slot: str


@dataclass(frozen=True, slots=True)
class DocumentReading:
    """A document for its page: `body` and `css` of a shadow tree, and the `anchors` of its slots.

    A fragment of an address finds no element inside a shadow tree, only elements in its slots.
    """

    title: str
    language: str
    right_to_left: bool
    slides: bool
    css: str
    body: str
    anchors: tuple[Anchor, ...]
    outline: tuple[OutlineEntry, ...]

    @property
    def has_heading(self) -> bool:
        """Whether it has a heading of the first level, which every page needs."""
        return "<h1" in self.body


def reading_of(html: str) -> DocumentReading | None:
    """Return the parts of a document's HTML form; None if it is not one, such as an error text."""
    found = _parts_of(html)
    if found is None:
        return None
    slides = found["kind"] == SLIDES
    body = TEMPLATE.sub("&lt;", found["body"])
    fragments = dict(_fragments(body, slides=slides))
    entries = tuple(_slides(body, fragments) if slides else _headings(body))
    return DocumentReading(
        unescape(found["title"]),
        found["language"],
        bool(found["side"]),
        slides,
        shadow_css(found["css"]),
        NAMED.sub(r'\1<slot name="\3"></slot>', body),
        tuple(Anchor(fragment, id) for id, fragment in fragments.items()),
        entries[:MOST_ENTRIES],
    )


def _parts_of(html: str) -> Mapping[str, str] | None:
    """Return the parts of the HTML form, searched in their order; None if one is missing."""
    found: dict[str, str] = {}
    at = 0
    for pattern in (OPENING, TITLE):
        part = pattern.search(html, at)
        if part is None:
            return None
        found |= part.groupdict("")
        at = part.end()
    start = html.find(STYLE, at) + len(STYLE)
    part = BODY.search(html, start) if start >= len(STYLE) else None
    end = html.rfind(END)
    if part is None or end < part.end():
        return None
    return {**found, **part.groupdict(), "css": html[start : part.start()], "body": html[part.end() : end]}


def _fragments(body: str, *, slides: bool) -> Iterator[tuple[str, str]]:
    """Yield the ids in a body with their fragments: slides by their numbers, from 1."""
    number = 0
    for _, tag, id in NAMED.findall(body):
        number += tag == SHEET
        yield id, str(number) if slides and tag == SHEET else id


def _headings(body: str) -> Iterator[OutlineEntry]:
    for found in NAMED.finditer(body):
        level = int(found[2][1]) if HEADING.match(found[0]) else DEEPEST + 1
        if level <= DEEPEST and (label := _label(body, found.end(), found[2])):
            yield OutlineEntry(level, label, found[3])


def _slides(body: str, fragments: dict[str, str]) -> Iterator[OutlineEntry]:
    """Yield the slides by their first headings."""
    starts = [found for found in NAMED.finditer(body) if found[2] == SHEET]
    for index, found in enumerate(starts):
        end = starts[index + 1].start() if index + 1 < len(starts) else len(body)
        heading = HEADING.search(body, found.end(), end)
        label = _label(body, heading.start(), f"h{heading[1]}") if heading else ""
        number = fragments[found[3]]
        yield OutlineEntry(1, label or f"Slide {number}", number)


def _label(body: str, start: int, tag: str) -> str:
    """Return the words of an element."""
    end = body.find(f"</{tag}>", start)
    return " ".join(unescape(TAGS.sub("", body[start:end])).split())[:LONGEST_LABEL]
